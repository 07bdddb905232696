import type { Records } from "../../updates/update-context.ts";
import { join } from "node:path";
import { escapeText } from "../../kernel/text.ts";
import { gitEnvironment } from "../../kernel/files/git.ts";
import type { ProjectPaths } from "../../kernel/files/project-paths.ts";
import type { Actor } from "../../updates/receipts/actor.ts";
import type { NewNote } from "../../updates/receipts/note.ts";
import type { ReceiptDraft, ReceiptGate, ReceiptVersions } from "../../updates/receipts/receipt.ts";
import type { VerifyCommand } from "../../updates/policy.ts";
import type { ChangedFile } from "./changes.ts";
import type { DiffLimits } from "./check-diff.ts";
import type { GitCall } from "./git.ts";
import { RUN_VARIABLE } from "../../kernel/files/run-process.ts";
import type { Repository } from "./repository.ts";
import type { Caches } from "./caches.ts";
import type { Confinement } from "./confinement.ts";
import type { LinkState, Links } from "./links.ts";
import type { RepositorySettings } from "./own-repository.ts";

/** Change of a run, as `approve` gets it. */
export interface VerifiedChange {
  readonly workItem: string;
  /** Differences between the commit where the run began and the one it would make. */
  readonly files: readonly ChangedFile[];
  /** The text a changed file would have; undefined for one that is removed. Untrusted. */
  readonly textOf: (file: ChangedFile) => Promise<string | undefined>;
}

/** Log of receipts. */
export interface ReceiptLog {
  /** Appends a receipt, or finds the one there is of the same transaction and kind; returns its id. */
  append(draft: ReceiptDraft): string;
  /**
   * Redactor for files that a run leaves on disk for the process that recovers it, and which has no configuration to
   * redact them by: that would be code of the project. Default: no redaction.
   */
  readonly hides?: Pick<Records, "redact" | "redactText">;
}

/** A discarded run's changes, to continue from. */
export interface KeptChanges {
  /** File with the changes, as a patch of git. */
  readonly patch: string;
  readonly workItem: string;
  /** Reason why they were discarded: input of the next command. Untrusted. */
  readonly feedback: string;
}

/** A run, and its environment. */
export interface VerifiedCommitOptions {
  readonly paths: ProjectPaths;
  /** Work item of the run. */
  readonly workItem: string;
  readonly mood?: string;
  /** Program and its arguments, without a shell. It runs in the project's folder of the run's worktree. */
  readonly command: readonly string[];
  /** Milliseconds for the command and all checks together. */
  readonly budgetMs: number;
  /** Commands that must exit with 0, in a fresh work tree of the files that would be committed. */
  readonly checks: readonly VerifyCommand[];
  readonly limits: DiffLimits;
  /** Branch that gets the commit. If undefined, the branch that is checked out. */
  readonly target: string | undefined;
  /**
   * Paths of the checkout that git ignores, but that are available in the worktrees. Default: `node_modules` of the
   * project.
   */
  readonly links: Links | undefined;
  /** The last word: true, false, or a sentence on why not. */
  readonly approve?: ((change: VerifiedChange) => boolean | string | Promise<boolean | string>) | undefined;
  readonly actor: Actor;
  readonly agents: "propose-only" | "commit";
  readonly versions: ReceiptVersions;
  readonly environment: NodeJS.ProcessEnv;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Unique among the runs of all times: lower-case letters, digits and `-`. */
  readonly runId: string;
  /** Ends the run when aborted, without leaving files. */
  readonly signal: AbortSignal;
  /** The folder that the run's own folder is made in, outside of every checkout. */
  readonly temporary: string;
  /** Milliseconds for a program to end after the request. */
  readonly graceMs: number;
  readonly note: (note: NewNote) => void;
  readonly receipts: ReceiptLog;
  /** Directory that keeps the changes of discarded runs. Default: they aren't kept. */
  readonly attempts?: string;
  /** Changes of a discarded run to begin with. An empty command only checks them. */
  readonly resume?: KeptChanges | undefined;
  /** Takes the output of the command and the checks, and the kind of program that it is from. */
  readonly onOutput: (text: string, from: OutputSource) => void;
  /** Called with a line about the current work. The line is safe to print. */
  readonly onProgress: (line: string) => void;
  /** Called at each step, for tests that end the process there. */
  readonly onStep?: (step: string) => void;
}

/** Program that printed output: `watched` is a check whose failure is expected. */
export type OutputSource = "command" | "check" | "watched";

/** Why a run was discarded. */
export interface RunDiscard {
  /**
   * The gate that failed, as receipts name it: `command`, `diff`, `check npm test`, `results`, `links`, `approve`,
   * `land`.
   */
  readonly gate: string;
  /** One sentence, safe to print. */
  readonly summary: string;
  /** More of it, a line each: findings, or the last that a program printed. Safe to print. */
  readonly details: readonly string[];
}

/** Outcome of a run. */
export type RunOutcome =
  /** Exactly one commit more on the branch. */
  | {
      readonly kind: "committed";
      readonly commit: string;
      readonly target: string;
      readonly receipt: string;
      readonly files: number;
      /** Number of tests that the checks ran; undefined if no file is code. */
      readonly tests: number | undefined;
      /** Checks that ran tests that can't be counted. */
      readonly unmeasured: readonly string[];
      readonly leftAlone: readonly string[];
    }
  /** All gates passed, and the command changed no file: there is nothing to commit. */
  | { readonly kind: "unchanged" }
  /** Only notes and the receipt of the run remain. */
  | {
      readonly kind: "discarded";
      readonly failure: RunDiscard;
      readonly isKept?: boolean;
      /** True if the repository changed during the run, by the command or by somebody else. */
      readonly isTouched?: boolean;
    }
  /** The run did not begin: why, as a sentence or two. */
  | { readonly kind: "refused"; readonly problem: string }
  /** Something is left that `veritest doctor` finishes: why, as a sentence. */
  | { readonly kind: "pending"; readonly problem: string };

/** Work trees of a run: of the command, of the checks, of the base's tests on the new code, and of the final commit. */
export type RunTree = "run" | "check" | "base" | "commit";

/** A run under way. */
export interface RunContext {
  readonly options: VerifiedCommitOptions;
  readonly repository: Repository;
  readonly settings: RepositorySettings;
  readonly confinement: Confinement;
  readonly links: Links;
  /** State of the linked folders before the command ran. */
  readonly linkState: LinkState;
  /** State of the caches in them, too. */
  readonly caches: Caches;
  /** The folder with the run's work trees. */
  readonly folder: string;
  /** Number of the folder in its file system, by which it is recognized if a program moves it. */
  readonly inode: bigint;
  /** When the budget is used up, in milliseconds since 1970. */
  readonly deadline: number;
  /** Number of tests that the checks ran, once it is known, and the checks whose tests can't be counted. */
  readonly evidence: { tests: number | undefined; unmeasured: readonly string[] };
  /** Results of the gates so far, in order. */
  readonly gates: ReceiptGate[];
}

/** Path of a work tree of the run. */
export function treePath({ folder }: Pick<RunContext, "folder">, tree: RunTree): string {
  return join(folder, tree);
}

/** Options of git for a run: processes that it starts have the run's mark, as all processes of the run. */
export function gitCall(context: RunContext, cwd: string = context.repository.top): GitCall {
  return { cwd, environment: markedEnvironment(context.options) };
}

/** The environment of a run's programs: no variable leads their git to the user's checkout, and one marks the run. */
export function markedEnvironment({
  environment,
  runId,
}: Pick<VerifiedCommitOptions, "environment" | "runId">): NodeJS.ProcessEnv {
  return { ...gitEnvironment(environment), [RUN_VARIABLE]: runId };
}

/** A discard for a problem in the words of git, or of somebody's function. */
export function discardOf(gate: string, problem: string): RunDiscard {
  return { gate, summary: `${escapeText(problem).replaceAll("\n", " ")}.`, details: [] };
}

/** Stores the result of a gate that started at `started`: a discard, or success. */
export function recordGate(
  context: RunContext,
  {
    name,
    started,
    failure,
  }: { readonly name: string; readonly started: number; readonly failure: RunDiscard | undefined },
): void {
  context.gates.push({
    name,
    ok: failure === undefined,
    ms: context.options.clock() - started,
    ...(failure === undefined ? {} : { detail: [failure.summary, ...failure.details].join("\n") }),
  });
}

/** Returns true if the run's end moves no branch. */
export function isWithoutCommit({ kind }: RunOutcome): boolean {
  return kind === "discarded" || kind === "unchanged";
}
