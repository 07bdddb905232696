/** One delivery of a command by a queue. */
export interface QueueJob {
  /** The command's key; everything else is in the store. */
  readonly key: string;
  /** From 1. */
  readonly attempt: number;
  /** True if the queue gives up when this attempt fails. */
  readonly last: boolean;
}

/**
 * Queue that a runner uses: four functions, so that any queue fits. It may deliver a job more than once. A key that
 * is already in the queue isn't added again.
 */
export interface Queue {
  /** Adds keys. With `transaction`, a queue in the store's own database adds them when the transaction commits. */
  send(keys: readonly string[], transaction?: QueueTransaction): Promise<void>;
  /** Passes jobs to the handler, up to `concurrency` at once. A job whose handler throws is delivered again later. */
  work(handler: (job: QueueJob) => Promise<void>, concurrency: number): Promise<void>;
  start(): Promise<void>;
  /** Stops taking jobs, and resolves when the running ones have ended. */
  stop(): Promise<void>;
}

/** Runs a statement in the transaction that writes the commands; parameters are `$1`, `$2`, … */
export type QueueTransaction = (
  text: string,
  values?: readonly unknown[],
) => Promise<readonly Readonly<Record<string, unknown>>[]>;
