import type { JobInsert, PgBoss } from "pg-boss";
import type { HandOff } from "../store/sql-commits.ts";
import { type Queue, type QueueDelivery, type QueueJob, type QueueTransaction, jobOf } from "./queue.ts";

/** Options for {@link createPgBossQueue}. */
export interface PgBossQueueOptions {
  /**
   * URL of a PostgreSQL database. If it's the same database as the store's, the store adds a command and its job in
   * one transaction.
   */
  readonly url: string;
  /** Schema of pg-boss. Default: `pgboss`. */
  readonly schema?: string;
  /** Name of the queue. Default: `veritest`. */
  readonly name?: string;
  /** Seconds without a heartbeat after which a different worker gets the job. Minimum and default: 10. */
  readonly heartbeatSeconds?: number;
  /** Number of connections. Default: 4. */
  readonly connections?: number;
  /** Receives errors that pg-boss reports in the background. Default: they are ignored. */
  readonly onError?: (error: Error) => void;
}

/** A queue of pg-boss, with a hook for a store in the same database. */
export interface PgBossQueue extends Queue {
  /**
   * Option for `openPostgresStore({ handOff })`. The store then writes commands as jobs of the queue, so no dispatch is
   * needed.
   */
  readonly handOff: HandOff;
}

/** Creates a queue in PostgreSQL with pg-boss 12. */
export function createPgBossQueue(options: PgBossQueueOptions): PgBossQueue {
  return new BossQueue(options);
}

/** The runner gives a command up, by its count in the store, long before pg-boss does. */
const MOST_DELIVERIES = 10_000;

/**
 * Seconds that a job may take: the most that pg-boss allows. Its default is 15 minutes, after which it delivers a job
 * again although its worker still sends heartbeats.
 */
const EXPIRE_SECONDS = 24 * 60 * 60;

class BossQueue implements PgBossQueue {
  readonly #options: PgBossQueueOptions;
  readonly #name: string;
  #boss: Promise<PgBoss> | undefined;

  constructor(options: PgBossQueueOptions) {
    this.#options = options;
    this.#name = options.name ?? "veritest";
  }

  readonly handOff: HandOff = async (rows, query) => this.send(rows.map(jobOf), query);

  async send(jobs: readonly QueueJob[], transaction?: QueueTransaction): Promise<void> {
    const boss = await this.#started();
    const unique = new Map(jobs.map((job) => [job.id, job]));
    const inserts = [...unique.values()].map(
      ({ id, key, availableAt }): JobInsert<{ id: string; key: string }> => ({
        id: jobIdOf(id),
        data: { id, key },
        retryLimit: MOST_DELIVERIES,
        retryDelay: 1,
        expireInSeconds: EXPIRE_SECONDS,
        ...(availableAt > Date.now() ? { startAfter: new Date(availableAt) } : {}),
      }),
    );
    await boss.insert(this.#name, inserts, transaction === undefined ? {} : { db: databaseOf(transaction) });
  }

  async work(handler: (job: QueueDelivery) => Promise<void>, concurrency: number): Promise<void> {
    const boss = await this.#started();
    const options = {
      // Single jobs would be fetched 16 times a second. With two batches, one may wait for its slowest job.
      batchSize: Math.max(1, Math.ceil(concurrency / 2)),
      localConcurrency: concurrency > 1 ? 2 : 1,
      pollingIntervalSeconds: 0.5,
      burstWhenBatchFull: true,
      includeMetadata: true,
      perJobResults: true,
    } as const;
    await boss.work<{ id: string; key: string }, unknown, typeof options>(this.#name, options, async (jobs) =>
      Promise.all(
        jobs.map(async ({ id, data, retryCount }) => {
          try {
            await handler({ id: data.id, key: data.key, attempt: retryCount + 1 });
            return { id, status: "completed" as const };
          } catch (thrown) {
            const message = thrown instanceof Error ? thrown.message : "the handler failed";
            return { id, status: "failed" as const, output: { message } };
          }
        }),
      ),
    );
  }

  async start(): Promise<void> {
    await this.#started();
  }

  async stop(): Promise<void> {
    const boss = await this.#boss;
    this.#boss = undefined;
    // At its timeout, pg-boss fails the running jobs, and other workers then get them although their steps still run.
    await boss?.stop({ graceful: true, timeout: EXPIRE_SECONDS * 1000 });
  }

  async #started(): Promise<PgBoss> {
    return (this.#boss ??= this.#open());
  }

  async #open(): Promise<PgBoss> {
    const { url, schema = "pgboss", heartbeatSeconds = 10, connections = 4, onError } = this.#options;
    const { PgBoss } = await import("pg-boss");
    const boss = new PgBoss({
      connectionString: url,
      schema,
      max: connections,
      // By default pg-boss looks for dead workers once a minute.
      monitorIntervalSeconds: heartbeatSeconds,
      superviseIntervalSeconds: heartbeatSeconds,
    });
    boss.on("error", (error) => onError?.(error));
    await boss.start();
    const settings = { heartbeatSeconds, expireInSeconds: EXPIRE_SECONDS };
    await boss.createQueue(this.#name, settings);
    // An existing queue keeps its settings otherwise.
    await boss.updateQueue(this.#name, settings);
    return boss;
  }
}

/** Returns a job id of pg-boss, which must be a UUID: the first half of the hash, with the bits of version 8. */
function jobIdOf(id: string): string {
  const hex = id.replace(/^sha256:/, "").slice(0, 32);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

interface Database {
  executeSql(text: string, values?: unknown[]): Promise<{ rows: Readonly<Record<string, unknown>>[] }>;
}

function databaseOf(transaction: QueueTransaction): Database {
  return { executeSql: async (text, values) => ({ rows: [...(await transaction(text, values))] }) };
}
