import { escapeText, truncate } from "../base/text.ts";
import type { Change, Verdict } from "../check/verdict.ts";
import { formatEntry, formatValue } from "../diff/format-diff.ts";
import { formatPath } from "../diff/format-path.ts";
import { diff } from "../diff/diff.ts";
import type { DiffEntry } from "../diff/types.ts";
import type { RecordingMiss } from "../record/serve-adapters.ts";
import type { SchemaViolation } from "../replay/schema-violation.ts";
import type { MatcherUtils, UpdateMode } from "./context.ts";
import type { SettledCheck } from "./settle-check.ts";

/** Lines of one baseline's changes before the rest is only counted. */
const MAX_LINES_PER_CASE = 10;
/** Lines of all cases together: a failing test must not bury the run. */
const MAX_LINES = 40;
/** Characters of one value before the rest is only counted. */
const MAX_VALUE = 160;
/** Characters of one line: a path or a message may be as long as a value. */
const MAX_LINE = 500;

/** What was asked of a group of cases and how it came out. */
export interface FailureReport {
  /** The step, or what a value is called. */
  readonly subject: string;
  /** How it was asked, for example `recompute with recorded calls`. */
  readonly how: string;
  readonly settled: readonly SettledCheck[];
  readonly mode: UpdateMode;
  /** False where -u changes nothing because the matcher never proposes a change. */
  readonly updatable: boolean;
  readonly utils: MatcherUtils;
}

/** The failure message of a baseline matcher: a headline, each changed case with its class and changes, and what to do. */
export function explainFailures({ subject, how, settled, mode, updatable, utils }: FailureReport): string {
  const failures = settled.filter(({ pass }) => !pass);
  const { RECEIVED_COLOR: strong = same, DIM_COLOR: faint = same } = utils;
  const noun = settled.length === 1 ? "baseline" : "baselines";
  const headline = `${escapeText(subject)}: ${failures.length} of ${settled.length} ${noun} ${headVerb(failures)} ${faint(`(${how})`)}`;
  const lines = capped(failures.map(({ check }) => [`  ${check.file}  ${strong(check.verdict.kind)}`, ...caseLines(check.verdict).map(bounded)]));
  return [headline, "", ...lines, "", ...advice(failures, updatable ? mode : undefined)].join("\n").trimEnd();
}

/** The failure message where a step has no baseline at all. */
export function explainNone({ subject, directory, chosen, mode }: { readonly subject: string; readonly directory: string; readonly chosen: string; readonly mode: UpdateMode }): string {
  const found = `${escapeText(subject)}: no baseline${bounded(escapeText(chosen))} in ${directory}`;
  const capture = `Capture one first, in a test beside this one:\n\n  await expect(step).toMatchBaseline({ input, adapters })`;
  return mode === "none" ? `${found}\n\n${capture}\n\nand run it once where baselines may be written: not in CI, not with --ci.` : `${found}\n\n${capture}`;
}

/** The error of a baseline matcher under `.not`. */
export function explainNot(matcher: string): string {
  return `${matcher} cannot be used with .not: a baseline says what a result is, not what it is not. Assert the difference itself, e.g. expect(result.value.output.total).not.toBe("9.00").`;
}

/** The lines of one diff, for the matchers that compare without a file. */
export function diffLines(entries: readonly DiffEntry[]): string[] {
  const shown = entries.slice(0, MAX_LINES_PER_CASE).map((entry) => bounded(formatEntry(entry, MAX_VALUE)));
  const rest = entries.length - shown.length;
  return rest > 0 ? [...shown, `  … and ${rest} more ${rest === 1 ? "change" : "changes"}`] : shown;
}

/** A value on one line, safe to print and bounded. */
export function shownValue(value: unknown): string {
  return formatValue(value, MAX_VALUE);
}

/** An error's text, safe to print and bounded. */
export function shownError(text: string): string {
  return atMost(escapeText(text).split("\n").map(bounded), MAX_LINES_PER_CASE).join("\n");
}

/** The first `max` of some texts, and a count of those left out. */
export function atMost(texts: readonly string[], max: number): readonly string[] {
  return texts.length > max ? [...texts.slice(0, max), `… and ${texts.length - max} more`] : texts;
}

function headVerb(failures: readonly SettledCheck[]): string {
  const kinds = new Set(failures.map(({ check }) => check.verdict.kind));
  if (kinds.size === 1 && kinds.has("missing")) return "missing";
  return [...kinds].every((kind) => kind === "value_changed" || kind === "commands_changed") ? "changed" : "failed";
}

/** What a verdict has to show, one line each; every line is safe to print. */
function caseLines(verdict: Verdict): string[] {
  switch (verdict.kind) {
    case "clean":
    case "obsolete":
      return [];
    case "missing":
      return ["    there is no such baseline"];
    case "value_changed":
    case "commands_changed":
      return changeLines(verdict.changes);
    case "schema_violation":
      return [...verdict.violations.map(violationLine), ...changeLines(verdict.changes)];
    case "request_changed":
      return missLines(verdict.miss, verdict.recorded);
    case "failed":
      return textLines(`${verdict.error.code}: ${verdict.error.message}`);
    case "broken":
      return textLines(verdict.problem);
  }
}

function changeLines(changes: readonly Change[]): string[] {
  const entries = changes.flatMap(({ part, diff: { entries: found } }) =>
    part === "output" ? found : found.map((entry) => ({ ...entry, path: [part, ...entry.path] })),
  );
  const unknown = changes.filter(({ diff: { entries: found } }) => found.length === 0).map(({ part }) => `    ${part} differs from its stored hash`);
  return [...diffLines(entries).map((line) => `  ${line}`), ...unknown];
}

function violationLine({ path, kind, message }: SchemaViolation): string {
  return `    ${formatPath(path)}: ${escapeText(message).replaceAll("\n", " ")} (${kind})`;
}

function missLines({ adapter, request, reason, nearest, recorded, limit = 0 }: RecordingMiss, all: number): string[] {
  const who = `adapter ${JSON.stringify(adapter)}`;
  if (all === 0) return [`    ${who} was called, but this baseline has no recorded calls: it was captured from a result without them`];
  if (reason === "stream_exhausted") return [escapeText(`    ${who} was read past the end of its recorded stream (${limit} ${limit === 1 ? "chunk" : "chunks"})`)];
  const head = `    ${who} was called with a request that was not recorded (${recorded} recorded for it)`;
  if (nearest === undefined) return [escapeText(head)];
  const entries = diff(nearest.request, request).entries.map((entry) => ({ ...entry, path: ["request", ...entry.path] }));
  if (entries.length === 0) return [escapeText(`${head}: called again more often than recorded`)];
  return [escapeText(head), ...diffLines(entries).map((line) => `  ${line}`)];
}

function textLines(text: string): string[] {
  return escapeText(text).split("\n").map((line) => `    ${line}`);
}

/** Cuts the cases' lines at the cap, and counts the cases that are left out. */
function capped(cases: readonly (readonly string[])[]): string[] {
  const lines: string[] = [];
  for (const [index, own] of cases.entries()) {
    const room = MAX_LINES - lines.length;
    if (index > 0 && room < Math.min(own.length, 3)) return [...lines, `  … and ${cases.length - index} more ${cases.length - index === 1 ? "baseline" : "baselines"}`];
    const rest = own.length - room;
    lines.push(...own.slice(0, room), ...(rest > 0 ? [`    … and ${rest} more ${rest === 1 ? "line" : "lines"}`] : []));
  }
  return lines;
}

/** What to do next, for the classes that occurred. */
function advice(failures: readonly SettledCheck[], mode: UpdateMode | undefined): string[] {
  const has = (...kinds: Verdict["kind"][]): boolean => failures.some(({ check }) => kinds.includes(check.verdict.kind));
  const changed = has("value_changed", "commands_changed");
  return [
    ...(changed && mode === undefined ? ["A replay never updates. Make the step deterministic, or accept the change where it is recomputed (toRecomputeClean, -u)."] : []),
    ...(changed && (mode === "new" || mode === "none") ? ["Read the changes; accept them with -u."] : []),
    ...(changed && mode === "all" ? ["Not accepted: the same case came out in two ways in one run. Make the step deterministic, or name its cases."] : []),
    ...(has("missing") ? ["Capture it by running the test where baselines may be written: not in CI, not with --ci."] : []),
    ...(has("request_changed") ? [`Record the calls anew: give ${mode === undefined ? "toRecomputeClean" : "the matcher"} today's adapters ({ adapters }) and run with -u.`] : []),
    ...(has("schema_violation") ? ["-u does not accept what the schema refuses: mend the step or its schema, or delete the baseline and capture it again."] : []),
    ...(has("failed") ? ["-u accepts no failures: mend the step, or delete the baseline if the case is gone."] : []),
  ];
}

function bounded(line: string): string {
  return truncate(line, MAX_LINE);
}

function same(text: string): string {
  return text;
}
