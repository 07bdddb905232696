import { resolve } from "node:path";
import { displayPath } from "../baseline/baseline-library.ts";
import { pathInBaselines } from "../baseline/baseline-paths.ts";
import { groupChanges } from "../explain/change-groups.ts";
import { projectCommand } from "../explain/rerun-command.ts";
import { shapeText, shownGroups } from "../explain/group-lines.ts";
import { isVerdictKind } from "../check/verdict.ts";
import { countCells, fitMiddle, fitToCells, printable } from "../kernel/terminal-cells.ts";
import { type DroppedChange, droppedText } from "../updates/pending/tidy-pending.ts";
import type { UnjudgedReason } from "./run/find-obsolete.ts";
import type { RunUpdateResult } from "../updates/apply-run.ts";
import { keyOf } from "../updates/pending/key-of.ts";
import type { Remark, BaselineOutcome } from "./outcomes.ts";
import { type LiveTotals, liveText } from "../explain/live-totals.ts";
import { formatCount, pendingCount, plainCount, reviewLine } from "../explain/wording.ts";

/** Maximum number of files of one kind before the rest is only counted. */
const MAX_FILES = 5;
const INDENT = "             ";
/** Indent of the rest of a line that is wrapped. */
const HANG = `${INDENT}    `;
/** Columns of every terminal, and of a name in a line. */
const COLUMNS = 80;
const MAX_NAME = 28;
/** Keys in a command. */
const MAX_KEYS = 3;

/** Effects of a run on the baselines, for the lines below the runner's own summary. */
export interface RunEffects {
  readonly outcomes: readonly BaselineOutcome[];
  readonly obsolete: readonly string[];
  /** True if the obsolete baselines were removed. */
  readonly removed: boolean;
  /** Number of unused baselines that the run can't judge, by reason. */
  readonly unjudged?: ReadonlyMap<UnjudgedReason, number>;
  /** True in CI that names a state directory. Pending changes are then accepted by somebody who downloads it. */
  readonly uploads?: boolean;
  /** True if the run wrote a page, whose file is named below. */
  readonly hasPage?: boolean;
  /** True under -u. */
  readonly update?: boolean;
  /** Undefined if the run made no updates. */
  readonly updateResult: RunUpdateResult | undefined;
  readonly dropped: readonly DroppedChange[];
  /** Remarks of passing checks, a line per file. */
  readonly remarks: readonly Remark[];
  /** How to record the requests of several tests: a sentence and a command. */
  readonly rerun?: readonly string[];
  /** Live calls of all its attempts; absent without any. */
  readonly live?: LiveTotals | undefined;
  /** Other problems, one sentence each. */
  readonly problems: readonly string[];
}

/** The lines of a run's end: one with counts by class, then files to look at. No lines for a run without baselines. */
export function renderSummary(summary: RunEffects): string[] {
  const { outcomes, obsolete, removed, updateResult, dropped } = summary;
  const problems = [...unjudgedLines(summary.unjudged), ...summary.problems];
  const lines = updateLines(summary);
  const kinds = kindLines(outcomes, updateResult);
  const isEmpty = outcomes.length + obsolete.length + problems.length + dropped.length + lines.length === 0;
  if (isEmpty && summary.live === undefined) return [];
  const groups = Map.groupBy(outcomes, ({ outcome }) => outcome);
  const counts = [...groups]
    .toSorted(([a], [b]) => order(a) - order(b))
    .map(([outcome, of]) => `${of.length} ${outcome}`);
  const heads =
    obsolete.length === 0 ? counts : [...counts, `${obsolete.length} obsolete${removed ? ", removed" : ""}`];
  const hint = removed ? "removed" : obsoleteHint(updateResult);
  return [
    ...wrapped(`  Baselines  ${heads.join(", ") || "none checked"}`, /(?<=,) /),
    ...kinds,
    ...(summary.rerun ?? []).map((line, index) => `${INDENT}${index === 0 ? line : `  ${line}`}`),
    ...listing(pathsOf(groups, "captured"), "captured: read and commit"),
    ...listing(pathsOf(groups, "updated"), "updated: read and commit"),
    ...listing(pathsOf(groups, "not written"), "not written"),
    ...listing(
      pathsOf(groups, "incomplete"),
      `may or may not contain the update. Run: ${projectCommand("npx veritest doctor", updateResult?.root)}`,
    ),
    ...listing(obsolete, hint),
    ...lines,
    ...remarkLines(summary.remarks),
    ...droppedLines(dropped),
    ...problems.flatMap((problem) => problem.split("\n").map((line) => `${INDENT}${line}`)),
    ...(summary.live === undefined ? [] : [`  Live       ${liveText(summary.live)}`]),
  ];
}

/** Line that names a report's file. */
export function reportLine(path: string): string {
  return `  Report     ${displayPath(path)}`;
}

const UNJUDGED: Readonly<Record<UnjudgedReason, string>> = {
  incomplete: "tests that might use them were skipped or failed",
  outside: "this run excludes test files that might use them",
  projects: "this run may exclude projects that use them",
  untested: "their project ran no tests",
};

function unjudgedLines(unjudged: ReadonlyMap<UnjudgedReason, number> = new Map()): string[] {
  return [...unjudged].map(
    ([reason, count]) => `${plainCount(count, "unused baseline")} not judged: ${UNJUDGED[reason]}`,
  );
}

function obsoleteHint(updateResult: RunUpdateResult | undefined): string {
  const removes = (changes: RunUpdateResult["pending"] = []): boolean => changes.some(({ kind }) => kind === "remove");
  if (removes(updateResult?.pending)) return "obsolete: no test uses it; its removal is pending";
  return removes(updateResult?.incomplete)
    ? "obsolete: no test uses it; its removal is incomplete"
    : "obsolete: no test uses it; remove with -u, or delete it";
}

/** Explains why -u left changed inputs pending, and names the command that accepts them. */
function unreplacedLines({ unreplaced = [], root }: RunUpdateResult): string[] {
  if (unreplaced.length === 0) return [];
  const keys = unreplaced.map(keyOf);
  const command = keys.length > MAX_KEYS ? "npx veritest review" : `npx veritest accept ${keys.join(" ")}`;
  const keeps = unreplaced.some(({ replaces }) => replaces === undefined);
  return [
    ...wrapped(`${INDENT}-u replaces the baseline of an earlier input only if all tests run and pass.`),
    ...(keeps ? wrapped(`${INDENT}Accepting keeps the earlier baseline if a test that didn't run may use it.`) : []),
    `${INDENT}To accept the new input${keys.length === 1 ? "" : "s"}: ${projectCommand(command, root)}`,
  ];
}

function updateLines({ updateResult, uploads, hasPage, update }: RunEffects): string[] {
  if (updateResult === undefined) return [];
  const { pending, incomplete, reasons, failing, earlier } = updateResult;
  const count = pending.length + incomplete.length + failing.length;
  return [
    ...reasons.flatMap((reason) =>
      `${incomplete.length > 0 ? "" : "pending: "}${reason}`.split("\n").flatMap((line) => wrapped(`${INDENT}${line}`)),
    ),
    ...(update === true && uploads !== true ? unreplacedLines(updateResult) : []),
    ...(count === 0
      ? []
      : commandLines(pendingCount(count, earlier), uploads === true ? undefined : updateResult.root).map(
          (line) => `${INDENT}${line}`,
        )),
    ...(count === 0 || hasPage === true
      ? []
      : [`${INDENT}To see the changes as a page, run again with VERITEST_REPORT=html`]),
  ];
}

/** A line in pieces that fit: no word is split, so that a path can be copied. */
function wrapped(line: string, gap: RegExp = / /): string[] {
  const [first = "", ...words] = line.slice(INDENT.length).split(gap);
  return words.reduce<string[]>(
    (pieces, word) => {
      const longer = `${pieces.at(-1)} ${word}`;
      return countCells(longer) <= COLUMNS ? [...pieces.slice(0, -1), longer] : [...pieces, `${HANG}${word}`];
    },
    [line.slice(0, INDENT.length) + first],
  );
}

/** Command that shows pending changes in the terminal: those of a project, or without one, those of an upload. */
function commandLines(pending: string, root: string | undefined): string[] {
  return root === undefined
    ? [`${pending} in CI's state directory. Download it, then`, reviewLine("upload")]
    : [`${pending}: ${projectCommand(reviewLine("project"), root)}`];
}

/** A line for each group of changes, the riskiest first, then for each class of the other problems of a step. */
function kindLines(outcomes: readonly BaselineOutcome[], updateResult: RunUpdateResult | undefined): string[] {
  const { pending = [], failing = [], root = "" } = updateResult ?? {};
  const changes = [...pending, ...failing];
  const changed = new Set(changes.map(({ target }) => resolve(root, target)));
  const shapes = [
    ...changes.map(({ target, group, verdict, shape }) => ({
      isPending: true,
      shaped: { baseline: target, step: group, shape: shape ?? { kind: verdict, cause: null, lines: [] } },
    })),
    ...outcomes.flatMap(({ path, outcome, shape: known }) => {
      if (!isVerdictKind(outcome) || outcome === "clean" || changed.has(path)) return [];
      const shape = known ?? { kind: outcome, cause: null, lines: [] };
      return [{ isPending: false, shaped: { baseline: path, step: stepOf(path), shape } }];
    }),
  ];
  const { listed, rest } = shownGroups(groupChanges(shapes, ({ shaped }) => shaped));
  // Only a pending group can be accepted by its ID.
  const hasIds = listed.some(({ members: [first] }) => first?.isPending === true);
  const lines = listed.map((group) => {
    const [first] = group.members;
    const id = first?.isPending === true ? group.id : "–".padEnd(group.id.length);
    // The file says more than the step only if no path does.
    const isNamed = group.count > 1 || group.lines.length > 0;
    const name = isNamed ? group.step : pathInBaselines(first?.shaped.baseline ?? "");
    const shape = shapeText(group).replace(/^(?:calls|commands)_changed: /, "");
    const what = `${formatCount(group.count)} × ${fitMiddle(printable(name), MAX_NAME)}  ${shape}`;
    return fitToCells(printable(`${INDENT}${hasIds ? `${id}  ` : ""}${what}`), COLUMNS);
  });
  return rest === undefined ? lines : [...lines, `${INDENT}${rest}`];
}

function remarkLines(remarks: readonly Remark[]): string[] {
  const groups = [...Map.groupBy(remarks, ({ text }) => text)];
  const lines = groups.slice(0, MAX_FILES).map(([text, all]) => {
    const width = Math.max(MAX_NAME, COLUMNS - INDENT.length - 2 - text.length);
    return `${INDENT}${remarkSubject(all, width)}  ${text}`;
  });
  const rest = groups.length - lines.length;
  return rest > 0 ? [...lines, `${INDENT}… and ${rest} more such ${rest === 1 ? "line" : "lines"}`] : lines;
}

/** Names the baseline of a remark, with its step even if its path is cut, or the first step of several. */
function remarkSubject(remarks: readonly Remark[], width: number): string {
  const [first] = remarks;
  if (first !== undefined && remarks.length === 1) {
    const path = displayPath(first.path);
    return countCells(path) <= width ? path : fitMiddle(pathInBaselines(path), width);
  }
  const steps = new Set(remarks.map(({ path }) => pathInBaselines(displayPath(path)).replace(/\/[^/]*$/, "")));
  const [step = "", ...otherSteps] = [...steps].toSorted();
  const rest = otherSteps.length === 0 ? "" : ` and ${plainCount(otherSteps.length, "other step")}`;
  return `${remarks.length} baselines of ${fitMiddle(printable(step), MAX_NAME)}${rest}`;
}

/** Reasons without a check of the baseline, so that no other line of the run names its file. */
const UNCHECKED: ReadonlySet<DroppedChange["reason"]> = new Set(["written meanwhile", "changed meanwhile", "expired"]);

function droppedLines(dropped: readonly DroppedChange[]): string[] {
  const byReason = [...Map.groupBy(dropped, ({ reason }) => reason)];
  return byReason.flatMap(([reason, changes]) => {
    const text = droppedText(changes.length, reason);
    return UNCHECKED.has(reason)
      ? listing(
          changes.map(({ change }) => change.target),
          text,
        )
      : [`${INDENT}${text}`];
  });
}

function pathsOf(groups: ReadonlyMap<string, readonly BaselineOutcome[]>, outcome: string): string[] {
  return (groups.get(outcome) ?? []).map(({ path }) => path);
}

/** Files of one kind, below the kind. Long paths lose their middle. */
function listing(paths: readonly string[], what: string): string[] {
  if (paths.length === 0) return [];
  const width = COLUMNS - INDENT.length - 2;
  const lines = paths.slice(0, MAX_FILES).map((path) => `${INDENT}  ${fitMiddle(displayPath(path), width)}`);
  const rest = paths.length - lines.length;
  return [`${INDENT}${what}`, ...lines, ...(rest > 0 ? [`${INDENT}  … and ${rest} more`] : [])];
}

/** Step of a baseline, by its directory. */
function stepOf(path: string): string {
  return path.split(/[\\/]/).at(-2) ?? "";
}

/** Order of outcomes: good news first, problems at the end of the sentence. */
function order(outcome: string): number {
  const index = ["clean", "captured", "updated", "pending", "not written", "incomplete"].indexOf(outcome);
  return index === -1 ? 6 : index;
}
