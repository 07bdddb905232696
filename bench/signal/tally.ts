import { CLASSES, type PlannedCase } from "./plan.ts";
import type { PlanOutcomes, TestOutcome } from "./run-plan.ts";

/** What a runner made of one class. */
export interface ClassTally {
  readonly name: string;
  readonly isNoise: boolean;
  /** Checks of something that was changed; of a class of noise, of what varies. */
  readonly checks: number;
  /** Those that failed, as they are to. Of a class of noise there is nothing to catch. */
  readonly caught: number;
  /** Checks that failed though nothing changed, or only what is allowed to. */
  readonly noise: number;
  /** Checks that have a cause, and those of which the right one was told. */
  readonly causes: number;
  readonly right: number;
  /** Lines that each failing test printed for its one change, the fewest first. */
  readonly lines: readonly number[];
  /** What is wrong, a sentence for each check. */
  readonly wrong: readonly string[];
}

/** Counts a plan's outcomes by class. */
export function tallyOf(plan: readonly PlannedCase[], outcomes: PlanOutcomes): readonly ClassTally[] {
  const byClass = Map.groupBy(plan, (one) => one.class);
  return CLASSES.map((name) => classTally(name, byClass.get(name) ?? [], outcomes));
}

/** The code of errors where keys do not fit: there is nothing to compare, so there is no cause. */
const NO_KEYS = "normalization_failed";

function classTally(name: string, cases: readonly PlannedCase[], { same, after }: PlanOutcomes): ClassTally {
  const isNoise = cases[0]?.isNoise === true;
  const found = cases.map((one) => ({ one, was: same.get(one.title), is: after.get(one.title) }));
  const failing = found.filter(({ is }) => is !== undefined && !isClean(is));
  const loud = found.filter(({ was, is }) => !isClean(was) || (isNoise && !isClean(is)));
  // An output whose keys are lost or stand twice cannot be compared: the check fails, and says where, but has no cause.
  const asked = found.filter(({ one, is }) => one.cause !== undefined && is?.told?.findings?.error?.code !== NO_KEYS);
  const misled = asked.filter(({ one, is }) => (is?.told?.findings?.cause?.kind ?? "none") !== one.cause);
  const silent = isNoise ? [] : found.filter(({ is }) => is === undefined || isClean(is));
  return {
    name,
    isNoise,
    checks: cases.length,
    caught: isNoise ? 0 : failing.length,
    noise: loud.length,
    causes: asked.length,
    right: asked.length - misled.length,
    lines: failing.map(({ is }) => changeLines(is?.message ?? "")).toSorted((a, b) => a - b),
    wrong: [
      ...silent.map(({ one }) => `false clean: ${one.title}`),
      ...loud.map(({ one, was, is }) => `noise: ${one.title}: ${kindOf(isClean(was) ? is : was)}`),
      ...misled.map(
        ({ one, is }) =>
          `cause of ${one.title}: ${is?.told?.findings?.cause?.kind ?? "none"} (${kindOf(is)}), not ${one.cause}`,
      ),
    ],
  };
}

/** Lines of a message on the change itself: without the file, the cause, the lines around a changed one and the advice. */
function changeLines(message: string): number {
  const [, ...lines] = message.split("\n");
  const body = lines.slice(lines.findIndex((line) => line !== ""));
  const end = body.indexOf("");
  const own = body.slice(0, end === -1 ? undefined : end).filter((line) => !OTHER_LINES.test(line));
  return Math.max(1, own.length);
}

const OTHER_LINES = /^ {2}__baselines__|^ {4}cause: |^ {4}adapter ".*" was called with|^ {6}(?:@@| {2})/;

/** The limits of lines per change, over all checks that failed: the median, and the 95th percentile. */
const LIMITS = [
  { name: "median", share: 0.5, most: 1 },
  { name: "p95", share: 0.95, most: 3 },
] as const;

/** Lines per change over all classes: a line for the table, and true if they are within the limits. */
export function linesPerChange(tallies: readonly ClassTally[]): { readonly text: string; readonly isWithin: boolean } {
  const all = tallies.flatMap(({ isNoise, lines }) => (isNoise ? [] : lines)).toSorted((a, b) => a - b);
  const figures = LIMITS.map((limit) => ({ ...limit, lines: at(all, limit.share) }));
  return {
    text: `lines per change: ${figures.map(({ name, lines, most }) => `${name} ${lines} (at most ${most})`).join(", ")}`,
    isWithin: figures.every(({ lines, most }) => lines <= most),
  };
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** A test that passed, whose report says the same. */
function isClean(outcome: TestOutcome | undefined): boolean {
  return outcome?.passed === true;
}

function kindOf(outcome: TestOutcome | undefined): string {
  return outcome?.told?.kind ?? outcome?.message.split("\n", 1)[0] ?? "no such test";
}

const WIDTHS = [52, 7, 7, 6, 12, 6] as const;

/** The table of a runner: a line for each class, and their sum. */
export function renderTally(tallies: readonly ClassTally[]): string {
  const sum = (field: "checks" | "caught" | "noise" | "causes" | "right", of = tallies): number =>
    of.reduce((total, tally) => total + tally[field], 0);
  const changes = tallies.filter(({ isNoise }) => !isNoise);
  const rows = tallies.map(({ name, isNoise, checks, caught, noise, causes, right, lines }) => [
    isNoise ? `${name} (noise)` : name,
    String(checks),
    isNoise ? "–" : String(caught),
    String(noise),
    causes === 0 ? "–" : `${right}/${causes}`,
    lines.length === 0 ? "–" : String(at(lines, 0.5)),
  ]);
  const total = [
    `${changes.length} classes of changes, ${tallies.length - changes.length} of noise`,
    String(sum("checks")),
    `${sum("caught")}/${sum("checks", changes)}`,
    String(sum("noise")),
    `${sum("right")}/${sum("causes")}`,
    "",
  ];
  return [["class", "n", "caught", "noise", "cause right", "lines"], ...rows, total].map(rowOf).join("\n");
}

function rowOf(cells: readonly string[]): string {
  return cells
    .map((cell, index) => (index === 0 ? cell.padEnd(WIDTHS[0]) : cell.padStart(Math.max(WIDTHS[index] ?? 0, 7))))
    .join(" ");
}
