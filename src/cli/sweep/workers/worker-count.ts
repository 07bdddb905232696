import type { AdapterMode } from "../../../check/adapter-mode.ts";

/**
 * Cases that are worth a worker: to start one, to load the configuration and the steps in it, and to compile all of
 * it once more costs what so many small cases do.
 */
const WORTH = 5000;

/** What the number of workers goes by. */
export interface WorkerRequest {
  /** As the command line asks for them. */
  readonly asked: number | undefined;
  /** Whether the command line sets a time that a case may take. */
  readonly timed: boolean;
  readonly cores: number;
  /** Asked where it makes a difference: it takes a look at every name. */
  readonly cases: () => number;
  /** How many cases may be asked at a time. */
  readonly concurrency: number;
  readonly adapters: AdapterMode;
}

/**
 * How many workers share a sweep; 0 where it runs in this thread. More than one only where somebody asks for them or
 * there is work for each; one where a time is set, because what never gives way can only be ended from outside.
 */
export function workerCount({ asked, timed, cores, cases, concurrency, adapters }: WorkerRequest): number {
  if (asked === 1) return 0;
  if (asked !== undefined) return Math.max(1, Math.min(asked, concurrency, cases()));
  // Who waits for models is not faster for more threads, and would make the adapters once for each.
  const most = adapters === "recorded" ? Math.min(cores - 1, concurrency) : 0;
  const worth = most > 1 ? Math.min(most, Math.floor(cases() / WORTH)) : 0;
  if (worth > 1) return worth;
  return timed ? 1 : 0;
}
