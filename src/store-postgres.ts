export {
  type PostgresPlace,
  type PostgresStoreOptions,
  initPostgresStore,
  openPostgresStore,
} from "./store/postgres.ts";
