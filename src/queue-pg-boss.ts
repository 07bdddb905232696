export { type PgBossQueue, type PgBossQueueOptions, createPgBossQueue } from "./runner/pg-boss.ts";
