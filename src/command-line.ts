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
    summary: "run a step on inputs and capture baselines",
    load: async () => (await import("./cli/commands/capture.ts")).captureCommand(await fromStore()),
  },
  {
    name: "import",
    summary: "stage exported runs for review, with their calls",
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
    summary: "replay baselines from their recorded responses, offline",
    load: async () => (await import("./cli/commands/replay.ts")).replayCommand,
  },
  {
    name: "rebase",
    summary: "keep recorded responses for requests that changed in harmless parts",
    load: async () => (await import("./cli/commands/rebase.ts")).rebaseCommand,
  },
  {
    name: "properties",
    summary: "look for inputs that break the properties of steps",
    load: async () => (await import("./extras/properties/cli/properties.ts")).propertiesCommand,
  },
  { name: "list", summary: "list baselines", load: async () => (await import("./cli/commands/list.ts")).listCommand },
  {
    name: "show",
    summary: "show a baseline or a receipt in full",
    load: async () => (await import("./cli/commands/show.ts")).showCommand,
  },
  {
    name: "prune",
    summary: "remove obsolete baselines",
    load: async () => (await import("./cli/commands/prune.ts")).pruneCommand,
  },
  {
    name: "rename-step",
    summary: "move baselines to the new name of a step or a test file",
    load: async () => (await import("./cli/commands/rename-step.ts")).renameStepCommand,
  },
  {
    name: "check",
    summary: "find damaged, secret-bearing and obsolete baselines",
    load: async () => (await import("./cli/commands/check.ts")).checkCommand,
  },
  {
    name: "merge",
    summary: "merge the reports of shards",
    load: async () => (await import("./cli/commands/merge.ts")).mergeCommand,
  },
  {
    name: "merge-driver",
    summary: "merge baselines field by field, as git's merge driver",
    load: async () => (await import("./cli/commands/merge-driver.ts")).mergeDriverCommand,
  },
  {
    name: "report",
    summary: "write a stored run in other formats",
    load: async () => (await import("./cli/commands/report.ts")).reportCommand,
  },
  {
    name: "review",
    summary: "review pending changes",
    load: async () => (await import("./cli/commands/review.ts")).reviewCommand,
  },
  {
    name: "pending",
    summary: "list pending changes",
    load: async () => (await import("./cli/commands/pending.ts")).pendingCommand,
  },
  {
    name: "accept",
    summary: "accept pending changes",
    load: async () => (await import("./cli/commands/accept.ts")).acceptCommand,
  },
  {
    name: "reject",
    summary: "reject pending changes",
    load: async () => (await import("./cli/commands/reject.ts")).rejectCommand,
  },
  {
    name: "commit",
    summary: "apply the updates of all shards of a run",
    load: async () => (await import("./cli/commands/commit.ts")).commitCommand,
  },
  {
    name: "recover",
    summary: "finish or undo interrupted updates",
    load: async () => {
      const { recoverCommand } = await import("./cli/commands/recover.ts");
      return recoverCommand([(await import("./extras/verified-commit/cli/finish-runs.ts")).finishRuns]);
    },
  },
  {
    name: "unlock",
    summary: "release the lock of a dead process",
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
    summary: "run a command in a temporary worktree and commit verified changes",
    load: async () => (await import("./extras/verified-commit/cli/run.ts")).runCommand,
  },
  {
    name: "store",
    summary: "create the tables of stored runs",
    load: async () => (await import("./extras/runs/cli/store.ts")).storeCommand,
  },
  {
    name: "runs",
    summary: "list and show stored runs, and resolve their blocks",
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
