import type { CliIo } from "../io.ts";
import { warn } from "../say.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** The longest time a timer takes. */
const FOREVER_MS = 2 ** 31 - 1;

/** A command's hold on the signals that would end its process. */
export interface Interrupt {
  /** Aborted by the first of them. */
  readonly signal: AbortSignal;
  /** Gives the signals back, and lets the process end. */
  release(): void;
}

/**
 * Lets a command come to an end by itself, and when somebody asks it to stop: the first Ctrl-C aborts the signal, and
 * gives the signals back, so that a second one ends the process at once.
 */
export function onInterrupt(io: CliIo): Interrupt {
  const aborter = new AbortController();
  // A step may wait for something that never comes: Node would then leave in the middle, without a word.
  const open = setInterval(() => undefined, FOREVER_MS);
  const giveBack = (): void => {
    for (const name of SIGNALS) process.off(name, stop);
  };
  const stop = (): void => {
    giveBack();
    warn(io, "What runs is being finished, nothing more is begun. Ctrl-C again ends it at once.");
    aborter.abort();
  };
  for (const name of SIGNALS) process.on(name, stop);
  return {
    signal: aborter.signal,
    release() {
      giveBack();
      clearInterval(open);
    },
  };
}
