import { MAX_TIMER_MS } from "../../kernel/max-timer.ts";
import { truncate } from "../../kernel/text.ts";
import { messageOf } from "../../kernel/error-message.ts";
import type { CliIo } from "../terminal/io.ts";
import { handleSignals } from "../terminal/on-signals.ts";
import { printWarning } from "../terminal/print.ts";

/** Handler of the signals that would end the process. */
interface Interrupt {
  /** Aborted by the first signal. */
  readonly signal: AbortSignal;
  /** Removes the handlers, and lets the process end. */
  release(): void;
}

/**
 * Lets a command finish its work after Ctrl-C. The first Ctrl-C aborts the signal and removes the handlers, so that a
 * second one ends the process at once.
 */
export function onInterrupt(io: CliIo): Interrupt {
  const aborter = new AbortController();
  // A step may wait for a promise that never settles. Without this timer, Node would exit silently in the middle.
  const open = setInterval(() => undefined, MAX_TIMER_MS);
  const giveBack = handleSignals(() => {
    giveBack();
    printWarning(io, "Finishing the running cases. Press Ctrl-C again to stop now.");
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
/** Maximum number of errors reported one by one. */
const MAX_REPORTED = 3;
/** Maximum number of characters of a message. */
const MAX_MESSAGE = 300;

/** Listener for errors that can't be assigned to a case. */
interface UncaughtWatch {
  /** Returns one sentence for each uncaught error. */
  problems(): readonly string[];
  /** Restores Node's default handling. */
  release(): void;
}

/**
 * Prevents uncaught errors of a step, in a timer or in a promise without a handler, from ending the run. Their case is
 * unknown, so they are reported for the run.
 */
export function watchUncaught(): UncaughtWatch {
  const messages: string[] = [];
  let count = 0;
  const listen = (thrown: unknown): void => {
    count += 1;
    if (messages.length < MAX_REPORTED)
      messages.push(`A step threw an uncaught error: ${truncate(messageOf(thrown), MAX_MESSAGE)}`);
  };
  for (const event of EVENTS) process.on(event, listen);
  return {
    problems: () =>
      count > messages.length
        ? [...messages, `The same error occurred ${count - messages.length} more times.`]
        : [...messages],
    release() {
      for (const event of EVENTS) process.off(event, listen);
    },
  };
}

/** Time until a process without work exits. */
const GRACE_MS = 200;

/**
 * Ends the process soon, even if a timed-out step keeps it open. Flushes the pipes first. Does nothing if the command
 * runs inside another process.
 */
export function exitWhileRunning({ stdout }: CliIo): void {
  if (stdout !== process.stdout) return;
  const leave = (): void => {
    if (process.stdout.writableLength + process.stderr.writableLength > 0) wait();
    else process.exit();
  };
  // Unreferenced, so that the timer doesn't keep the process open.
  const wait = (): void => void setTimeout(leave, GRACE_MS).unref();
  wait();
}
