import { isDeepStrictEqual } from "node:util";
import { setTimeout as startTimer, clearTimeout as stopTimer } from "node:timers";
import { cloneData } from "../../kernel/json/clone-data.ts";
import type { Result } from "../../kernel/result.ts";
import { CHECK_RUN_ID } from "../../check/check.ts";
import { messageOf } from "../../kernel/error-message.ts";
import type { AdapterCall } from "../../record/adapter-call.ts";
import { replayAdapters } from "../../record/replay/replay-adapters.ts";
import { recordedStep } from "../../record/interceptors/recorders.ts";
import { type PurityUse, watchPurity } from "../../record/watch-purity.ts";
import { type Recording, withReplay } from "../../record/with-replay.ts";
import type { BaseAdapters } from "../../kernel/step/context.ts";
import type { AnyStep } from "../../kernel/step/define-step.ts";
import type { StepError } from "../../kernel/step/fail.ts";
import { run } from "../../kernel/step/run.ts";
import type { StepResult } from "../../kernel/step/step-result.ts";

/** What answers one run of a step. */
export interface TrialResponses {
  readonly adapters: BaseAdapters;
  /** Runs something and answers what it asks past its adapters. */
  readonly within?: <T>(run: () => T | PromiseLike<T>) => Promise<T>;
  /** Where it cannot answer all: what was asked and has no answer. */
  readonly unrecorded?: () => readonly { readonly adapter: string }[];
}

/** What a run of a step came to; undefined where it did not end in time. */
export type TrialResult = Result<StepResult, StepError> | undefined;

/** One run of a step on a drawn input, and all that was seen of it. */
export interface ObservedTrial {
  readonly ran: TrialResult;
  readonly calls: readonly AdapterCall[];
  /** Why nothing of it could be kept, where it gave what is no data: then it came to nothing else. */
  readonly unstorable?: string;
  /** What it used beside its adapters. */
  readonly uses: readonly PurityUse[];
  /** True where the step changed the input that it was given. */
  readonly inputChanged: boolean;
}

/** A run whose result no recording can hold. */
type Unstorable = Required<Pick<ObservedTrial, "unstorable">>;

/** How one run is watched. */
export interface Watch {
  /** Milliseconds after which a run counts as one that hangs. */
  readonly limit: number;
  /** Whether uses of time, random numbers and the network are looked for. */
  readonly pure: boolean;
}

/** Runs a step on an input and watches it: never rejects with what the step does. */
export async function observeTrial(
  step: AnyStep,
  input: unknown,
  { answering, watch }: { readonly answering: TrialResponses; readonly watch: Watch },
): Promise<ObservedTrial> {
  let inputChanged = false;
  const guarded: AnyStep = {
    ...step,
    run: async (parsed, ctx) => {
      const before = cloneData(parsed);
      try {
        return await step.run(parsed, ctx);
      } finally {
        inputChanged = !isDeepStrictEqual(before, parsed);
      }
    },
  };
  const { adapters, within: inside = async (work) => work() } = answering;
  // The recording within what answers, else what is answered past the adapters would not be recorded.
  const recorded = async (): Promise<Recording | Unstorable> =>
    inside(() => withReplay(guarded, input, { adapters, runId: CHECK_RUN_ID })).catch((thrown: unknown) => ({
      unstorable: messageOf(thrown),
    }));
  // The watch ends where the time does: a run that hangs must not leave its traps behind.
  const timed = async (): ReturnType<typeof inTime<Recording | Unstorable>> => inTime(recorded(), watch.limit);
  const { value, uses } = watch.pure ? await watchPurity(timed) : { value: await timed(), uses: [] };
  const seen = { uses, inputChanged, calls: [] };
  if (value === undefined) return { ...seen, ran: undefined };
  if ("unstorable" in value) return { ...seen, ran: undefined, unstorable: value.unstorable };
  return { ...seen, ran: value.result, calls: value.calls };
}

/** Runs a step on an input once more, unwatched, with other answers of the same kind. */
export async function runAgain(
  step: AnyStep,
  input: unknown,
  { answering, limit }: { readonly answering: TrialResponses; readonly limit: number },
): Promise<TrialResult> {
  const { adapters } = answering;
  return inTime(run(within(step, answering), input, { adapters, runId: CHECK_RUN_ID }), limit);
}

/** What serves the calls of a run again. */
export function responsesFrom(calls: readonly AdapterCall[]): TrialResponses {
  // A server that answers nothing took a tenth of a small step's run.
  if (calls.length === 0) return { adapters: {} };
  const { adapters, within: inside, unrecorded } = replayAdapters(calls);
  return { adapters, within: inside, unrecorded: unrecorded };
}

function within(step: AnyStep, { within: inside }: TrialResponses): AnyStep {
  return inside === undefined ? step : recordedStep(step, inside);
}

/** What a promise resolves to; undefined where that takes longer than `limit` milliseconds. */
async function inTime<T>(work: Promise<T>, limit: number): Promise<T | undefined> {
  // Not the global ones: tests put others in their place.
  let timer: ReturnType<typeof startTimer> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = startTimer(() => resolve(undefined), limit);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    stopTimer(timer);
  }
}
