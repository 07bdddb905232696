import type { CliIo } from "../io.ts";

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
