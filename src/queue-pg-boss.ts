export { type PgBossQueue, type PgBossQueueOptions, createPgBossQueue } from "./extras/runs/runner/pg-boss.ts";
export type { HandOff } from "./extras/runs/store/sql-commits.ts";
