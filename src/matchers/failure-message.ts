import { processEnvironment } from "../kernel/environment.ts";
import { join } from "node:path";
import { escapeText } from "../kernel/text.ts";
import { displayPath } from "../baseline/baseline-library.ts";
import { groupDirectory } from "../baseline/baseline-paths.ts";
import type { Check } from "../check/check.ts";
import { isPassing } from "../check/handle-update.ts";
import { isOutage } from "../check/outage.ts";
import type { Verdict } from "../check/verdict.ts";
import { NETWORK_REFUSED } from "../check/network-access.ts";
import { HASH_ONLY } from "../check/verify-snapshot.ts";
import { shapeOfCheck } from "../explain/check-findings.ts";
import { type ShapeGroup, type ShapedChange, groupChanges } from "../explain/change-groups.ts";
import { acceptGroupCommand, groupText, showsGroups, groupCountsText, shownGroups } from "../explain/group-lines.ts";
import { isVerbose } from "../explain/environment-preferences.ts";
import { checkLines, textLines } from "../explain/check-lines.ts";
import type { UpdateMode } from "../kernel/write-policy.ts";
import type { MatcherResult, MatcherUtils } from "./matcher-context.ts";
import { type CaseFilter, describeFilter } from "./filter-cases.ts";
import { unusedRules } from "./unused-rules.ts";
import { bounded, reviewCommandLine } from "./matcher-text.ts";

/** Lines of all cases together: a failing test must not bury the run. */
const MAX_LINES = 40;

/** What requests past the adapters are recorded under. */
const RECORDED = /^(?:fetch|model\.(?:generate|stream))$/;

/** What was asked of a group of cases and how it came out. */
export interface FailureReport {
  /** The step, or what a value is called. */
  readonly subject: string;
  /** How it was asked, for example `recompute with recorded calls`. */
  readonly how: string;
  readonly settled: readonly Check[];
  readonly mode: UpdateMode;
  /** False where -u changes nothing because the matcher never proposes a change. */
  readonly updatable: boolean;
  /** The command that records the calls of this test anew; absent where the matcher never does. */
  readonly rerun?: (() => string) | undefined;
  /** True where the test gives adapters that such a run could call. */
  readonly given?: boolean | undefined;
  /** Files of cases that this test has written already: it gave another answer for them before. */
  readonly written?: ReadonlySet<string> | undefined;
  /** Whether each case is told, and not an example of each kind of change. */
  readonly all?: boolean | undefined;
  readonly utils: MatcherUtils;
}

/**
 * The failure message of a baseline matcher: a headline, each changed case with its class and changes, and what to do.
 */
export function explainFailures(report: FailureReport): string {
  const { subject, how, settled, utils } = report;
  const failures = settled.filter((check) => !isPassing(check));
  const { RECEIVED_COLOR: strong = same, DIM_COLOR: faint = same } = utils;
  const noun = settled.length === 1 ? "baseline" : "baselines";
  // Escaped with the colon behind it: of a subject named `:` the log of a CI job would obey the line.
  const head = escapeText(`${subject}: ${failures.length} of ${settled.length} ${noun} ${headVerb(failures)}`);
  const headline = `${head} ${faint(`(${how})`)}`;
  const told = (check: Check): string[] => [
    `  ${check.file}  ${strong(check.verdict.kind)}`,
    ...checkLines(check),
    ...refusalLines(check),
  ];
  const all = report.all ?? isVerbose(processEnvironment());
  const groups = groupChanges(failures, shapedCheck);
  const lines =
    showsGroups(failures.length, groups) && !all
      ? groupedLines(groups, { told, strong })
      : capped(failures.map(told), all ? Infinity : MAX_LINES);
  const idle = unusedRules(settled).map(bounded);
  return [headline, "", ...lines, "", ...idle, ...advice(failures, report)].join("\n").trimEnd();
}

/** The failure message where a step has no baseline at all. */
export function noBaselineMessage({
  subject,
  directory,
  chosen,
  mode,
}: {
  readonly subject: string;
  readonly directory: string;
  readonly chosen: string;
  readonly mode: UpdateMode;
}): string {
  const found = `${escapeText(`${subject}: no baseline`)}${bounded(escapeText(chosen))} in ${directory}`;
  const call = "await expect(step).toMatchBaseline({ input, adapters })";
  const capture = `Capture one first, in a test beside this one:\n\n  ${call}`;
  return mode === "none"
    ? `${found}\n\n${capture}\n\nand run it once where baselines may be written: not in CI, not with --ci.`
    : `${found}\n\n${capture}`;
}

function headVerb(failures: readonly Check[]): string {
  const kinds = new Set(failures.map(({ verdict }) => verdict.kind));
  if (kinds.size === 1 && kinds.has("missing")) return "missing";
  return [...kinds].every((kind) => CHANGED.has(kind)) ? "changed" : "failed";
}

/** Why a change cannot be accepted as it was shown. */
function refusalLines({ updateState }: Check): string[] {
  return typeof updateState === "object" ? textLines(updateState.refused.message) : [];
}

function shapedCheck(check: Check): ShapedChange {
  const baseline = check.path.replaceAll("\\", "/");
  return { baseline, step: "", shape: shapeOfCheck(check) };
}

/** Each kind of change with an example, and what is left of the lines shared out among them. */
function groupedLines(
  groups: readonly ShapeGroup<Check>[],
  { told, strong }: { readonly told: (check: Check) => readonly string[]; readonly strong: (text: string) => string },
): string[] {
  const { told: shown, rest } = shownGroups(groups);
  const room = Math.max(2, Math.floor(MAX_LINES / shown.length) - 1);
  const lines = shown.flatMap((group) => {
    const [example] = group.members;
    const head = bounded(oneLine(groupText(group)));
    const own = example === undefined ? [] : told(example).filter((line) => !includesText(head, line));
    const left = own.length - room;
    const waits = group.members.some(({ updateState }) => updateState === "held");
    return [
      `  ${strong(head)}${waits ? `  ${group.id}` : ""}`,
      ...own.slice(0, room).map((line) => `  ${line}`),
      ...(left > 0 ? [`      … and ${left} more ${left === 1 ? "line" : "lines"}`] : []),
    ];
  });
  return [`${groupCountsText(groups)}:`, "", ...lines, ...(rest === undefined ? [] : [`  ${rest}`])];
}

/** Whether the line of a kind has this one of its example word for word: where every value is the same. */
function includesText(head: string, line: string): boolean {
  const words = ` ${line.trim()}`;
  return head.includes(`${words}, `) || head.includes(`${words} (`) || head.endsWith(words);
}

function oneLine(text: string): string {
  return escapeText(text).replaceAll("\n", "\\n");
}

/** Cuts the cases' lines at the cap, and counts the cases that are left out. */
function capped(cases: readonly (readonly string[])[], most: number): string[] {
  const lines: string[] = [];
  for (const [index, own] of cases.entries()) {
    const room = most - lines.length;
    if (index > 0 && room < Math.min(own.length, 3))
      return [
        ...lines,
        `  … and ${cases.length - index} more ${cases.length - index === 1 ? "baseline" : "baselines"}`,
      ];
    const rest = own.length - room;
    lines.push(...own.slice(0, room), ...(rest > 0 ? [`    … and ${rest} more ${rest === 1 ? "line" : "lines"}`] : []));
  }
  return lines;
}

/** The classes of cases that came out otherwise than their baselines say. */
const CHANGED: ReadonlySet<Verdict["kind"]> = new Set([
  "value_changed",
  "calls_changed",
  "commands_changed",
  "events_changed",
]);

/** Of what does not replay, or cannot be stored, its own lines say what to do: -u refuses it. */
function isAcceptable({ verdict, updateState }: Check): boolean {
  return CHANGED.has(verdict.kind) && typeof updateState !== "object";
}

/** What to do next, for the classes that occurred. */
function advice(failures: readonly Check[], report: FailureReport): string[] {
  const mode = report.updatable ? report.mode : undefined;
  const has = (...kinds: Verdict["kind"][]): boolean => failures.some(({ verdict }) => kinds.includes(verdict.kind));
  const isScripted = failures.some(({ scripted }) => scripted !== undefined);
  const changed = has(...CHANGED) && !isScripted;
  const twice = failures.some((check) => report.written?.has(check.path) === true);
  return [
    ...(isScripted && has(...CHANGED)
      ? ["Nothing is accepted from a script. Accept it where today's adapters answer: without mode, with -u."]
      : []),
    ...(changed && mode === undefined
      ? [
          "A replay never updates. If the change is meant, run once with -u with " +
            "await expect(step).toRecomputeClean() in the place of toReplay; else mend the step.",
        ]
      : []),
    ...(failures.some(isAcceptable) && !isScripted && (mode === "new" || mode === "none") && !twice
      ? [acceptance(failures, mode)]
      : []),
    ...(changed && (mode === "all" || (mode !== undefined && twice))
      ? ["Not accepted: the same case came out in two ways in one run. Make the step deterministic, or name its cases."]
      : []),
    ...(has("missing") ? [capture(failures, report.mode)] : []),
    ...(has("schema_violation")
      ? [
          "-u does not accept what the schema refuses: mend the step or its schema, " +
            "or delete the baseline and capture it again.",
        ]
      : []),
    ...failedAdvice(failures.filter(isOfStep)),
    // Last, because it ends in a command that stands by itself.
    ...(has("request_changed")
      ? recording(report, failures.some(isRecorded) ? "{ adapters: {} }" : "{ adapters }")
      : []),
  ];
}

/** Codes of failures whose messages say what to do, which is not to mend the step. */
const ADVISED: ReadonlySet<string> = new Set([
  HASH_ONLY,
  NETWORK_REFUSED,
  "effect_unanswered",
  "input_hidden",
  "no_adapters",
  "normalization_failed",
  "not_replayable",
  "not_storable",
  "tape_missing",
]);

/** Tells whether a case failed by what its step does. */
function isOfStep({ verdict }: Check): boolean {
  return verdict.kind === "failed" && !ADVISED.has(verdict.error.code);
}

/** What to do about failures whose own lines do not say it. A new case has no baseline that could be deleted. */
function failedAdvice(failures: readonly Check[]): string[] {
  const away = failures.filter(isOutage);
  const own = failures.filter((failure) => !isOutage(failure));
  return [
    ...(away.some(({ source }) => source === "live") ? [OUTAGE] : []),
    ...(away.some(({ source }) => source !== "live") ? [OUTAGE_BEYOND] : []),
    ...(own.some((check) => !isNewFailure(check))
      ? ["-u accepts no failures: mend the step, or delete the baseline if the case is gone."]
      : []),
    ...(own.length > 0 && own.every(isNewFailure) ? ["Nothing is captured of a failure: mend it, and run again."] : []),
  ];
}

const OUTAGE =
  "A service that a live adapter asked is busy or away: nothing is wrong with the step. Run it again later, " +
  "or on recorded answers: VERITEST_ADAPTERS=recorded.";
const OUTAGE_BEYOND =
  "A service that the step asked past its adapters is busy or away: nothing is wrong with the step. " +
  "Run it again later, or ask it through an adapter or a tape, whose answers are recorded.";

function capture(failures: readonly Check[], mode: UpdateMode): string {
  const held = failures.some(({ verdict, updateState }) => verdict.kind === "missing" && updateState === "held");
  return held
    ? `What it came to is held: read and accept it with: ${reviewCommandLine(mode)}`
    : "Capture it by running the test where baselines may be written: not in CI, not with --ci.";
}

/** Tells whether a request was made past the adapters: then there are none to give. */
function isRecorded({ verdict }: Check): boolean {
  return verdict.kind === "request_changed" && RECORDED.test(verdict.unrecorded.adapter);
}

function recording({ updatable, rerun, given = false }: FailureReport, adapters: string): string[] {
  if (!updatable)
    return [`Record the calls anew: give toRecomputeClean today's adapters (${adapters}) and run with -u.`];
  if (rerun === undefined)
    return [`Record the calls anew: give the matcher today's adapters (${adapters}) and run with -u.`];
  return [
    given
      ? "Is the new request meant? Record its answer:"
      : `Is the new request meant? Give the matcher today's adapters (${adapters}) and record its answer:`,
    "",
    `  ${rerun()}`,
  ];
}

/**
 * Accepting with -u runs the step again, which with a live model may accept what nobody saw; accepting what is held
 * does not.
 */
function acceptance(failures: readonly Check[], mode: UpdateMode): string {
  const held = failures.filter(({ updateState }) => updateState === "held");
  const many = showsGroups(failures.length, groupChanges(failures, shapedCheck));
  const place = mode === "none" ? "upload" : "project";
  const [first] = many ? groupChanges(held, shapedCheck) : [];
  const kind = first === undefined ? "" : `, or one kind with: ${acceptGroupCommand(first.id, place)}`;
  return held.length > 0
    ? `Read the changes; accept them with -u, or exactly these with: ${reviewCommandLine(mode)}${kind}`
    : "Read the changes; accept them with -u.";
}

function same(text: string): string {
  return text;
}

/** A sweep that found no stored case. */
export interface NoCasesRequest {
  readonly step: string;
  readonly root: string;
  readonly mode: UpdateMode;
  readonly options: CaseFilter;
}

/** The answer where a sweep finds nothing: a sweep that checks nothing must not pass. */
export function noCases({ step, root, mode, options }: NoCasesRequest): MatcherResult {
  const directory = `${displayPath(join(root, groupDirectory(step)))}/`;
  return {
    pass: false,
    message: () => noBaselineMessage({ subject: step, directory, chosen: describeFilter(options), mode }),
  };
}

function isNewFailure({ verdict }: Check): boolean {
  return verdict.kind === "failed" && verdict.isNew === true;
}
