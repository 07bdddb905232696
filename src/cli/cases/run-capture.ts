import { checkAll } from "../../check-all/check-all.ts";
import { checkWithTimeout, failedCheck } from "../../check-all/check-with-timeout.ts";
import { inCheckSpan } from "../../check/check-span.ts";
import { openLibrary } from "../../baseline/baseline-library.ts";
import { type AdapterMode, responsePlan } from "../../check/run/adapter-mode.ts";
import type { Check } from "../../check/check.ts";
import { explainCheck } from "../../check/cause/find-cause.ts";
import { checkCase } from "../../check/check-case.ts";
import { findCase } from "../../check/find-case.ts";
import { runRemarks } from "../../explain/run-remarks.ts";
import { reportCase } from "../../reporter/build-run-model.ts";
import type { ReportCase } from "../../explain/report-case.ts";
import { quote } from "../../kernel/text.ts";
import type { BaseAdapters } from "../../kernel/step/context.ts";
import type { AnyStep } from "../../kernel/step/define-step.ts";
import { kernelError } from "../../kernel/step/fail.ts";
import type { CaptureRequest } from "./capture-request.ts";
import { type CommandRun, updateHandlerOf } from "./command-run.ts";
import { type InputPlan, type PlannedInput, inputLabel, inputLocation } from "./plan-inputs.ts";
import { stageUpdate, isPassing } from "../../check/update/stage-update.ts";
import { unrecordedNetworkWarning } from "../../check/run/network-access.ts";

/** A prepared capture. */
export interface Capture {
  readonly step: AnyStep;
  readonly adapters: BaseAdapters | undefined;
  readonly mode: Exclude<AdapterMode, "replay">;
  /** Directory of the baselines, and the root of the project. */
  readonly baselines: string;
  readonly root: string;
  readonly plan: InputPlan;
  readonly request: Pick<CaptureRequest, "labels" | "meta" | "update" | "concurrency">;
  /** Timeout per input in milliseconds; 0 for none. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly run: CommandRun;
  /** Called for each finished input. */
  readonly ended: () => void;
  /** Called for each input that didn't become a baseline, in the order of the inputs. */
  readonly take: (reported: ReportCase) => void;
  /** Called with a remark on an input. Untrusted text. */
  readonly remark: (location: string, text: string) => void;
}

/** Number of inputs per outcome. */
export interface CaptureCounts {
  unchanged: number;
  /** Inputs whose result changed and can't be written. */
  changed: number;
  failed: number;
  /** Inputs with an unusable baseline. */
  broken: number;
  /** Inputs that timed out and may still be running. */
  lingering: number;
}

/** Runs a step on inputs concurrently, and stages the results. */
export async function runCapture(capture: Capture): Promise<Readonly<CaptureCounts>> {
  const counts: CaptureCounts = { unchanged: 0, changed: 0, failed: 0, broken: 0, lingering: 0 };
  const { plan, request, signal } = capture;
  const { concurrency } = request;
  const captured = checkAll(plan.inputs(), async (planned) => captureInput(planned, capture, counts), {
    concurrency,
    signal,
  });
  for await (const reportCase of captured) if (reportCase !== undefined) capture.take(reportCase);
  return counts;
}

/** Captures one input. Returns its case if the report has to show one. */
async function captureInput(
  planned: PlannedInput,
  capture: Capture,
  counts: CaptureCounts,
): Promise<ReportCase | undefined> {
  const { timeoutMs, root, step } = capture;
  const inputPath = inputLocation(planned);
  const location = { file: inputPath, path: planned.path };
  const started = performance.now();
  const { check: result, isRunning } = await checkWithTimeout(location, timeoutMs, async () =>
    checkInput(planned, capture),
  );
  if (isRunning) counts.lingering += 1;
  const kept = await stageUpdate(
    result,
    { writes: capture.request.update ? "all" : "new", keepsPending: true },
    updateHandlerOf(capture.run),
  );
  for (const text of [...runRemarks(kept, "add --update"), ...unrecordedNetworkWarning(kept)])
    capture.remark(inputPath, text);
  const check = checkToReport(kept, counts);
  capture.ended();
  if (check === undefined) return undefined;
  const durationMs = Math.round(performance.now() - started);
  const reported = reportCase(check, {
    step: step.name,
    root,
    labels: [],
    test: null,
    updateState: "none",
    durationMs,
    usage: null,
  });
  // A failed input has no baseline to open.
  return {
    ...reported,
    baseline: check.verdict.kind === "failed" ? inputPath : `${inputPath} → ${reported.baseline}`,
  };
}

async function checkInput(
  planned: PlannedInput,
  { step, adapters, mode, baselines, request }: Capture,
): Promise<Check> {
  const { labels, meta } = request;
  const details = { name: planned.name, labels, meta };
  const question = { input: planned.input, details, label: inputLabel(planned) };
  const match = findCase(step, question, openLibrary(baselines));
  const responses = responsePlan(mode, adapters);
  const capture = { responses: responsePlan("live", adapters), reviewOnly: false };
  const context = { root: baselines, responses, capture };
  const check = match.ok
    ? await inCheckSpan(step.name, async () => checkCase(match.value, context, explainCheck))
    : match.error;
  const { verdict } = check;
  if (verdict.kind !== "failed" || verdict.error.code !== "no_adapters") return check;
  return failedCheck(
    { file: inputLocation(planned), path: planned.path },
    kernelError(
      "no_adapters",
      `Step ${quote(step.name)} calls an adapter, and the configuration gives it none. ` +
        "Give it some, or {} if a recorder records its calls: steps: () => [{ step, adapters }]",
    ),
  );
}

/** Counts a check. Returns it if the report has to show it: clean and written cases are only counted. */
function checkToReport(check: Check, counts: CaptureCounts): Check | undefined {
  const { verdict, update } = check;
  if (update?.state !== "toWrite") {
    if (verdict.kind === "clean") counts.unchanged += 1;
    else if (update?.state === "pending") counts.changed += 1;
    else counts[verdict.kind === "broken" ? "broken" : "failed"] += 1;
  }
  return isPassing(check) ? undefined : refusedAsFailed(check);
}

/** Turns a refused result into a failure, because the input has no other result. */
function refusedAsFailed(check: Check): Check {
  const state = check.update?.state;
  if (typeof state !== "object") return check;
  return { ...check, verdict: { kind: "failed", error: state.refused }, update: undefined };
}
