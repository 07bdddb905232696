export { type PgBossQueue, type PgBossQueueOptions, createPgBossQueue } from "./runner/pg-boss.ts";
export type { HandOn } from "./store/sql-store.ts";
