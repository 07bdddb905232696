import { type LockHolder, breakLock, holderIsGone, lockHolder } from "../../updates/commit/lock.ts";
import { cliPaths } from "../terminal/cli-paths.ts";
import type { CommandInput } from "../terminal/command-input.ts";
import type { CliCommand } from "../command.ts";
import { EXIT, type ExitCode } from "../terminal/exit-code.ts";
import type { CliIo } from "../terminal/io.ts";
import { printRefusal, oneLine, printLines } from "../terminal/print.ts";

/** `veritest unlock`: shows which process may change baselines, and releases the lock of a dead one. */
export const unlockCommand: CliCommand = {
  options: [{ flags: "--force", description: "also if the process may still run: two commits at once may mix" }],
  examples: [
    "veritest unlock           # releases the lock of a process that died",
    "veritest unlock --force   # of one on another machine, once you know it is gone",
  ],
  run,
};

function run(input: CommandInput, io: CliIo): ExitCode {
  const { state } = cliPaths(io);
  const holder = lockHolder(state);
  if (holder === undefined) {
    printLines(io, ["The lock is free."]);
    return EXIT.clean;
  }
  const gone = holderIsGone(state, holder);
  if (!gone && !input.flag("force")) {
    const state = holder.owner === undefined ? "may still be" : "seems to be";
    return printRefusal(
      io,
      `The lock is held by ${nameOf(holder)}, which ${state} at work. ` +
        "Wait for it; if it is gone for good, run: npx veritest unlock --force",
      EXIT.regressions,
    );
  }
  breakLock(state);
  printLines(io, [
    oneLine(
      `Released the lock of ${nameOf(holder)}${gone ? ", which is gone" : ""}. See what it left: npx veritest recover`,
    ),
  ]);
  return EXIT.clean;
}

function nameOf({ owner, generation }: LockHolder): string {
  return owner === undefined
    ? `a process that left no name (generation ${generation})`
    : `process ${owner.pid} on ${owner.host}`;
}
