export {
  type PostgresLocation,
  type PostgresStoreOptions,
  initPostgresStore,
  openPostgresStore,
} from "./extras/runs/store/postgres.ts";
export type { HandOff, SqlStoreOptions } from "./extras/runs/store/sql-store.ts";
