import { checkAll } from "../../check-all/check-all.ts";
import { checkInTime, failedCheck } from "../../check-all/check-in-time.ts";
import { inCheckSpan } from "../../check/check-span.ts";
import { openLibrary } from "../../baseline/library.ts";
import { type AdapterMode, answersOf } from "../../check/adapter-mode.ts";
import type { Check } from "../../check/check.ts";
import { explainCheck } from "../../check/cause/find-cause.ts";
import { checkCase } from "../../check/check-case.ts";
import { findCase } from "../../check/find-case.ts";
import { reportCase } from "../../reporter/build-run-model.ts";
import type { ReportCase } from "../../explain/report-case.ts";
import { quote } from "../../kernel/text.ts";
import type { BaseAdapters } from "../../kernel/step/context.ts";
import type { AnyStep } from "../../kernel/step/define-step.ts";
import { kernelError } from "../../kernel/step/fail.ts";
import type { CaptureRequest } from "./capture-request.ts";
import { type CommandRun, keeperOf } from "./command-run.ts";
import { type InputPlan, type PlannedInput, inputLabel, inputPlace } from "./plan-inputs.ts";
import { keep, passes } from "../../check/keep.ts";
import { capturedBeyond } from "../../check/reached.ts";

/** A capture that is about to run. */
export interface Capture {
  readonly step: AnyStep;
  readonly adapters: BaseAdapters | undefined;
  readonly mode: Exclude<AdapterMode, "recorded">;
  /** The directory of the baselines, and the project's. */
  readonly baselines: string;
  readonly root: string;
  readonly plan: InputPlan;
  readonly request: Pick<CaptureRequest, "labels" | "meta" | "update" | "concurrency">;
  /** Milliseconds that one input may take; 0 for any time. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly run: CommandRun;
  /** Hears of each input that came to its end. */
  readonly ended: () => void;
  /** Reports each input that came to something other than a baseline, in the order of the inputs. */
  readonly take: (one: ReportCase) => void;
  /** Hears what is to be said of an input though it was captured. Untrusted text. */
  readonly remark: (place: string, text: string) => void;
}

/** How many inputs came to what. */
export interface CaptureCounts {
  /** Proposed to be written. */
  proposed: number;
  unchanged: number;
  /** Came out differently, and may not be written. */
  changed: number;
  failed: number;
  /** Have a baseline that cannot be used. */
  broken: number;
  /** Given up while they ran on. */
  lingering: number;
}

/** Runs a step on inputs, several at a time, and stages what comes out. */
export async function runCapture(capture: Capture): Promise<Readonly<CaptureCounts>> {
  const counts: CaptureCounts = { proposed: 0, unchanged: 0, changed: 0, failed: 0, broken: 0, lingering: 0 };
  const { plan, request, signal } = capture;
  const { concurrency } = request;
  const captured = checkAll(plan.inputs(), async (planned) => captureInput(planned, capture, counts), {
    concurrency,
    signal,
  });
  for await (const one of captured) if (one !== undefined) capture.take(one);
  return counts;
}

/** Captures one input; returns what there is to report if it came to something other than a baseline. */
async function captureInput(
  planned: PlannedInput,
  capture: Capture,
  counts: CaptureCounts,
): Promise<ReportCase | undefined> {
  const { timeoutMs, root, step } = capture;
  const place = inputPlace(planned);
  const nowhere = { file: place, path: planned.path };
  const started = performance.now();
  const { check: found, isRunning } = await checkInTime(nowhere, timeoutMs, async () => checkInput(planned, capture));
  if (isRunning) counts.lingering += 1;
  const kept = await keep(
    found,
    { writes: capture.request.update ? "all" : "new", holds: true },
    keeperOf(capture.run),
  );
  for (const text of capturedBeyond(kept)) capture.remark(place, text);
  const check = toTell(kept, counts);
  capture.ended();
  if (check === undefined) return undefined;
  const durationMs = Math.round(performance.now() - started);
  const one = reportCase(check, {
    step: step.name,
    root,
    labels: [],
    test: null,
    settled: "none",
    durationMs,
    usage: null,
  });
  // What failed has no baseline that anybody could look at.
  return { ...one, baseline: check.verdict.kind === "failed" ? place : `${place} → ${one.baseline}` };
}

async function checkInput(
  planned: PlannedInput,
  { step, adapters, mode, baselines, request }: Capture,
): Promise<Check> {
  const { labels, meta } = request;
  const details = { name: planned.name, labels, meta };
  const question = { input: planned.input, details, label: inputLabel(planned) };
  const found = findCase(step, question, openLibrary(baselines, new Map()));
  const answers = answersOf(mode, adapters);
  const capture = { answers: answersOf("live", adapters), reviewOnly: false };
  const world = { root: baselines, answers, capture };
  const check = found.ok
    ? await inCheckSpan(step.name, async () => checkCase(found.value, world, explainCheck))
    : found.error;
  const { verdict } = check;
  if (verdict.kind !== "failed" || verdict.error.code !== "no_adapters") return check;
  return failedCheck(
    { file: inputPlace(planned), path: planned.path },
    kernelError(
      "no_adapters",
      `Step ${quote(step.name)} calls an adapter, and the configuration gives it none. ` +
        "Give it some: steps: () => [{ step, adapters }]",
    ),
  );
}

/** Counts a check, and gives it where it is to be told: what is clean, or to be written, is only counted. */
function toTell(check: Check, counts: CaptureCounts): Check | undefined {
  const { verdict, kept } = check;
  if (kept === "written") counts.proposed += 1;
  else if (verdict.kind === "clean") counts.unchanged += 1;
  else if (kept === "held") counts.changed += 1;
  else counts[verdict.kind === "broken" ? "broken" : "failed"] += 1;
  return passes(check) ? undefined : refusedAsFailed(check);
}

/** Of an input that is captured, a result that cannot be kept is a failure: it came to nothing. */
function refusedAsFailed(check: Check): Check {
  const { kept } = check;
  if (typeof kept !== "object") return check;
  return { ...check, verdict: { kind: "failed", error: kept.refused }, propose: undefined };
}
