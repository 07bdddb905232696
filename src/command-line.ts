import type { RegisteredCommand } from "./cli/command.ts";
import type { FromSource } from "./cli/cases/from-source.ts";
import { runCommandLine } from "./cli/main.ts";
import type { ExitCode } from "./cli/terminal/exit-code.ts";
import type { CliIo } from "./cli/terminal/io.ts";

/** Loads the source of cases that `--store` names. */
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
    group: "Start",
    summary: "set up a project, with a first step",
    load: async () => (await import("./cli/commands/init.ts")).initCommand,
  },
  {
    name: "capture",
    group: "Start",
    summary: "run a step on inputs and capture baselines",
    load: async () => (await import("./cli/commands/capture.ts")).captureCommand(await fromStore()),
  },
  {
    name: "import",
    group: "Start",
    summary: "import exported runs and their calls as pending changes",
    load: async () => (await import("./extras/traces/cli/import.ts")).importCommand,
  },
  {
    name: "test",
    group: "Check",
    summary: "recompute baselines and fail on differences",
    load: async () => (await import("./cli/commands/test.ts")).testCommand(await fromStore()),
  },
  {
    name: "diff",
    group: "Check",
    summary: "recompute baselines and show differences",
    load: async () => (await import("./cli/commands/diff.ts")).diffCommand(await fromStore()),
  },
  {
    name: "replay",
    group: "Check",
    summary: "replay baselines from their recorded responses, offline",
    load: async () => (await import("./cli/commands/replay.ts")).replayCommand(await fromStore()),
  },
  {
    name: "rebase",
    group: "Check",
    summary: "keep recorded responses for requests that changed in harmless parts",
    load: async () => (await import("./cli/commands/rebase.ts")).rebaseCommand,
  },
  {
    name: "properties",
    group: "Check",
    summary: "look for inputs that break the properties of steps",
    load: async () => (await import("./extras/properties/cli/properties.ts")).propertiesCommand,
  },
  {
    name: "review",
    group: "Review",
    summary: "review pending changes",
    load: async () => (await import("./cli/commands/review.ts")).reviewCommand,
  },
  {
    name: "pending",
    group: "Review",
    summary: "list pending changes",
    load: async () => (await import("./cli/commands/pending.ts")).pendingCommand,
  },
  {
    name: "accept",
    group: "Review",
    summary: "accept pending changes",
    load: async () => (await import("./cli/commands/accept.ts")).acceptCommand,
  },
  {
    name: "reject",
    group: "Review",
    summary: "reject pending changes",
    load: async () => (await import("./cli/commands/reject.ts")).rejectCommand,
  },
  {
    name: "list",
    group: "Baselines",
    summary: "list baselines",
    load: async () => (await import("./cli/commands/list.ts")).listCommand,
  },
  {
    name: "show",
    group: "Baselines",
    summary: "show a baseline or a receipt in full",
    load: async () => (await import("./cli/commands/show.ts")).showCommand,
  },
  {
    name: "check",
    group: "Baselines",
    summary: "find damaged and obsolete baselines, and secrets in them",
    load: async () => (await import("./cli/commands/check.ts")).checkCommand,
  },
  {
    name: "prune",
    group: "Baselines",
    summary: "remove obsolete baselines",
    load: async () => (await import("./cli/commands/prune.ts")).pruneCommand,
  },
  {
    name: "rename-step",
    group: "Baselines",
    summary: "move baselines to the new name of a step or a test file",
    load: async () => (await import("./cli/commands/rename-step.ts")).renameStepCommand,
  },
  {
    name: "repair",
    group: "Baselines",
    summary: "list damaged baselines, or restore them",
    load: async () => (await import("./cli/commands/repair.ts")).repairCommand,
  },
  {
    name: "report",
    group: "Reports and CI",
    summary: "write a stored run in other formats",
    load: async () => (await import("./cli/commands/report.ts")).reportCommand,
  },
  {
    name: "merge",
    group: "Reports and CI",
    summary: "merge the reports of shards",
    load: async () => (await import("./cli/commands/merge.ts")).mergeCommand,
  },
  {
    name: "merge-driver",
    group: "Reports and CI",
    summary: "merge baselines field by field, as git's merge driver",
    load: async () => (await import("./cli/commands/merge-driver.ts")).mergeDriverCommand,
  },
  {
    name: "doctor",
    group: "Advanced",
    summary: "release a stale lock, and complete or roll back interrupted work",
    load: async () => {
      const { doctorCommand } = await import("./cli/commands/doctor.ts");
      return doctorCommand([(await import("./extras/verified-commit/cli/finish-runs.ts")).finishRuns]);
    },
  },
  {
    name: "log",
    group: "Advanced",
    summary: "list receipts, or check them",
    load: async () => (await import("./cli/commands/log.ts")).logCommand,
  },
  {
    name: "notes",
    group: "Advanced",
    summary: "read or write notes",
    load: async () => (await import("./cli/commands/notes.ts")).notesCommand,
  },
  {
    name: "run",
    group: "Advanced",
    summary: "run a command in a temporary worktree and commit verified changes",
    load: async () => (await import("./extras/verified-commit/cli/run.ts")).runCommand,
  },
  {
    name: "runs",
    group: "Advanced",
    summary: "show stored runs, and resolve their blocks",
    load: async () => (await import("./extras/runs/cli/runs.ts")).runsCommand,
  },
  {
    name: "store",
    group: "Advanced",
    summary: "create the tables of stored runs",
    load: async () => (await import("./extras/runs/cli/store.ts")).storeCommand,
  },
  {
    name: "ground",
    group: "Advanced",
    summary: "answer questions from documents, with citations",
    load: async () => (await import("./extras/grounding/cli/ground.ts")).groundCommand,
  },
  {
    name: "completion",
    group: "Advanced",
    summary: "print a completion script for a shell",
    load: async () => (await import("./cli/commands/completion.ts")).completionCommand(COMMANDS),
  },
];

/** Runs one command line, without the program's own name, with every command there is; returns the exit code. */
export async function main(argv: readonly string[], io: CliIo): Promise<ExitCode> {
  return runCommandLine(argv, io, COMMANDS);
}
