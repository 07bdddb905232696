import { truncate } from "../../kernel/text.ts";
import { messageOf } from "../../kernel/thrown.ts";
import type { CliIo } from "../terminal/io.ts";
import { onSignals } from "../terminal/on-signals.ts";
import { warn } from "../terminal/say.ts";

/** The longest time a timer takes. */
const FOREVER_MS = 2 ** 31 - 1;

/** A command's hold on the signals that would end its process. */
interface Interrupt {
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
  const giveBack = onSignals(() => {
    giveBack();
    warn(io, "What runs is being finished, nothing more is begun. Ctrl-C again ends it at once.");
    aborter.abort();
  });
  return {
    signal: aborter.signal,
    release() {
      giveBack();
      clearInterval(open);
    },
  };
}

const EVENTS = ["uncaughtException", "unhandledRejection"] as const;
/** Errors told one by one. */
const MAX_TOLD = 3;
/** Characters of a message. */
const MAX_MESSAGE = 300;

/** A watch for errors that no case can be blamed for. */
interface StrayWatch {
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
  const listen = (thrown: unknown): void => {
    count += 1;
    if (told.length < MAX_TOLD)
      told.push(`A step threw where nobody caught it: ${truncate(messageOf(thrown), MAX_MESSAGE)}`);
  };
  for (const event of EVENTS) process.on(event, listen);
  return {
    problems: () => (count > told.length ? [...told, `And so ${count - told.length} more times.`] : [...told]),
    release() {
      for (const event of EVENTS) process.off(event, listen);
    },
  };
}

/** How long a process may go on that has nothing more to do. */
const GRACE_MS = 200;

/**
 * Ends the process soon, although a step that was given up still holds it open; what is on its way into a pipe gets
 * there first. Does nothing where the command runs in somebody else's process.
 */
export function leaveLingering({ stdout }: CliIo): void {
  if (stdout !== process.stdout) return;
  const leave = (): void => {
    if (process.stdout.writableLength + process.stderr.writableLength > 0) wait();
    else process.exit();
  };
  // Not to hold the process open itself: it is only heard where something else does.
  const wait = (): void => void setTimeout(leave, GRACE_MS).unref();
  wait();
}
