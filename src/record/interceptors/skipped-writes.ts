import type { CallRole } from "../../kernel/call-role.ts";
import { type AdapterCall, adapterName } from "../adapter-call.ts";
import { encode } from "../encode/encode.ts";
import { recordingRules } from "../recording-rules.ts";
import { CallIndex } from "../replay/call-index.ts";
import type { UnrecordedRequest } from "../replay/unrecorded-request.ts";
import { replayCall } from "../replay/replay-call.ts";
import type { EffectCall, WriteInterceptor } from "./recording-scope.ts";

/** What a step gets where a write is held and nothing can answer in its place. */
class EffectUnansweredError extends Error {
  readonly _tag = "EffectUnanswered" as const;

  constructor(adapter: string) {
    super(unanswered(adapter));
    this.name = "EffectUnansweredError";
  }
}

/** A write that nothing answers, and the three ways to answer it, in words. */
function unanswered(adapter: string): string {
  return (
    `The write ${adapterName(adapter)} does not run in a test, and nothing answers in its place. ` +
    'Give its tool a stub, or let it run with effects: "run": once, to record its answer, or always.'
  );
}

/**
 * Holds the writes of a live run: each is answered as the same request was answered when it was recorded, else by its
 * tool's `stub`, else with an error.
 */
export class SkippedWrites implements WriteInterceptor {
  readonly #index: CallIndex;
  readonly #rules = recordingRules();
  readonly #roleOf: ((call: Pick<AdapterCall, "adapter" | "request">) => CallRole) | undefined;
  readonly #unanswered: string[] = [];
  #proposed = 0;

  /** `roleOf` where roles are declared: what a tool says of itself is known without it. */
  constructor(recorded: readonly AdapterCall[], roleOf?: (call: Pick<AdapterCall, "adapter" | "request">) => CallRole) {
    this.#index = new CallIndex(recorded, this.#rules);
    this.#roleOf = roleOf;
  }

  /** How many writes the step asked for; none of them ran. */
  get proposed(): number {
    return this.#proposed;
  }

  /** A sentence for each adapter whose write nothing could answer, also where the step caught the error. */
  get unanswered(): readonly string[] {
    return [...new Set(this.#unanswered)];
  }

  /** What answers in the place of a write; undefined for a call that may run. */
  readonly intercept = (call: EffectCall): (() => unknown) | undefined => {
    const { adapter, args, facts } = call;
    const role = this.#roleOf?.({ adapter, request: args }) ?? facts?.role;
    if (role !== "write") return undefined;
    this.#proposed += 1;
    return () => this.#answer(call);
  };

  #answer({ adapter, args, facts }: EffectCall): unknown {
    const request = this.#rules.request(adapter, encode(args, { opaque: "omit" }));
    const taken = this.#index.take(adapter, request);
    const known = "reason" in taken ? lastOf(taken) : taken;
    if (known !== undefined) {
      const exhausted = (limit: number): Error => new Error(`The recorded stream has no more than ${limit} chunks.`);
      return replayCall(known, { exhausted, places: { index: this.#index, place: () => ({}) } });
    }
    if (facts?.stub !== undefined) return facts.stub(...args);
    this.#unanswered.push(unanswered(adapter));
    throw new EffectUnansweredError(adapter);
  }
}

/**
 * Asked once more than it was recorded, a write is answered as the last time: that it is asked again is told anyway.
 */
function lastOf({ reason, nearest }: UnrecordedRequest): AdapterCall | undefined {
  return reason === "repeated" ? nearest : undefined;
}
