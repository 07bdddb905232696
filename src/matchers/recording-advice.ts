import type { Check } from "../check/check.ts";
import { tracingAdvice } from "../check/tracing-service.ts";
import { type OtherAddress, addressSetting, otherAddress } from "../explain/other-address.ts";
import { FETCH, isModelPath } from "../record/adapter-call.ts";
import { httpRequestOf } from "../record/model-call.ts";
import type { UpdateMode } from "../kernel/write-policy.ts";
import type { Verdict } from "../check/verdict.ts";
import { reviewCommandOf } from "./pending-commands.ts";
import type { TestToRerun } from "./test-session.ts";

/** Says how to record the unrecorded requests of failed checks, or why a recording doesn't help. */
export function recordingAdvice(failures: readonly Check[], report: RecordingReport): string[] {
  const varies = failures.some(hasVaryingRequest);
  const traced = failures.flatMap(({ verdict }) =>
    verdict.kind === "request_changed" ? (tracingAdvice(verdict.unrecorded) ?? []) : [],
  );
  const adapters = failures.some(isRecorded) ? "{ adapters: {} }" : "{ adapters }";
  return [
    ...new Set(traced),
    ...(varies ? [VARYING] : []),
    ...new Set(failures.flatMap((failure) => addressAdvice(otherAddress(failure)))),
    ...(failures.some(({ findings }) => findings.hasPendingResult) ? [`${PENDING} ${reviewCommandOf("new")}`] : []),
    ...(failures.some(needsRecording) && !varies && traced.length === 0 ? commandLines(report, adapters) : []),
  ];
}

/** Recording by the matcher of a failed check. */
export interface RecordingReport {
  /** False if -u changes nothing because the matcher never has an update. */
  readonly updatable: boolean;
  /** Command that records the calls of this test again; absent if the matcher never records. */
  readonly rerun?: (() => string) | undefined;
  /** True if the test gives adapters that such a run could call. */
  readonly given?: boolean | undefined;
  /** `all` if the run has -u: it would have recorded the request, except in CI and in the mode `replay`. */
  readonly mode?: UpdateMode | undefined;
}

function commandLines(report: RecordingReport, adapters: string): string[] {
  const { updatable, rerun, given: hasAdapters = false, mode } = report;
  if (!updatable)
    return [`Record the calls again: pass the current adapters (${adapters}) to toRecomputeClean and run with -u.`];
  if (rerun === undefined)
    return [`Record the calls again: pass the current adapters (${adapters}) to the matcher and run with -u.`];
  return [
    hasAdapters
      ? `Is the new request intended? Record its response${mode === "all" ? " outside of CI" : ""}:`
      : `Is the new request intended? Pass the current adapters (${adapters}) to the matcher and record its response:`,
    "",
    `  ${rerun()}`,
  ];
}

type CheckOf<Kind extends Verdict["kind"]> = Check & { readonly verdict: Extract<Verdict, { readonly kind: Kind }> };

/** Returns true if only a recording gives the check an update. */
function needsRecording(check: Check): check is CheckOf<"request_changed"> {
  const { verdict, update, findings } = check;
  return verdict.kind === "request_changed" && update === undefined && findings.hasPendingResult !== true;
}

/**
 * Returns how to name a test if a live run records its unrecorded request; otherwise undefined. A test that reaches
 * another host has only the host: a run of all of them would send each request, with its key, to a wrong service.
 */
export function testToRerun(check: Check, rerun: string): TestToRerun | undefined {
  if (!needsRecording(check) || hasVaryingRequest(check)) return undefined;
  const { origin = "" } = httpRequestOf(check.verdict.unrecorded) ?? {};
  const hasOtherHost = otherAddress(check)?.part.includes("host") === true;
  return { ...(!hasOtherHost && { rerun }), ...(origin !== "" && { origin }) };
}

/** Returns true if a request was made outside the adapters: then the test can't give one for it. */
function isRecorded({ verdict }: Check): boolean {
  if (verdict.kind !== "request_changed") return false;
  const { adapter } = verdict.unrecorded;
  return adapter === FETCH || isModelPath(adapter);
}

/** Returns true if the step sends another request in each run: a recording would not help. */
function hasVaryingRequest({ verdict }: Check): boolean {
  const evidence = "cause" in verdict ? (verdict.cause?.evidence ?? []) : [];
  return evidence.some((each) => each.kind === "code" && each.varying !== undefined);
}

function addressAdvice(other: OtherAddress | undefined): readonly string[] {
  if (other === undefined) return [];
  const { part, variable, ignore } = other;
  return [
    `Only the ${part} of the request differs. Check ${addressSetting(variable)}. If the ${part} can vary, ` +
      `ignore it in veritest.config: recording: { ignore: [${ignore}] }.`,
  ];
}

const PENDING = "The new responses are pending from an earlier run. Review and accept them without another call:";

const VARYING =
  "The step sends a different request in each run, so no recording can match it. " +
  "Read the time, random numbers and ids from an adapter " +
  '({ adapters: { clock: clock() } }, clock of "veritest"), ' +
  'or set the time in the test before the step runs: in Vitest vi.useFakeTimers({ toFake: ["Date"], now }), in Jest ' +
  'jest.useFakeTimers({ now, doNotFake: ["nextTick", "setImmediate", "setTimeout", "clearTimeout"] }).';
