export {
  type PostgresLocation,
  type PostgresStoreOptions,
  initPostgresStore,
  openPostgresStore,
} from "./extras/runs/store/postgres.ts";
export type { HandOff } from "./extras/runs/store/sql-commits.ts";
export type { SqlStoreOptions } from "./extras/runs/store/sql-store.ts";
