import { type AdapterCall, type AdapterReturns, answerPath } from "./adapter-call.ts";
import { encode } from "./encode.ts";
import type { RecordingRules } from "./recording-rules.ts";
import { StreamTape } from "./stream-tape.ts";
import { thrownMessage } from "./thrown-message.ts";

type CallOutcome =
  | { readonly kind: "pending" }
  | { readonly kind: "settled"; readonly outcome: Pick<AdapterCall, "response" | "error"> }
  | { readonly kind: "streaming"; readonly tape: StreamTape }
  | { readonly kind: "unrecordable"; readonly problem: string };

/** Writes down one call of an adapter from its start to its settlement; values are encoded as they pass. */
export class CallTape {
  readonly #call: Pick<AdapterCall, "adapter" | "request" | "occurrence">;
  readonly #rules: RecordingRules;
  #answerPath: string | undefined;
  #returns: AdapterReturns = "value";
  #noted: string | undefined;
  #outcome: CallOutcome = { kind: "pending" };

  constructor(call: Pick<AdapterCall, "adapter" | "request" | "occurrence">, rules: RecordingRules) {
    this.#call = call;
    this.#rules = rules;
  }

  /** The adapter that was called. */
  get adapter(): string {
    return this.#call.adapter;
  }

  /** Where uses of the answer itself are recorded: the adapter's path with the call it belongs to. */
  get answerPath(): string {
    return (this.#answerPath ??= answerPath(this.#call));
  }

  /** Notes something about the answer that a replay could not repeat, worded to follow the adapter's name. */
  note(problem: string): void {
    this.#noted ??= problem;
  }

  /** The adapter answered with a promise, still to settle. */
  promised(): void {
    this.#returns = "promise";
  }

  /** The adapter returned, or its promise resolved. */
  returned(value: unknown): void {
    this.#settle("returned a value", () => ({
      response: this.#rules.response(this.#call.adapter, encode(value, { methods: "apart" })),
    }));
  }

  /** The adapter threw, or its promise rejected. */
  threw(error: unknown): void {
    this.#settle("threw an error", () => ({
      error: this.#rules.error(this.#call.adapter, encode(error, { opaque: "omit" })),
    }));
  }

  /** The adapter answered with a stream; chunks go to the tape handed back. */
  streams(readable: boolean): StreamTape {
    const { adapter } = this.#call;
    const tape = new StreamTape(readable, { adapter, rules: this.#rules });
    this.#returns = this.#returns === "promise" ? "promise-of-stream" : "stream";
    this.#outcome = { kind: "streaming", tape };
    return tape;
  }

  /** The call as recorded; undefined while it is pending or when it cannot be recorded. */
  call(): AdapterCall | undefined {
    const outcome = this.#recorded();
    return outcome === undefined ? undefined : { ...this.#call, returns: this.#returns, ...outcome };
  }

  /**
   * Why there is no faithful record of this call, to follow the adapter's name in a sentence; undefined when there is.
   */
  problem(): string | undefined {
    if (this.#noted !== undefined) return this.#noted;
    switch (this.#outcome.kind) {
      case "pending":
        return "was still pending when the recording was taken";
      case "settled":
        return undefined;
      case "streaming":
        return this.#outcome.tape.problem();
      case "unrecordable":
        return this.#outcome.problem;
    }
  }

  #recorded(): Pick<AdapterCall, "response" | "error"> | undefined {
    if (this.#outcome.kind === "settled") return this.#outcome.outcome;
    return this.#outcome.kind === "streaming" ? this.#outcome.tape.outcome() : undefined;
  }

  #settle(what: string, encodeOutcome: () => Pick<AdapterCall, "response" | "error">): void {
    try {
      this.#outcome = { kind: "settled", outcome: encodeOutcome() };
    } catch (error) {
      this.#outcome = { kind: "unrecordable", problem: `${what} that cannot be recorded: ${thrownMessage(error)}` };
    }
  }
}
