export { type SqliteStoreOptions, openSqliteStore } from "./extras/runs/store/sqlite.ts";
export type { SqlStoreOptions } from "./extras/runs/store/sql-store.ts";
