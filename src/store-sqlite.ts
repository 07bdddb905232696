export { type SqliteStoreOptions, openSqliteStore } from "./store/sqlite.ts";
