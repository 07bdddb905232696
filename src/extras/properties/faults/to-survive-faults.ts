import { refuseUnknownOptions } from "../../../kernel/did-you-mean.ts";
import { basename } from "node:path";
import { isPlainObject } from "../../../kernel/json/plain-data.ts";
import { escapeText, truncate } from "../../../kernel/text.ts";
import type { StepBaseline } from "../../../baseline/baseline.ts";
import { type BaselineLibrary, type StoredCase, displayPath, openLibrary } from "../../../baseline/baseline-library.ts";
import { checkValue } from "../../../check/check-value.ts";
import { type Check, type GridCell, type OutcomeGrid, checkWithoutUpdate, withFindings } from "../../../check/check.ts";
import { isPassing } from "../../../check/update/stage-update.ts";
import { redactedError } from "../../../check/verdict.ts";
import type { MatcherCall } from "../../../matchers/baseline-matcher.ts";
import { noBaselinesResult, stageUpdates } from "../../../matchers/check-in-session.ts";
import type { MatcherResult } from "../../../matchers/matcher-context.ts";
import { type CaseFilter, filterCases } from "../../../matchers/filter-cases.ts";
import { wrongReceived } from "../../../matchers/received.ts";
import type { TestSession } from "../../../matchers/test-session.ts";
import { currentRedactor } from "../../../redact/current-redactor.ts";
import { missingRecorderMessage } from "../../../record/interceptors/recorders.ts";
import { reviewCommandOf } from "../../../matchers/pending-commands.ts";
import { type AnyStep, isStep } from "../../../kernel/step/define-step.ts";
import { kernelError } from "../../../kernel/step/fail.ts";
import { FaultRuns, type FaultTable, UNCHANGED } from "./fault-runs.ts";
import { FAULT_NAMES, type FaultName, isFaultName } from "./faults.ts";

/** Options for `toSurviveFaults`. */
export interface SurviveFaultsOptions extends CaseFilter {
  /** Faults to try. Default: all that apply to a call. */
  readonly faults?: readonly string[];
  /**
   * Try faults in every call to an adapter, not only in the first ten, and try every pair of faults. Default: false.
   */
  readonly full?: boolean;
}

/** The code of a table with outcomes that no step should have. */
const NOT_SURVIVED = "faults_not_survived";

/**
 * Replays each baseline of the step next to this test file, each time with a fault in one recorded call. Fails if the
 * step throws, hangs, retries endlessly, or writes twice. The outcomes of the faults are a baseline, too, so a
 * different error code is one changed line. It doesn't call a service.
 *
 * @example
 * await expect(extractReceipt).toSurviveFaults();
 * await expect(pay).toSurviveFaults({ faults: ["error-429", "crash-after-effect"], names: ["march"] });
 */
export async function toSurviveFaults(call: MatcherCall<SurviveFaultsOptions>): Promise<MatcherResult> {
  const { received, options = {}, session } = call;
  if (!isStep(received)) throw wrongReceived("toSurviveFaults", "a step", received);
  refuseUnknownOptions("toSurviveFaults", options, Object.keys(OPTIONS));
  const faults = faultsOf(options);
  const library = openLibrary(session.root, session.staged);
  const tried: TriedCase[] = [];
  for (const stored of filterCases(library.each(received.name), options)) {
    if (!stored.baseline.ok) tried.push(untried(stored, { kind: "broken", problem: stored.baseline.error }));
    else if (stored.baseline.value.kind === "step" && stored.baseline.value.calls.length > 0)
      tried.push(
        await caseOf(
          { step: received, stored, baseline: stored.baseline.value, library, session },
          { faults, full: options.full === true },
        ),
      );
  }
  if (tried.length === 0) return noBaselinesResult(session, { step: received.name, options });
  const checks = tried.map(({ check }) => check);
  for (const check of checks) await session.traceCheck(received.name, () => check);
  const applied = await stageUpdates(checks, session);
  return answerOf(received, { tried, checks: applied }, call);
}

const OPTIONS: Readonly<Record<keyof SurviveFaultsOptions, true>> = {
  faults: true,
  full: true,
  names: true,
  labels: true,
  meta: true,
};

function faultsOf({ faults }: SurviveFaultsOptions): readonly FaultName[] {
  if (faults === undefined) return FAULT_NAMES;
  return faults.map((name) => {
    if (isFaultName(name)) return name;
    throw new TypeError(`toSurviveFaults: there is no fault "${name}". Use one of these: ${FAULT_NAMES.join(", ")}.`);
  });
}

interface FaultRequest {
  readonly step: AnyStep;
  readonly stored: StoredCase;
  readonly baseline: StepBaseline;
  readonly library: BaselineLibrary;
  readonly session: TestSession;
}

/** Result of one case. */
interface TriedCase {
  readonly check: Check;
  readonly stored: StoredCase;
  readonly grid: OutcomeGrid | undefined;
}

function untried(stored: StoredCase, verdict: Check["verdict"]): TriedCase {
  return { stored, grid: undefined, check: checkWithoutUpdate(stored, verdict) };
}

async function caseOf(
  { step, stored, baseline, library, session }: FaultRequest,
  { faults, full }: { readonly faults: readonly FaultName[]; readonly full: boolean },
): Promise<TriedCase> {
  const runs = new FaultRuns(step, baseline, session.root);
  const problem = missingRecorderMessage(baseline.calls) ?? (await replayProblem(runs));
  if (problem !== undefined) {
    const error = kernelError("not_replayable", `The case can't be tested with faults: ${problem}.`);
    return untried(stored, { kind: "failed", error: redactedError(error) });
  }
  const name = `${step.name} under faults: ${baseline.name ?? basename(stored.path, ".json")}`;
  const accepted = acceptedTable(library, session.testFile, name);
  const table = await runs.table(faults, full);
  // Faults that weren't tried keep their accepted outcomes.
  const complete = faults.length === FAULT_NAMES.length ? table : merged(accepted, table);
  const check = checkValue(complete, { test: session.testFile, details: { name }, keyBy: {} }, library);
  const grid = gridOf(table, accepted);
  return { stored, grid, check: withFindings(pendingIfWrong(check, grid), { grid }) };
}

async function replayProblem(runs: FaultRuns): Promise<string | undefined> {
  const outcome = await runs.asRecorded();
  return outcome === UNCHANGED ? undefined : `even without a fault, its recording ends in "${outcome}" (see toReplay)`;
}

function acceptedTable(library: BaselineLibrary, test: string, name: string): FaultTable | undefined {
  const { stored } = library.find(test, { name }, name);
  const value =
    stored?.baseline.ok === true && stored.baseline.value.kind === "value" ? stored.baseline.value.value : undefined;
  return isTable(value) ? value : undefined;
}

function isTable(value: unknown): value is FaultTable {
  return isPlainObject(value) && Object.values(value).every(isPlainObject);
}

function merged(accepted: FaultTable = {}, table: FaultTable): FaultTable {
  const rows = Object.entries(table).map(([call, row]) => [call, { ...accepted[call], ...row }] as const);
  return { ...accepted, ...Object.fromEntries(rows) };
}

/** Outcomes that no step should have, by how they begin. */
const WRONG = /^(?:execution_failed|hangs|retries endlessly|wrote twice)/;

/** Returns a table as a grid of calls and faults, with the accepted outcomes. */
function gridOf(table: FaultTable, accepted: FaultTable | undefined): OutcomeGrid {
  const columns = [...new Set(Object.values(table).flatMap((row) => Object.keys(row)))];
  const cell = (name: string, fault: string): GridCell | null => {
    const text = table[name]?.[fault];
    if (text === undefined) return null;
    const before = accepted?.[name]?.[fault];
    return { text, wrong: WRONG.test(text), ...(before !== undefined && before !== text && { before }) };
  };
  const rows = Object.keys(table).map((name) => ({ name, cells: columns.map((fault) => cell(name, fault)) }));
  return { columns, rows };
}

/** Marks a first table as pending if it contains outcomes that no step should have: a reviewer has to accept it. */
function pendingIfWrong(check: Check, grid: OutcomeGrid): Check {
  const wrong = grid.rows.flatMap(({ cells }) => cells.filter((cell) => cell?.wrong === true)).length;
  if (check.verdict.kind !== "missing" || wrong === 0) return check;
  const message = `The step doesn't survive ${wrong} ${wrong === 1 ? "fault" : "faults"}: ${linesOf(grid)
    .map((line) => line.trim())
    .join("; ")}`;
  return { ...check, verdict: { kind: "failed", error: redactedError(kernelError(NOT_SURVIVED, message)) } };
}

/** Lines of a case before the rest is only counted. */
const MAX_LINES = 20;

/** The outcomes that are wrong or another than accepted, a line each. */
function linesOf({ columns, rows }: OutcomeGrid): string[] {
  const lines = rows.flatMap(({ name, cells }) =>
    cells.flatMap((cell, index) => {
      if (cell === null || (!cell.wrong && cell.before === undefined)) return [];
      const was = cell.before === undefined ? "" : `${cell.before} → `;
      return [`    ${name}  ${columns[index]}  ${was}${cell.text}`];
    }),
  );
  const rest = lines.length - MAX_LINES;
  return rest > 0 ? [...lines.slice(0, MAX_LINES), `    … and ${rest} more`] : lines;
}

function answerOf(
  step: AnyStep,
  { tried, checks }: { readonly tried: readonly TriedCase[]; readonly checks: readonly Check[] },
  { session, utils }: MatcherCall<SurviveFaultsOptions>,
): MatcherResult {
  const failed = checks.flatMap((check, index) => (isPassing(check) ? [] : [{ check, triedCase: tried[index] }]));
  if (failed.length === 0) return { pass: true, message: () => `${step.name}: survives` };
  const message = (): string => {
    const { RECEIVED_COLOR: strong = same } = utils;
    const cases = `${failed.length} of ${tried.length} recorded ${tried.length === 1 ? "case" : "cases"}`;
    const lines = failed.flatMap(({ check, triedCase }) => [
      "",
      `  ${escapeText(displayPath(triedCase?.stored.path ?? check.path))}  ${strong(check.verdict.kind)}`,
      ...detailsOf(check, triedCase?.grid).map(safe),
    ]);
    return [
      escapeText(`${step.name}: ${cases} under faults`),
      ...lines,
      "",
      ...advice(
        failed.map(({ check }) => check),
        session,
      ),
    ].join("\n");
  };
  return { pass: false, message };
}

function detailsOf({ verdict }: Check, grid: OutcomeGrid | undefined): readonly string[] {
  if (grid !== undefined && (verdict.kind === "value_changed" || verdict.kind === "failed")) {
    const lines = linesOf(grid);
    return lines.length > 0 ? lines : ["    it has calls or faults without accepted outcomes"];
  }
  if (verdict.kind === "failed") return [`    ${verdict.error.message}`];
  if (verdict.kind === "broken") return [`    ${verdict.problem}`];
  return verdict.kind === "missing" ? ["    the outcomes of its faults aren't accepted yet"] : [];
}

function advice(failed: readonly Check[], { mode }: TestSession): string[] {
  const isPending = failed.some(({ update }) => update?.state === "pending");
  const wrong = failed.some(({ verdict }) => verdict.kind === "failed" && verdict.error.code === NOT_SURVIVED);
  const fixLines = wrong
    ? ["Fix the step: every fault should end in an error with its own code, or in a valid output."]
    : [];
  if (isPending)
    return [
      ...fixLines,
      "The outcomes are pending. Accept them with -u, or accept exactly these outcomes with: " + reviewCommandOf(mode),
    ];
  if (mode === "none")
    return [
      ...fixLines,
      "CI can't accept outcomes. Run this test on your machine, then accept the outcomes you intended: npx " +
        "veritest review",
    ];
  return fixLines;
}

function safe(line: string): string {
  return truncate(escapeText(currentRedactor().redactText(line)), 300);
}

function same(text: string): string {
  return text;
}
