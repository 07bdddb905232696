import type { CallRole } from "../../kernel/call-role.ts";
import { type AdapterCall, adapterName } from "../adapter-call.ts";
import { exactPattern } from "../model-call.ts";
import { encodeArguments } from "../encode/encode.ts";
import { recordingRules } from "../recording-rules.ts";
import { CallIndex } from "../replay/call-index.ts";
import type { UnrecordedRequest } from "../replay/unrecorded-request.ts";
import { replayCall } from "../replay/replay-call.ts";
import type { EffectCall, WriteInterceptor } from "./recording-scope.ts";

/** Error of a write that is skipped and has no recorded response or stub. */
class EffectUnansweredError extends Error {
  readonly _tag = "EffectUnanswered" as const;

  constructor(call: EffectCall) {
    super(unanswered(call));
    this.name = "EffectUnansweredError";
  }
}

/** Explains a write without a response, and the three ways to provide one. */
function unanswered({ adapter, args, facts }: EffectCall): string {
  const name = exactPattern({ adapter, request: args }) ?? adapterName(adapter);
  const undeclared =
    facts?.isUndeclared === true
      ? `No effect is declared for ${adapterName(adapter)}, so it counts as a write. ` +
        'If it only reads, declare the effect "read". '
      : "";
  return (
    `Tests don't run the write ${name}, and it has no stub. ${undeclared}` +
    'Add a stub to the tool, or pass effects: "run" to run the write with live adapters.'
  );
}

/** Returns the declared role of a call; undefined if none is declared. */
export type DeclaredRole = (call: Pick<AdapterCall, "adapter" | "request">) => CallRole | undefined;

/**
 * Skips the writes of a live run: each gets the recorded response of the same request, its tool's `stub`, or an error.
 */
export class SkippedWrites implements WriteInterceptor {
  readonly #index: CallIndex;
  readonly #rules = recordingRules();
  readonly #roleOf: DeclaredRole | undefined;
  readonly #unanswered: string[] = [];
  #skipped = 0;

  /** `roleOf` is needed only if roles are declared: a tool's own declaration is known without it. */
  constructor(recorded: readonly AdapterCall[], roleOf?: DeclaredRole) {
    this.#index = new CallIndex(recorded, this.#rules);
    this.#roleOf = roleOf;
  }

  /** Number of writes that the step requested; none of them ran. */
  get proposed(): number {
    return this.#skipped;
  }

  /** A sentence for each adapter whose write has no response, even if the step caught the error. */
  get unanswered(): readonly string[] {
    return [...new Set(this.#unanswered)];
  }

  /** Replacement of a write; undefined for a call that may run. */
  readonly intercept = (call: EffectCall): (() => unknown) | undefined => {
    const { adapter, args, facts } = call;
    const role = this.#roleOf?.({ adapter, request: args }) ?? facts?.role;
    if (role !== "write") return undefined;
    this.#skipped += 1;
    return () => this.#respond(call);
  };

  #respond(call: EffectCall): unknown {
    const { adapter, args, facts } = call;
    const request = this.#rules.request(adapter, encodeArguments(args));
    const match = this.#index.take(adapter, request);
    const known = "reason" in match ? this.#lastOf(match) : match;
    if (known !== undefined) {
      const exhausted = (limit: number): Error =>
        new Error(`The step read beyond the ${limit} recorded chunks of the stream.`);
      return replayCall(known, { exhausted, paths: { index: this.#index, objectAt: () => ({}) } });
    }
    if (facts?.stub !== undefined) return facts.stub(...args);
    this.#unanswered.push(unanswered(call));
    throw new EffectUnansweredError(call);
  }

  /**
   * Returns the last recorded call of a write that is repeated more often than recorded: the diff of calls reports the
   * repetition. It has no turn: that of its response has passed.
   */
  #lastOf({ adapter, request, reason }: UnrecordedRequest): AdapterCall | undefined {
    const last = reason === "repeated" ? this.#index.last(adapter, request) : undefined;
    if (last === undefined || this.#index.refusal(last, request) !== undefined) return undefined;
    const { completed: _turn, ...call } = last;
    return call;
  }
}
