import type { ReceiptDraft } from "../../updates/receipts/receipt.ts";
import { type ChangedFile, isNoContent } from "./changes.ts";
import { shortName } from "./repository.ts";
import { durationText } from "../../kernel/duration.ts";
import { commandLine } from "../../kernel/files/command-line.ts";
import type { RunContext, RunDiscard, RunOutcome } from "./run-options.ts";

/** Limits of a run's checks, by the gate that failed. */
const BLIND_SPOTS: readonly (readonly [RegExp, string])[] = [
  [
    /^command$/,
    "The steps of the command are unknown, because veritest only records its exit code and its last output.",
  ],
  [/^diff$/, "Only the changes of files were checked, not whether the work is right."],
  [/^check /, "The checks stop at the first failure, so later checks weren't run."],
  [
    /^fresh check /,
    "The check passed in the command's worktree and fails without what git doesn't store: an ignored or " +
      "untracked file, or a result that differs from run to run.",
  ],
  [
    /^approve$/,
    "All checks passed, but policy.approve refused the commit. Ask the maintainer of the policy for the reason.",
  ],
];
const OTHER_BLIND_SPOT = "The work wasn't checked completely.";

/** Writes a note that a run begins. */
export function noteStart(context: RunContext): void {
  const { command, budgetMs } = context.options;
  note(context, {
    type: "run_started",
    body: `${commandLine(command)}, within ${durationText(budgetMs)}`,
    refs: [`commit:${context.repository.base}`],
  });
}

/** The receipt of a run in its current state: of the commit it is about to make, or of its end without one. */
export function draftReceipt(
  context: RunContext,
  kind: "run" | "discard",
  changes: readonly ChangedFile[],
): ReceiptDraft {
  const { options, repository, gates } = context;
  return {
    txId: options.runId,
    kind,
    at: new Date(options.clock()).toISOString(),
    run: options.runId,
    actor: options.actor,
    reason: options.workItem,
    scope: "run",
    gitHead: repository.base,
    dirty: false,
    gates: [...gates],
    changes: changes.flatMap(changeEntries),
    versions: options.versions,
  };
}

/** Writes the notes of a run's end; a run that was discarded also gets its receipt. */
export function noteEnd(context: RunContext, outcome: RunOutcome, changes: readonly ChangedFile[]): void {
  switch (outcome.kind) {
    case "committed":
      note(context, {
        type: "committed",
        body: `${outcome.files} files on ${shortName(outcome.target)}`,
        refs: [outcome.receipt, `commit:${outcome.commit}`],
      });
      return;
    case "unchanged":
      note(context, {
        type: "discarded",
        body: "The command didn't change any files.",
        refs: [context.options.receipts.append(draftReceipt(context, "discard", []))],
      });
      return;
    case "discarded":
      noteFailure(context, outcome.failure, changes);
      return;
    case "pending":
      note(context, { type: "request_help", body: outcome.problem });
      return;
    case "refused":
      return;
  }
}

function noteFailure(context: RunContext, failure: RunDiscard, changes: readonly ChangedFile[]): void {
  const { options, repository } = context;
  const receipt = options.receipts.append(draftReceipt(context, "discard", changes));
  const [added, removed] = (["added", "removed"] as const).map((side) =>
    changes.reduce((sum, file) => sum + file[side], 0),
  );
  note(context, {
    type: "gate_failed",
    body: [`${failure.gate}: ${failure.summary}`, ...failure.details].join("\n"),
    refs: [receipt],
  });
  note(context, {
    type: "hypothesis",
    body: `In its current state, ${commandLine(options.command)} can't finish the work item: ${failure.summary}`,
    test: `${testOf(context, failure)} in a worktree of ${repository.base.slice(0, 12)}`,
    budget: durationText(options.budgetMs),
    refs: [receipt],
  });
  note(context, {
    type: "hyperthesis",
    body: `The changes weren't committed, because this check failed: ${failure.gate}.`,
    blindSpot: BLIND_SPOTS.find(([gate]) => gate.test(failure.gate))?.[1] ?? OTHER_BLIND_SPOT,
    bound:
      `No change reached ${shortName(repository.target)}: ` +
      `${changes.length} files (+${added} -${removed} lines) were discarded.`,
    refs: [receipt],
  });
  note(context, { type: "discarded", body: failure.summary, refs: [receipt] });
}

/** Test that shows that the failure is fixed: the check, or the complete run. */
function testOf({ options }: RunContext, { gate }: RunDiscard): string {
  const check = options.checks.find(({ name }) => gate === `check ${name}` || gate === `fresh check ${name}`);
  return commandLine(check?.run ?? options.command);
}

type NoteParts =
  | {
      readonly type: "run_started" | "committed" | "discarded" | "gate_failed" | "request_help";
      readonly body: string;
      readonly refs?: readonly string[];
    }
  | {
      readonly type: "hypothesis";
      readonly body: string;
      readonly test: string;
      readonly budget: string;
      readonly refs: readonly string[];
    }
  | {
      readonly type: "hyperthesis";
      readonly body: string;
      readonly blindSpot: string;
      readonly bound: string;
      readonly refs: readonly string[];
    };

function note({ options }: RunContext, parts: NoteParts): void {
  options.note({
    run: options.runId,
    item: options.workItem,
    ...(options.mood === undefined ? {} : { mood: options.mood }),
    ...parts,
  });
}

function changeEntries(file: ChangedFile): ReceiptDraft["changes"] {
  const id = (hash: string): string | null => (isNoContent(hash) ? null : `git:${hash}`);
  if (file.kind !== "renamed") return [{ target: file.path, before: id(file.oldId), after: id(file.newId) }];
  return [
    { target: file.oldPath, before: id(file.oldId), after: null },
    { target: file.path, before: null, after: id(file.newId) },
  ];
}
