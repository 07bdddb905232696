import { truncate } from "../../base/text.ts";
import { messageOf } from "../../base/thrown.ts";

const EVENTS = ["uncaughtException", "unhandledRejection"] as const;
/** Errors told one by one. */
const MAX_TOLD = 3;
/** Characters of a message. */
const MAX_MESSAGE = 300;

/** A watch for errors that no case can be blamed for. */
export interface StrayWatch {
  /** A sentence each on what was thrown where nobody caught it. */
  problems(): readonly string[];
  /** Leaves such errors to Node again. */
  release(): void;
}

/**
 * Keeps what a step throws where nobody can catch it, in a timer or in a promise that nobody waits for, from ending the
 * whole sweep: which case it is of cannot be known, so that it is told of the run.
 */
export function watchStrays(): StrayWatch {
  const told: string[] = [];
  let count = 0;
  const hear = (thrown: unknown): void => {
    count += 1;
    if (told.length < MAX_TOLD)
      told.push(`A step threw where nobody caught it: ${truncate(messageOf(thrown), MAX_MESSAGE)}`);
  };
  for (const event of EVENTS) process.on(event, hear);
  return {
    problems: () => (count > told.length ? [...told, `And so ${count - told.length} more times.`] : [...told]),
    release() {
      for (const event of EVENTS) process.off(event, hear);
    },
  };
}
