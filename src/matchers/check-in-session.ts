import { lossyIn } from "../check/verdict.ts";
import { processEnvironment, readVariable } from "../kernel/environment.ts";
import { type ChosenMode, type TestMode, adapterMode } from "../check/adapter-mode.ts";
import { checkCase } from "../check/check-case.ts";
import { checkBudget } from "../check/costs.ts";
import type { Case, Check, CheckContext } from "../check/check.ts";
import { type StagedUpdate, handleUpdate, isPassing } from "../check/handle-update.ts";
import type { MatcherResult } from "./matcher-context.ts";
import type { NoCasesRequest, FailureReport } from "./failure-message.ts";
import { unusedRules } from "./unused-rules.ts";
import { loadFailureEntry } from "./lazy/load-failure-entry.ts";
import { unrecordedNetworkWarning } from "../check/network-access.ts";
import { unmatchedRuleWarning } from "../check/unmatched-rules.ts";
import type { TestSession } from "./test-session.ts";

/** Checks a case. One that is clean with nothing to accept loads nothing more. */
export async function checkAndExplain(session: TestSession, request: Case, context: CheckContext): Promise<Check> {
  const explain = async (check: Check): Promise<Check> => (await loadFailureEntry()).explainCheck(check);
  return session.traceCheck(request.step.name, () => checkCase(request, context, explain));
}

/**
 * The adapter mode of one matcher call: the run's variable, the matcher's option, the project's configuration, the
 * default.
 */
export function modeOf(
  options: { readonly adapters?: object | undefined; readonly mode?: TestMode | undefined },
  session: TestSession,
): ChosenMode {
  return adapterMode({
    adapters: options.adapters !== undefined,
    option: options.mode,
    project: session.adapterMode,
    variable: readVariable(processEnvironment(), "VERITEST_ADAPTERS"),
    writes: session.mode !== "none",
  });
}

/** What a matcher is told of each run. */
type RunOptions = Pick<CheckContext, "calls" | "compare" | "strictOutput" | "strictRequests" | "validate"> & {
  readonly within?: CheckContext["budget"];
  readonly effects?: "run" | undefined;
};

/** What the options of a matcher demand of each run. Throws a TypeError for a budget that is none. */
export function checkOptionsOf(
  matcher: string,
  { calls, compare, effects, strictOutput, strictRequests, validate, within }: RunOptions,
): Omit<CheckContext, "responses" | "capture" | "isReplay" | "root"> {
  if (within !== undefined) checkBudget(within, `${matcher}: within`);
  return { calls, compare, strictOutput, strictRequests, validate, budget: within, executesWrites: effects === "run" };
}

/** Where answers came from, in words: what happened, else what would have. */
export function sourceText(source: Check["source"], { mode, each }: Omit<ChosenMode, "isExplicit">): string {
  if (each !== undefined) {
    const words = { live: "live adapters", recorded: "recorded calls", scripted: "recorded calls in their order" };
    return [...new Set(Object.values(each).map((one) => words[one]))].join(" and ");
  }
  if (source === undefined && mode === "auto") return "recorded calls, else live adapters";
  return (source ?? mode) === "live" ? "live adapters" : "recorded calls";
}

/** Keeps what the checks of a matcher propose, as the run's mode has it, and notes each. */
export async function stageUpdates(checks: readonly Check[], session: TestSession): Promise<Check[]> {
  const { mode, staged } = session;
  const keeper = {
    staged,
    stage: (staged: StagedUpdate) => session.stage(staged),
    load: loadFailureEntry,
  };
  const settled: Check[] = [];
  // Rules that let nothing pass are said once for all checks of a matcher, with the first.
  let idle = [...heldWrites(checks), ...scriptedRequests(checks), ...unusedRules(checks)];
  // In order: of two checks of one case the first one's proposal is what the second is held against.
  for (const found of checks) {
    const check = isUnchanged(found)
      ? found
      : await handleUpdate(found, { writes: mode, keepsPending: session.keepsPending }, keeper);
    // A failing test prints its own.
    session.note(check, [
      ...(isPassing(check) && hasRemarks(check) ? await remarksOf(check) : []),
      ...otherRequests(check),
      ...unrecordedNetworkWarning(check),
      ...(check.unmatchedRules ?? []).map((rule) => unmatchedRuleWarning(rule)),
      ...lossyValue(check),
      ...notSurvived(check),
      ...idle,
    ]);
    idle = [];
    settled.push(check);
  }
  return settled;
}

/** A check that has nothing to keep, and nothing that could not be kept: most are. */
function isUnchanged({ update, verdict }: Check): boolean {
  return update === undefined && lossyIn(verdict) === undefined;
}

/** How many writes were asked for and held: nothing that did not happen goes unsaid. */
function heldWrites(checks: readonly Check[]): string[] {
  const held = checks.reduce((sum, check) => sum + (check.skippedWrites ?? 0), 0);
  return held === 0 ? [] : [`${held} ${held === 1 ? "write" : "writes"} proposed, none run`];
}

/** A changed prompt or model whose answer is the same: the run says nothing else, and the same commit is red in CI. */
function otherRequests({ verdict, updateState }: Check): string[] {
  if (verdict.kind !== "clean" || verdict.hasOtherRequests !== true || updateState === "written") return [];
  return ["other requests than are recorded: -u records them"];
}

/** A baseline made before such values were refused holds something else in their place, and equals it. */
function lossyValue(check: Check): string[] {
  const lossy = lossyIn(check.verdict);
  return lossy === undefined || !isPassing(check) ? [] : [`${lossy}: it passes until -u, which refuses it`];
}

/** Where nobody can tell here whether a secret is the one that was hidden, a clean check says less than it seems to. */
/** What no step should do is accepted, and yet it is told. */
function notSurvived(check: Check): string[] {
  const cells = check.grid?.rows.flatMap((row) => row.cells) ?? [];
  const wrong = cells.filter((cell) => cell?.wrong === true).length;
  if (wrong === 0 || !isPassing(check)) return [];
  return [`${wrong} ${wrong === 1 ? "fault is" : "faults are"} not survived, as accepted`];
}

/** How many requests a script answered that were others when it was recorded. */
function scriptedRequests(checks: readonly Check[]): string[] {
  const differing = checks.reduce((sum, check) => sum + (check.scripted ?? 0), 0);
  if (differing === 0) return [];
  const requests = differing === 1 ? "1 request differs" : `${differing} requests differ`;
  return [`scripted: ${requests} from the recorded ones, answered in their order`];
}

/** Most passing checks have nothing to say, and load nothing. */
function hasRemarks({ verdict, uncalled }: Check): boolean {
  const tolerated = "tolerated" in verdict ? verdict.tolerated : undefined;
  return (tolerated?.length ?? 0) + (uncalled?.length ?? 0) > 0;
}

/** What a passing check has to say. */
async function remarksOf(check: Check): Promise<string[]> {
  return (await loadFailureEntry()).warningLines(check);
}

/** The answer of a matcher over baselines: passes when every check does, and explains those that do not. */
export async function matcherResultOf(report: FailureReport): Promise<MatcherResult> {
  if (report.settled.every(isPassing)) return { pass: true, message: () => `${report.subject}: clean` };
  const { explainFailures } = await loadFailureEntry();
  return { pass: false, message: () => explainFailures(report) };
}

/** The answer of a sweep that found nothing. */
export async function noBaselinesResult(sweep: NoCasesRequest): Promise<MatcherResult> {
  const { noCases } = await loadFailureEntry();
  return noCases(sweep);
}
