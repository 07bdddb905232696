import { CALL_SCOPES } from "../kernel/call-role.ts";
import { refuseUnknownWord } from "../kernel/did-you-mean.ts";
import { checkCase } from "../check/check-case.ts";
import { checkBudget } from "../check/run/costs.ts";
import type { Case, Check, CheckContext } from "../check/check.ts";
import { type StagedUpdate, stageUpdate, isPassing } from "../check/update/stage-update.ts";
import { runRemarks } from "../explain/run-remarks.ts";
import type { MatcherResult } from "./matcher-context.ts";
import type { NoCasesRequest, FailureReport } from "./failure-message.ts";
import { unusedRules } from "./unused-rules.ts";
import { loadFailureEntry } from "./lazy/load-failure-entry.ts";
import { unrecordedNetworkWarning } from "../check/run/network-access.ts";
import { hasUnrecordedTools } from "../check/update/unrecorded-tools.ts";
import type { TestSession } from "./test-session.ts";

/**
 * Checks a case. A clean check without an update loads no further module. In CI, `auto` is strict: a replay has already
 * failed on a request, so a job that passed because the result is the same would hide that the recording is missing.
 */
export async function checkAndExplain(session: TestSession, request: Case, context: CheckContext): Promise<Check> {
  const explain = async (check: Check): Promise<Check> => (await loadFailureEntry()).explainCheck(check);
  const { responses, strictRequests = session.isCi && responses.kind === "auto" ? true : undefined } = context;
  const check = await session.traceCheck(request.step.name, () =>
    checkCase(request, { ...context, strictRequests, hidesStoredSecrets: session.mode === "all" }, explain),
  );
  if (check.verdict.kind !== "request_changed") return check;
  return (await loadFailureEntry()).withPendingResult(check, { session, request, context });
}

/** Options of a matcher that apply to each run. */
type RunOptions = Pick<CheckContext, "calls" | "compare" | "strictOutput" | "strictRequests" | "validate"> & {
  readonly budget?: CheckContext["budget"];
  readonly effects?: "run" | undefined;
};

/** Returns the conditions that a matcher's options set for each run. Throws a TypeError for an invalid budget. */
export function checkOptionsOf(
  matcher: string,
  { budget, calls, compare, effects, strictOutput, strictRequests, validate }: RunOptions,
): Omit<CheckContext, "responses" | "capture" | "isByteExact" | "root" | "hidesStoredSecrets"> {
  if (budget !== undefined) checkBudget(budget, `${matcher}: budget`);
  if (calls !== undefined) refuseUnknownWord(`${matcher}: calls`, calls, CALL_SCOPES);
  if (effects !== undefined) refuseUnknownWord(`${matcher}: effects`, effects, ["run"]);
  return { calls, compare, strictOutput, strictRequests, validate, budget, executesWrites: effects === "run" };
}

/**
 * Keeps what the checks of a matcher propose, as the run's mode has it, and notes each. `rerun` is the runner's name of
 * the test if `-u` records unrecorded requests of this matcher.
 */
export async function stageUpdates(checks: readonly Check[], session: TestSession, rerun?: string): Promise<Check[]> {
  const { mode, staged } = session;
  const keeper = {
    staged,
    stage: (staged: StagedUpdate) => session.stage(staged),
    load: loadFailureEntry,
  };
  const applied: Check[] = [];
  // Rules that let no difference pass are reported once for all checks of a matcher, with the first.
  let idle = [...skippedWrites(checks), ...scriptedRequests(checks), ...unusedRules(checks)];
  const hidden = checks.find(({ findings }) => findings.notLive === true);
  // In order: the second of two checks of one case is compared with the first one's update.
  for (const candidate of checks) {
    const check =
      candidate.update === undefined
        ? candidate
        : await stageUpdate(candidate, { writes: mode, keepsPending: session.keepsPending }, keeper);
    // A failing test prints its own.
    const remarks = [
      ...(isPassing(check) && hasRemarks(check) ? await remarksOf(check) : []),
      ...runRemarks(check, "run with -u"),
      ...unrecordedNetworkWarning(check),
      ...(candidate === hidden ? await notLive(checks) : []),
      ...notSurvived(check),
      ...unrecordedTools(check, staged),
      ...handledOutages(check),
      ...idle,
    ];
    const unrecorded = check.verdict.kind === "request_changed" ? await loadFailureEntry() : undefined;
    session.note(
      check,
      [...remarks, ...(unrecorded?.pendingRemark(check) ?? [])],
      rerun === undefined ? undefined : unrecorded?.testToRerun(check, rerun),
    );
    idle = [];
    applied.push(check);
  }
  return applied;
}

/** Reports how many requested writes were skipped. */
function skippedWrites(checks: readonly Check[]): string[] {
  const skipped = checks.reduce((sum, check) => sum + (check.findings.skippedWrites ?? 0), 0);
  if (skipped === 0) return [];
  const calls = skipped === 1 ? "1 call that writes data" : `${skipped} calls that write data`;
  return [`veritest skipped ${calls}. The step got recorded results, or results of stubs`];
}

/** Reports the checks that were not live because only placeholders of their inputs' secrets are stored. */
async function notLive(checks: readonly Check[]): Promise<string[]> {
  const { length } = checks.filter(({ findings }) => findings.notLive === true);
  return [(await loadFailureEntry()).notLiveText(length)];
}

/** Reports faults that no step should have but that were accepted. */
function notSurvived(check: Check): string[] {
  const cells = check.findings.grid?.rows.flatMap((row) => row.cells) ?? [];
  const wrong = cells.filter((cell) => cell?.wrong === true).length;
  if (wrong === 0 || !isPassing(check)) return [];
  return [`the step doesn't survive ${wrong} ${wrong === 1 ? "fault" : "faults"}, as accepted`];
}

/** Warns of tools that a stored step runs itself: a write happens in each test. */
function unrecordedTools({ path, update }: Check, staged: TestSession["staged"]): string[] {
  const text = update?.state === "toWrite" ? staged.get(path)?.after : undefined;
  if (text === undefined || !hasUnrecordedTools(text)) return [];
  return ["its tools aren't recorded, so each test runs them. Wrap them with recordTools(tools)"];
}

/** Warns of a captured result of a step that handled an outage: an SDK may return an empty text for it. */
function handledOutages({ update, findings: { handledOutage } }: Check): string[] {
  if (handledOutage === undefined || update?.state !== "toWrite") return [];
  return [`${handledOutage}, and the step handled the error. A new baseline has this result`];
}

/** Reports how many scripted requests differ from the recorded ones. */
function scriptedRequests(checks: readonly Check[]): string[] {
  const differing = checks.reduce((sum, check) => sum + (check.findings.scripted?.changedRequests ?? 0), 0);
  if (differing === 0) return [];
  const requests = differing === 1 ? "1 request differs" : `${differing} requests differ`;
  return [`scripted: ${requests} from the recording, and veritest replayed the responses in the recorded order`];
}

/** Returns true if a passing check has remarks; most have none, and load no further module. */
function hasRemarks({ verdict, findings: { uncalled } }: Check): boolean {
  const tolerated = "tolerated" in verdict ? verdict.tolerated : undefined;
  return (tolerated?.length ?? 0) + (uncalled?.length ?? 0) > 0;
}

/** Returns the remarks of a passing check. */
async function remarksOf(check: Check): Promise<string[]> {
  return (await loadFailureEntry()).warningLines(check);
}

/** The answer of a matcher over baselines: passes when every check does, and explains those that do not. */
export async function matcherResultOf(report: FailureReport): Promise<MatcherResult> {
  if (report.checks.every(isPassing)) return { pass: true, message: () => `${report.subject}: clean` };
  const { explainFailures } = await loadFailureEntry();
  return { pass: false, message: () => explainFailures(report) };
}

/** Returns the result of checking all cases if there are none. */
export async function noBaselinesResult(
  { root, mode, emptySteps }: Pick<TestSession, "root" | "mode" | "emptySteps">,
  request: Pick<NoCasesRequest, "step" | "options">,
): Promise<MatcherResult> {
  const { noCases } = await loadFailureEntry();
  emptySteps.push(request.step);
  return noCases({ ...request, root, mode });
}
