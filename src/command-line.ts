import type { RegisteredCommand } from "./cli/command.ts";
import type { FromSource } from "./cli/sweep/from-source.ts";
import { runCommandLine } from "./cli/main.ts";
import type { ExitCode } from "./cli/terminal/exit-code.ts";
import type { CliIo } from "./cli/terminal/io.ts";

/** Loads the source of cases that `--from` names. */
async function fromStore(): Promise<FromSource> {
  return (await import("./extras/runs/cli/from-store.ts")).FROM_STORE;
}

/**
 * Every command of the core and of the extras, in the order of the overview. A new one is a file in `cli/commands/`, or
 * in the `cli/` of an extra, and a row here.
 */
export const COMMANDS: readonly RegisteredCommand[] = [
  {
    name: "init",
    summary: "set up a project, with a first step",
    load: async () => (await import("./cli/commands/init.ts")).initCommand,
  },
  {
    name: "capture",
    summary: "run a step on inputs and keep what comes out as baselines",
    load: async () => (await import("./cli/commands/capture.ts")).captureCommand(await fromStore()),
  },
  {
    name: "import",
    summary: "hold runs of exported traces for review, with the calls they made",
    load: async () => (await import("./extras/traces/cli/import.ts")).importCommand,
  },
  {
    name: "test",
    summary: "recompute baselines and fail on differences",
    load: async () => (await import("./cli/commands/test.ts")).testCommand(await fromStore()),
  },
  {
    name: "diff",
    summary: "recompute baselines and show differences",
    load: async () => (await import("./cli/commands/diff.ts")).diffCommand,
  },
  {
    name: "replay",
    summary: "replay baselines on their recorded answers, offline",
    load: async () => (await import("./cli/commands/replay.ts")).replayCommand,
  },
  {
    name: "laws",
    summary: "look for inputs that break the laws tests hold steps to",
    load: async () => (await import("./extras/properties/cli/laws.ts")).lawsCommand,
  },
  { name: "list", summary: "list baselines", load: async () => (await import("./cli/commands/list.ts")).listCommand },
  {
    name: "show",
    summary: "show a baseline or a receipt in full",
    load: async () => (await import("./cli/commands/show.ts")).showCommand,
  },
  {
    name: "prune",
    summary: "remove baselines that nothing uses any more",
    load: async () => (await import("./cli/commands/prune.ts")).pruneCommand,
  },
  {
    name: "check",
    summary: "find damage, secrets and orphans in baselines",
    load: async () => (await import("./cli/commands/check.ts")).checkCommand,
  },
  {
    name: "merge",
    summary: "put the reports of shards together",
    load: async () => (await import("./cli/commands/merge.ts")).mergeCommand,
  },
  {
    name: "merge-driver",
    summary: "have git merge baselines field by field",
    load: async () => (await import("./cli/commands/merge-driver.ts")).mergeDriverCommand,
  },
  {
    name: "report",
    summary: "write a stored run in other formats",
    load: async () => (await import("./cli/commands/report.ts")).reportCommand,
  },
  {
    name: "review",
    summary: "look at what waits and decide on it",
    load: async () => (await import("./cli/commands/review.ts")).reviewCommand,
  },
  {
    name: "pending",
    summary: "list what waits for review",
    load: async () => (await import("./cli/commands/pending.ts")).pendingCommand,
  },
  {
    name: "accept",
    summary: "write what waits, exactly as it was shown",
    load: async () => (await import("./cli/commands/accept.ts")).acceptCommand,
  },
  {
    name: "reject",
    summary: "drop what waits",
    load: async () => (await import("./cli/commands/reject.ts")).rejectCommand,
  },
  {
    name: "commit",
    summary: "settle what all shards of a run propose",
    load: async () => (await import("./cli/commands/commit.ts")).commitCommand,
  },
  {
    name: "recover",
    summary: "finish or undo what dead processes left",
    load: async () => {
      const { recoverCommand } = await import("./cli/commands/recover.ts");
      return recoverCommand([(await import("./extras/verified-commit/cli/finish-runs.ts")).finishRuns]);
    },
  },
  {
    name: "unlock",
    summary: "release the lock of a process that is gone",
    load: async () => (await import("./cli/commands/unlock.ts")).unlockCommand,
  },
  {
    name: "repair",
    summary: "list damaged baselines, or restore them",
    load: async () => (await import("./cli/commands/repair.ts")).repairCommand,
  },
  {
    name: "log",
    summary: "list receipts, the newest first",
    load: async () => (await import("./cli/commands/log.ts")).logCommand,
  },
  {
    name: "verify-log",
    summary: "check receipts and notes for damage",
    load: async () => (await import("./cli/commands/verify-log.ts")).verifyLogCommand,
  },
  { name: "notes", summary: "read notes", load: async () => (await import("./cli/commands/notes.ts")).notesCommand },
  { name: "note", summary: "write a note", load: async () => (await import("./cli/commands/note.ts")).noteCommand },
  {
    name: "run",
    summary: "run a command in a work tree of its own",
    load: async () => (await import("./extras/verified-commit/cli/run.ts")).runCommand,
  },
  {
    name: "store",
    summary: "make the tables that stored runs are kept in",
    load: async () => (await import("./extras/runs/cli/store.ts")).storeCommand,
  },
  {
    name: "runs",
    summary: "list and show stored runs, and resolve what they wait for",
    load: async () => (await import("./extras/runs/cli/runs.ts")).runsCommand,
  },
  {
    name: "ground",
    summary: "answer questions from documents, with citations",
    load: async () => (await import("./extras/grounding/cli/ground.ts")).groundCommand,
  },
];

/** Runs one command line, without the program's own name, with every command there is; returns the exit code. */
export async function main(argv: readonly string[], io: CliIo): Promise<ExitCode> {
  return runCommandLine(argv, io, COMMANDS);
}
