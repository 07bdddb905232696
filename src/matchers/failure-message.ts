import { KEY_MISSING } from "../kernel/missing-key.ts";
import { processEnvironment, readFlag } from "../kernel/environment.ts";
import { join } from "node:path";
import { oneLine } from "../kernel/printed.ts";
import { escapeText } from "../kernel/text.ts";
import { displayPath } from "../baseline/baseline-library.ts";
import { groupDirectory } from "../baseline/baseline-paths.ts";
import { type Check, isRebased } from "../check/check.ts";
import { MODEL_FAILED } from "../check/outages/lost-model-responses.ts";
import { isPassing } from "../check/update/stage-update.ts";
import type { ServiceFailure } from "../check/cause/cause.ts";
import { serviceFailureOf } from "../check/outages/failure-of-check.ts";
import type { Verdict } from "../check/verdict.ts";
import { NETWORK_REFUSED } from "../check/run/network-access.ts";
import { HASH_ONLY } from "../check/run/snapshot-integrity.ts";
import { shapeOfCheck } from "../explain/check-findings.ts";
import { type ShapeGroup, type ShapedChange, exampleGroup, groupChanges } from "../explain/change-groups.ts";
import { groupCountsText, groupText, shapeText, shownGroups, showsGroups } from "../explain/group-lines.ts";
import { checkLines, textLines } from "../explain/check-lines.ts";
import type { UpdateMode } from "../kernel/write-policy.ts";
import type { InputChange } from "../updates/gates/changed-inputs.ts";
import type { MatcherResult, MatcherUtils } from "./matcher-context.ts";
import type { TestSession } from "./test-session.ts";
import { changedInputsOf, inputLines } from "./changed-inputs.ts";
import { RECORDER_MISSING } from "../record/interceptors/recorders.ts";
import { type CaseFilter, describeFilter } from "./filter-cases.ts";
import { type RecordingReport, recordingAdvice } from "./recording-advice.ts";
import { captureAdvice, newInputAdvice } from "./capture-advice.ts";
import { keyByHints } from "./key-by-hint.ts";
import { SHARED_NAME, changedInputLines } from "./shared-names.ts";
import { unusedRules } from "./unused-rules.ts";
import { bounded } from "./matcher-text.ts";
import { reviewCommandOf } from "./pending-commands.ts";

/** Lines of all cases together: a failing test must not bury the run. */
const MAX_LINES = 40;

/** Checks of a group of cases, with the context of the matcher that made them. */
export interface FailureReport extends RecordingReport {
  /** The step, or what a value is called. */
  readonly subject: string;
  /** Description of the check, for example `recompute with recorded calls`. */
  readonly how: string;
  readonly checks: readonly Check[];
  readonly mode: UpdateMode;
  /** Files of cases that this test has written already: it gave another answer for them before. */
  readonly written?: ReadonlySet<string> | undefined;
  /** True to report each case, and not an example of each kind of change. */
  readonly all?: boolean | undefined;
  /** The running test: after the first failure of a group, the others of its file are one line. */
  readonly session?: Pick<TestSession, "testName" | "firstOfGroup" | "isUsed"> | undefined;
  readonly utils: MatcherUtils;
}

/**
 * The failure message of a baseline matcher: a headline, each changed case with its class and changes, and what to do.
 */
export function explainFailures(report: FailureReport): string {
  const { subject, how, checks, utils } = report;
  const failures = checks.filter((check) => !isPassing(check));
  const { RECEIVED_COLOR: strong = same, DIM_COLOR: faint = same } = utils;
  const noun = checks.length === 1 ? "baseline" : "baselines";
  // Escaped with the colon behind it: of a subject named `:` the log of a CI job would obey the line.
  const inputs = changedInputsOf(failures, report.session);
  const verb = inputs.size === failures.length ? "changed" : headVerb(failures);
  const head = escapeText(`${subject}: ${failures.length} of ${checks.length} ${noun} ${verb}`);
  const headline = `${head} ${faint(`(${how})`)}`;
  const namedInputs = new Map(failures.map((check) => [check, changedInputLines(check)]));
  const linesOf = (check: Check): string[] => {
    const pair = inputs.get(check.path);
    return [
      `  ${check.file}  ${strong(pair === undefined ? check.verdict.kind : "input_changed")}`,
      ...(namedInputs.get(check) ?? []),
      ...(pair === undefined ? checkLines(check) : inputLines(pair)),
      ...refusalLines(check),
    ];
  };
  const all = report.all ?? readFlag(processEnvironment(), "VERITEST_VERBOSE");
  const shaped = (check: Check): ShapedChange => {
    const { shape } = inputs.get(check.path) ?? {};
    return shape === undefined ? shapedCheck(check) : { ...shapedCheck(check), shape };
  };
  const groups = groupChanges(failures, shaped);
  const again = all ? undefined : repeatedFailure(groups, report.session);
  if (again !== undefined) return `${head}, ${again}`;
  const lines =
    showsGroups(failures.length, groups) && !all
      ? groupedLines(groups, { linesOf, strong })
      : capped(failures.map(linesOf), all ? Infinity : MAX_LINES);
  const idle = [
    ...keyByHints(failures, report.session),
    ...unusedRules(checks),
    ...([...namedInputs.values()].some((own) => own.length > 0) ? [SHARED_NAME] : []),
  ].map((line) => bounded(oneLine(line)));
  return [headline, "", ...lines, "", ...idle, ...advice(failures, { ...report, inputs })].join("\n").trimEnd();
}

/** The rest of the one line of a failure like that of an earlier test of the file; undefined for any other. */
function repeatedFailure(groups: readonly ShapeGroup<Check>[], session: FailureReport["session"]): string | undefined {
  const [group] = groups;
  if (group === undefined || groups.length > 1 || session?.firstOfGroup === undefined) return undefined;
  // Two damaged or failed cases have problems of their own.
  if (!group.members.every(({ verdict: { kind } }) => CHANGED.has(kind) || kind === "request_changed"))
    return undefined;
  const first = session.firstOfGroup(group.hash);
  if (first === session.testName) return undefined;
  const [check, ...more] = group.members;
  const rest = more.length === 0 ? "" : ` and ${more.length} more`;
  return bounded(oneLine(`as in the test "${first}": ${shapeText(group)}  ${check?.file ?? ""}${rest}`));
}

/** Returns the failure message of a step without baselines. */
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
  const heading = `${escapeText(`${subject}: no baseline`)}${bounded(escapeText(chosen))} in ${directory}`;
  const call = "await expect(step).toMatchBaseline({ input, adapters })";
  const capture = `Capture a baseline first, in a test in the same folder:\n\n  ${call}`;
  return mode === "none"
    ? `${heading}\n\n${capture}\n\nRun that test once on your machine, without CI=1 or --ci.`
    : `${heading}\n\n${capture}`;
}

function headVerb(failures: readonly Check[]): string {
  const kinds = new Set(failures.map(({ verdict }) => verdict.kind));
  if (kinds.size === 1 && kinds.has("missing")) return "missing";
  return [...kinds].every((kind) => CHANGED.has(kind)) ? "changed" : "failed";
}

/** Why a change cannot be accepted as it was shown. */
function refusalLines({ update }: Check): string[] {
  return typeof update?.state === "object" ? textLines(update.state.refused.message) : [];
}

function shapedCheck(check: Check): ShapedChange {
  const baseline = check.path.replaceAll("\\", "/");
  return { baseline, step: "", shape: shapeOfCheck(check) };
}

/** Each kind of change with an example, and what is left of the lines shared out among them. */
function groupedLines(
  groups: readonly ShapeGroup<Check>[],
  {
    linesOf,
    strong,
  }: { readonly linesOf: (check: Check) => readonly string[]; readonly strong: (text: string) => string },
): string[] {
  const { listed: entries, rest } = shownGroups(groups);
  const limit = Math.max(2, Math.floor(MAX_LINES / entries.length) - 1);
  const lines = entries.flatMap((group) => {
    const [example] = group.members;
    const head = bounded(oneLine(groupText(group)));
    const own = example === undefined ? [] : linesOf(example).filter((line) => !includesText(head, line));
    const left = own.length - limit;
    const isPending = group.members.some(({ update }) => update?.state === "pending");
    return [
      `  ${strong(head)}${isPending ? `  ${group.id}` : ""}`,
      ...own.slice(0, limit).map((line) => `  ${line}`),
      ...(left > 0 ? [`      … and ${left} more ${left === 1 ? "line" : "lines"}`] : []),
    ];
  });
  return [`${groupCountsText(groups)}:`, "", ...lines, ...(rest === undefined ? [] : [`  ${rest}`])];
}

/**
 * Returns true if the line of a group contains this line of its example word for word, because every value is the same.
 */
function includesText(head: string, line: string): boolean {
  const words = ` ${line.trim()}`;
  return head.includes(`${words}, `) || head.includes(`${words} (`) || head.endsWith(words);
}

/** Cuts the cases' lines at the cap, and counts the cases that are left out. */
function capped(cases: readonly (readonly string[])[], most: number): string[] {
  const lines: string[] = [];
  for (const [index, own] of cases.entries()) {
    const left = most - lines.length;
    if (index > 0 && left < Math.min(own.length, 3))
      return [
        ...lines,
        `  … and ${cases.length - index} more ${cases.length - index === 1 ? "baseline" : "baselines"}`,
      ];
    const rest = own.length - left;
    lines.push(...own.slice(0, left), ...(rest > 0 ? [`    … and ${rest} more ${rest === 1 ? "line" : "lines"}`] : []));
  }
  return lines;
}

/** Classes of cases that came out differently from their baselines. */
const CHANGED: ReadonlySet<Verdict["kind"]> = new Set([
  "value_changed",
  "calls_changed",
  "commands_changed",
  "events_changed",
]);

/** Returns false if -u refuses the case: it doesn't replay or can't be stored, and its own lines say what to do. */
function isAcceptable(check: Check): boolean {
  const { verdict, update } = check;
  const isChanged = CHANGED.has(verdict.kind) || (verdict.kind === "request_changed" && update !== undefined);
  return isChanged && typeof update?.state !== "object";
}

/** Lists what to do next, for the classes that occurred. */
function advice(
  failures: readonly Check[],
  report: FailureReport & { readonly inputs: ReadonlyMap<string, InputChange> },
): string[] {
  const mode = report.updatable ? report.mode : undefined;
  const has = (...kinds: Verdict["kind"][]): boolean => failures.some(({ verdict }) => kinds.includes(verdict.kind));
  const isScripted = failures.some(({ findings }) => findings.scripted !== undefined);
  const changed = has(...CHANGED) && !isScripted;
  const twice = failures.some((check) => report.written?.has(check.path) === true);
  return [
    ...(isScripted && has(...CHANGED)
      ? ["Changes of a scripted run can't be accepted. To record live responses, remove mode and run with -u."]
      : []),
    ...(changed && mode === undefined
      ? [
          "toReplay never updates a baseline. If the change is intended, replace toReplay with " +
            "await expect(step).toRecomputeClean() and run once with -u. If it isn't, fix the step.",
        ]
      : []),
    ...(failures.some(isRebased)
      ? ["Only parts listed in recording.harmless changed. Accepting the change keeps the recorded responses."]
      : []),
    ...(failures.some(isAcceptable) && !isScripted && (mode === "new" || mode === "none") && !twice
      ? [acceptance(failures, mode)]
      : []),
    ...(changed && (mode === "all" || (mode !== undefined && twice))
      ? [
          "Not accepted: one case had two results in one run. Make the step deterministic, or " +
            "give each case its own name.",
        ]
      : []),
    ...captureAdvice(
      failures.filter(({ verdict, path }) => verdict.kind === "missing" && !report.inputs.has(path)),
      report.mode,
    ),
    ...(report.inputs.size > 0 ? [newInputAdvice(failures)] : []),
    ...schemaAdvice(failures),
    ...failedAdvice(failures.filter(isOfStep)),
    // Last, because it ends in a command on its own line.
    ...recordingAdvice(failures, report),
  ];
}

/** Lists what to do about violations of schemas, apart for inputs and outputs. */
function schemaAdvice(failures: readonly Check[]): string[] {
  const violations = failures.flatMap(({ verdict }) => (verdict.kind === "schema_violation" ? verdict.violations : []));
  const [inputs, outputs] = [true, false].map((isInput) =>
    violations.some((violation) => (violation.isInput === true) === isInput),
  );
  return [
    ...(outputs === true
      ? [
          "-u doesn't accept an output that the schema refuses. Fix the step or its schema, " +
            "or delete the baseline and capture the case again.",
        ]
      : []),
    ...(inputs === true
      ? [
          "-u doesn't accept an input that the step's schema refuses. Fix the schema. " +
            "Or change the test's input, and delete the baseline.",
        ]
      : []),
  ];
}

/** Codes of failures whose messages say what to do, which isn't to fix the step. */
const ADVISED: ReadonlySet<string> = new Set([
  HASH_ONLY,
  KEY_MISSING,
  MODEL_FAILED,
  NETWORK_REFUSED,
  "effect_unanswered",
  "no_adapters",
  "normalization_failed",
  "not_replayable",
  "not_storable",
  RECORDER_MISSING,
]);

/** Returns true if a case failed because of its step. */
function isOfStep({ verdict }: Check): boolean {
  return verdict.kind === "failed" && !ADVISED.has(verdict.error.code);
}

/** Lists what to do about failures whose own lines don't say it. A new case doesn't have a baseline to delete. */
function failedAdvice(failures: readonly Check[]): string[] {
  const outages = failures.flatMap((check) => {
    const failure = serviceFailureOf(check);
    if (failure === undefined) return [];
    return [{ ...failure, isLive: check.findings.source === "live", isNew: isNewFailure(check) }];
  });
  const stepFailures = failures.filter((check) => serviceFailureOf(check) === undefined);
  const own = stepFailures.filter((check) => !hasCode(check, "input_validation") && !hasCode(check, "over_budget"));
  return [
    ...new Set(outages.map(outageText)),
    ...(stepFailures.some((check) => hasCode(check, "input_validation"))
      ? ["The step doesn't run with this input. Fix the input in the test, or the step's schema."]
      : []),
    ...(stepFailures.some((check) => hasCode(check, "over_budget"))
      ? ["A run that exceeds its budget isn't stored. Reduce its cost, or change the budget."]
      : []),
    ...(own.some((check) => !isNewFailure(check))
      ? ["-u doesn't accept failures. Fix the step, or delete the baseline if you removed the case."]
      : []),
    ...(own.length > 0 && own.every(isNewFailure)
      ? ["A failing step isn't captured. Fix the step, then run the test again."]
      : []),
  ];
}

function hasCode({ verdict }: Check, code: string): boolean {
  return verdict.kind === "failed" && verdict.error.code === code;
}

interface Outage extends ServiceFailure {
  readonly isLive: boolean;
  /** True for a case without a baseline, which can't be replayed. */
  readonly isNew: boolean;
}

function outageText({ kind, status, isLive, isNew }: Outage): string {
  const code = status === undefined ? "" : ` (${status})`;
  const replayed = (verb: string): string => (isNew ? "" : `, or ${verb}with recorded responses: VERITEST_MODE=replay`);
  if (kind === "refused")
    return `A service refused the request${code}, so no response could be compared. Fix the request, and run again.`;
  if (kind === "credentials")
    return `The credentials were refused${code}. The step isn't the cause. Set the key${replayed("run ")}.`;
  return isLive
    ? `A service that a live adapter called is busy or unavailable${code}. The step isn't the cause. Run the test ` +
        `again later${replayed("")}.`
    : `A service that the step called outside its adapters is busy or unavailable${code}. The step isn't the cause. ` +
        "Run the test again later, or call the service through an adapter or a recorder, which records its responses.";
}

/**
 * Says how to accept the changes. Accepting with -u runs the step again, which with a live model may accept an output
 * that hasn't been reviewed. Accepting a pending change doesn't run it.
 */
function acceptance(failures: readonly Check[], mode: UpdateMode): string {
  const pending = failures.filter(({ update }) => update?.state === "pending");
  const many = showsGroups(failures.length, groupChanges(failures, shapedCheck));
  const first = many ? exampleGroup(groupChanges(pending, shapedCheck), () => true) : undefined;
  const kind = first === undefined ? "" : `, or one group with: ${reviewCommandOf(mode, first.id)}`;
  if (pending.length > 0)
    return `Review the changes. Accept them with -u, or accept exactly these with: ${reviewCommandOf(mode)}${kind}`;
  return mode === "none"
    ? "Review the changes. To accept them, run this test with -u on your machine. This run doesn't write baselines."
    : "Review the changes. Accept them with -u.";
}

function same(text: string): string {
  return text;
}

/** Check of all cases that doesn't have a stored case. */
export interface NoCasesRequest {
  readonly step: string;
  readonly root: string;
  readonly mode: UpdateMode;
  readonly options: CaseFilter;
}

/** Fails a check of all cases if there are none: a check without a comparison must not pass. */
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
