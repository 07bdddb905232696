export { type SqliteStoreOptions, openSqliteStore } from "./store/sqlite.ts";
export type { SqlStoreOptions } from "./store/sql-store.ts";
