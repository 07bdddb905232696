import { hashText } from "../../../kernel/json/hash.ts";
import type { CommandRow } from "../store/contract.ts";

/** A command to deliver. */
export interface QueueJob {
  /** Id of the job. A job that is sent twice has the same id. A later attempt at the command has a different one. */
  readonly id: string;
  /** Key of the command to execute. The store has its data. */
  readonly key: string;
  /** Earliest time of the delivery, in Unix milliseconds. The queue may deliver the job later. */
  readonly availableAt: number;
}

/** One delivery of a job. */
export interface QueueDelivery extends Pick<QueueJob, "id" | "key"> {
  /**
   * Number of this delivery, starting at 1. It's above 1 if the worker of an earlier delivery ended, or couldn't reach
   * the store.
   */
  readonly attempt: number;
}

/**
 * Interface to the queue of a runner. To use any queue, implement these four functions. The queue may deliver a job
 * more than once. It must not add a job whose id it already contains.
 */
export interface Queue {
  /** Adds jobs. With `transaction`, a queue in the store's own database adds them when the transaction commits. */
  send(jobs: readonly QueueJob[], transaction?: QueueTransaction): Promise<void>;
  /**
   * Passes jobs to the handler, up to `concurrency` at once. A job whose handler throws is delivered again later,
   * without a limit: the runner counts a command's attempts in the store.
   */
  work(handler: (job: QueueDelivery) => Promise<void>, concurrency: number): Promise<void>;
  start(): Promise<void>;
  /** Stops taking jobs, and resolves when the running ones have ended. */
  stop(): Promise<void>;
}

/** Runs a statement in the transaction that writes the commands; parameters are `$1`, `$2`, … */
export type QueueTransaction = (
  text: string,
  values?: readonly unknown[],
) => Promise<readonly Readonly<Record<string, unknown>>[]>;

/** Returns the job of a command. A command that waits again is due at another time, which makes it another job. */
export function jobOf({ key, availableAt }: Pick<CommandRow, "key" | "availableAt">): QueueJob {
  return { id: hashText(`${key} ${availableAt}`), key, availableAt };
}
