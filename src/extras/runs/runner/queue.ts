/** One delivery of a command by a queue. */
export interface QueueJob {
  /** The command's key; the store has the rest. */
  readonly key: string;
  /** From 1. */
  readonly attempt: number;
  /** True when the queue gives up if this attempt fails. */
  readonly last: boolean;
}

/**
 * What a runner asks of a queue: four functions, so that any queue fits. Jobs may come more than once; a key that is in
 * the queue already is not put in again.
 */
export interface Queue {
  /** Puts keys in. With `transaction` they are there once that commits, for a queue in the store's own database. */
  send(keys: readonly string[], transaction?: QueueTransaction): Promise<void>;
  /** Gives jobs to the handler, so many at once; one that throws is given again later. */
  work(handler: (job: QueueJob) => Promise<void>, concurrency: number): Promise<void>;
  start(): Promise<void>;
  /** Takes no more jobs, and answers when those that run have ended. */
  stop(): Promise<void>;
}

/** Runs a statement in the transaction that writes the commands; parameters are `$1`, `$2`, … */
export type QueueTransaction = (
  text: string,
  values?: readonly unknown[],
) => Promise<readonly Readonly<Record<string, unknown>>[]>;
