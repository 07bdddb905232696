export { type PgBossQueue, type PgBossQueueOptions, createPgBossQueue } from "./extras/runs/runner/pg-boss.ts";
export type { HandOn } from "./extras/runs/store/sql-store.ts";
