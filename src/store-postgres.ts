export {
  type PostgresPlace,
  type PostgresStoreOptions,
  initPostgresStore,
  openPostgresStore,
} from "./extras/runs/store/postgres.ts";
export type { HandOn, SqlStoreOptions } from "./extras/runs/store/sql-store.ts";
