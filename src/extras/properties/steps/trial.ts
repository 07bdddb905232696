import { isDeepStrictEqual } from "node:util";
import { setTimeout as startTimer, clearTimeout as stopTimer } from "node:timers";
import { cloneData } from "../../../kernel/json/plain-data.ts";
import type { Result } from "../../../kernel/result.ts";
import { CHECK_RUN_ID } from "../../../check/check.ts";
import { messageOf } from "../../../kernel/error-message.ts";
import type { AdapterCall } from "../../../record/adapter-call.ts";
import { replayAdapters } from "../../../record/replay/replay-adapters.ts";
import { recordedStep } from "../../../record/interceptors/recorders.ts";
import { type PurityUse, watchPurity } from "../../../record/watch-purity.ts";
import { type Recording, withReplay } from "../../../record/with-replay.ts";
import type { BaseAdapters } from "../../../kernel/step/context.ts";
import type { AnyStep } from "../../../kernel/step/define-step.ts";
import type { StepError } from "../../../kernel/step/fail.ts";
import { type RunInScope, run } from "../../../kernel/step/run.ts";
import type { StepResult } from "../../../kernel/step/step-result.ts";

/** Source of responses for one run of a step. */
export interface TrialResponses {
  readonly adapters: BaseAdapters;
  /** Runs a function and responds to its requests outside the adapters. */
  readonly runInScope?: RunInScope;
  /** Requests without a response, if not all have one. */
  readonly unrecorded?: () => readonly { readonly adapter: string }[];
}

/** Result of a run of a step; undefined if it didn't end in time. */
export type TrialResult = Result<StepResult, StepError> | undefined;

/** One observed run of a step on a generated input. */
export interface ObservedTrial {
  readonly ran: TrialResult;
  readonly calls: readonly AdapterCall[];
  /** Reason why the result can't be stored, if it isn't data: then there is no other result. */
  readonly unstorable?: string;
  /** Direct uses outside its adapters. */
  readonly uses: readonly PurityUse[];
  /** True if the step changed its input. */
  readonly inputChanged: boolean;
}

/** Run whose result can't be recorded. */
type Unstorable = Required<Pick<ObservedTrial, "unstorable">>;

/** Settings of one observed run. */
export interface Watch {
  /** Milliseconds until a run counts as hanging. */
  readonly limit: number;
  /** True to watch for uses of time, random numbers and the network. */
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
  const { adapters, runInScope = async (work) => work() } = answering;
  // The recording within what answers, else what is answered past the adapters would not be recorded.
  const recorded = async (): Promise<Recording | Unstorable> =>
    runInScope(() => withReplay(guarded, input, { adapters, runId: CHECK_RUN_ID })).catch((thrown: unknown) => ({
      unstorable: messageOf(thrown),
    }));
  // The watch ends when the time does: a run that hangs must not leave its traps behind.
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
  return inTime(run(stepInScope(step, answering), input, { adapters, runId: CHECK_RUN_ID }), limit);
}

/** Replays the calls of a run. */
export function responsesFrom(calls: readonly AdapterCall[]): TrialResponses {
  // An empty replayer took a tenth of a small step's run: it's created when the step reads an adapter.
  if (calls.length === 0) return { adapters: UNRECORDED };
  const { adapters, runInScope, unrecorded } = replayAdapters(calls);
  return { adapters, runInScope, unrecorded };
}

/** Adapters of a run without calls: a step may read their members, or bind a function, without calling it. */
const UNRECORDED: BaseAdapters = new Proxy(
  {},
  {
    get: (_, name): unknown => Reflect.get(replayAdapters([]).adapters, name),
  },
);

function stepInScope(step: AnyStep, { runInScope }: TrialResponses): AnyStep {
  return runInScope === undefined ? step : recordedStep(step, runInScope);
}

/** Returns the resolved value of a promise; undefined if that takes longer than `limit` milliseconds. */
async function inTime<T>(work: Promise<T>, limit: number): Promise<T | undefined> {
  // Not the global ones: tests replace them.
  let timer: ReturnType<typeof startTimer> | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = startTimer(() => resolve(undefined), limit);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    stopTimer(timer);
  }
}
