export {
  type PostgresPlace,
  type PostgresStoreOptions,
  initPostgresStore,
  openPostgresStore,
} from "./store/postgres.ts";
export type { HandOn, SqlStoreOptions } from "./store/sql-store.ts";
