import { type AdapterCall, type AdapterReturns, responsePath } from "../adapter-call.ts";
import { httpRequestOf } from "../model-call.ts";
import { encode } from "../encode/encode.ts";
import type { CallSpan } from "../call-span.ts";
import type { RecordingRules } from "../recording-rules.ts";
import { messageOf } from "../../kernel/error-message.ts";
import { StreamRecorder } from "./stream-recorder.ts";

type CallOutcome =
  | { readonly kind: "pending" }
  /** Without a response when the run ended. */
  | { readonly kind: "open" }
  | { readonly kind: "recorded"; readonly outcome: Pick<AdapterCall, "response" | "error"> }
  | { readonly kind: "streaming"; readonly recorder: StreamRecorder }
  | { readonly kind: "unrecordable"; readonly problem: string };

/** A call that was made, without its outcome. */
export type StartedCall = Pick<AdapterCall, "adapter" | "request" | "occurrence" | "role" | "parallel">;

/** Subject of the problem of a value that can't be recorded. */
const VALUE = "returned a value";

/** Clients have cycles. A method that returns one, or a copy of one, is refused: `connect()`, `withOptions()`. */
const CLIENT_HINT = ". If it's a client, create or connect it before the step runs, and pass it as a separate adapter";

/** Records one call of an adapter from its start to its end. Values are encoded as they pass. */
export class CallRecorder {
  readonly #call: StartedCall;
  readonly #rules: RecordingRules;
  #pathOfResponse: string | undefined;
  #returns: AdapterReturns = "value";
  #notedProblem: string | undefined;
  #headers: AdapterCall["headers"];
  #outcome: CallOutcome = { kind: "pending" };
  readonly #span: CallSpan | undefined;
  readonly #onCompletion: () => number;
  #completed: number | undefined;
  #hasResponse = false;
  #isComplete = false;
  #signal: AbortSignal | undefined;
  #isAborted = false;

  constructor(
    call: StartedCall,
    rules: RecordingRules,
    { span, onCompletion }: { readonly span: CallSpan | undefined; readonly onCompletion: () => number },
  ) {
    this.#call = call;
    this.#rules = rules;
    this.#span = span;
    this.#onCompletion = onCompletion;
  }

  /** Notes that the step has the response, though its content is still being recorded. */
  markResponded(): void {
    this.#hasResponse = true;
    this.#completed ??= this.#onCompletion();
  }

  /** Ends the recording of a call that has no response when its run ends: a later one isn't recorded. */
  close(): void {
    const isOpen = this.#outcome.kind === "pending" && this.#returns === "promise" && !this.#hasResponse;
    if (isOpen) this.#outcome = { kind: "open" };
    if (this.#outcome.kind === "streaming") this.#outcome.recorder.leave();
  }

  /** Number of calls directly before this one that had no response when it was made. */
  get parallel(): number {
    return this.#call.parallel ?? 0;
  }

  /** Returns true until the step has the response. */
  get isOpen(): boolean {
    return this.#completed === undefined;
  }

  /** Number of responses before this one; undefined without a response that came by a promise. */
  get completed(): number | undefined {
    return this.#returns === "promise" || this.#returns === "promise-of-stream" ? this.#completed : undefined;
  }

  /** Makes the call. If the call is traced, other tracers of it are detected. */
  runInScope<T>(call: () => T): T {
    return this.#span === undefined ? call() : this.#span.runInScope(call);
  }

  /** The adapter that was called. */
  get adapter(): string {
    return this.#call.adapter;
  }

  /** Path under which uses of the response itself are recorded: the adapter's path with this call. */
  get pathOfResponse(): string {
    return (this.#pathOfResponse ??= responsePath(this.#call));
  }

  /** Notes a problem: a use of the response that a replay can't repeat. The text follows the adapter's name. */
  note(problem: string): void {
    this.#notedProblem ??= problem;
  }

  /** Marks the call as one that returned a pending promise. */
  markPromise(): void {
    this.#returns = "promise";
  }

  /** Marks the call as one whose promise is iterated itself: a replay returns the stream. Returns this recorder. */
  withoutPromise(): this {
    this.#returns = "value";
    return this;
  }

  /** Notes the headers of a request that may explain another response. */
  setHeaders(headers: AdapterCall["headers"]): void {
    this.#headers = headers;
  }

  /** Notes the signal by which the caller may abort the call. */
  setSignal(signal: AbortSignal | undefined): void {
    this.#signal = signal;
  }

  /** Records the value that the adapter returned, or that its promise resolved to. */
  returned(value: unknown): void {
    this.#end(VALUE, () => ({
      response: this.#rules.response(this.#call.adapter, encode(value, { methods: "apart" })),
    }));
  }

  /** Records the error that the adapter threw, or that its promise rejected with. */
  threw(error: unknown): void {
    this.#isAborted = this.#signal?.aborted === true;
    this.#end("threw an error", () => ({
      error: this.#rules.error(this.#call.adapter, encode(error, { opaque: "omit" })),
    }));
  }

  /** Notes the error because of which a value that the adapter returned can't be recorded. */
  failed(error: unknown): void {
    this.#end(VALUE, () => {
      throw error;
    });
  }

  /** Marks the call as one that returned a stream. The returned recorder takes its chunks. */
  streams(readable: boolean): StreamRecorder {
    const { adapter } = this.#call;
    const onEnd = (): void => {
      this.#isAborted = this.#signal?.aborted === true;
      this.#span?.end(recorder.outcome());
    };
    const recorder: StreamRecorder = new StreamRecorder(readable, { adapter, rules: this.#rules, onEnd });
    if (this.#outcome.kind === "open") return recorder;
    this.#completed ??= this.#onCompletion();
    this.#returns = this.#returns === "promise" ? "promise-of-stream" : "stream";
    this.#outcome = { kind: "streaming", recorder };
    return recorder;
  }

  /** Notes that the complete response has arrived, though it isn't recorded yet. */
  markComplete(): void {
    this.#isComplete = true;
  }

  /** Returns true until the complete response has arrived. */
  isPending(): boolean {
    return this.#outcome.kind === "pending" && !this.#isComplete;
  }

  /** Returns true for a request of `fetch` to another machine. */
  isRemoteFetch(): boolean {
    const http = httpRequestOf(this.#call);
    return http !== undefined && !/^https?:\/\/(?:localhost|127\.[\d.]+|\[::1\])(?::\d+)?$/.test(http.origin);
  }

  /** The recorded call; undefined while it is pending, or if it can't be recorded. */
  call(): AdapterCall | undefined {
    if (this.#outcome.kind === "open") return { ...this.#call, returns: this.#returns, open: true };
    const outcome = this.#recordedOutcome();
    if (outcome === undefined) return undefined;
    const headers = this.#headers;
    return {
      ...this.#call,
      returns: this.#returns,
      ...outcome,
      ...(this.#isAborted && Object.hasOwn(outcome, "error") && { aborted: true }),
      ...(headers !== undefined && { headers }),
    };
  }

  /** Reason why the record of this call isn't faithful; undefined if it is. The text follows the adapter's name. */
  problem(): string | undefined {
    if (this.#notedProblem !== undefined) return this.#notedProblem;
    switch (this.#outcome.kind) {
      case "pending":
        return "was still pending when the recording ended. Await the call";
      case "open":
      case "recorded":
        return undefined;
      case "streaming":
        return this.#outcome.recorder.problem();
      case "unrecordable":
        return this.#outcome.problem;
    }
  }

  #recordedOutcome(): Pick<AdapterCall, "response" | "error"> | undefined {
    if (this.#outcome.kind === "recorded") return this.#outcome.outcome;
    return this.#outcome.kind === "streaming" ? this.#outcome.recorder.outcome() : undefined;
  }

  #end(subject: string, encodeOutcome: () => Pick<AdapterCall, "response" | "error">): void {
    if (this.#outcome.kind === "open") return;
    this.#completed ??= this.#onCompletion();
    try {
      const outcome = encodeOutcome();
      this.#outcome = { kind: "recorded", outcome };
      this.#span?.end(outcome);
    } catch (error) {
      const reason = messageOf(error);
      const hint = reason.startsWith("cannot record a cycle") ? CLIENT_HINT : "";
      this.#outcome = { kind: "unrecordable", problem: `${subject} that can't be recorded: ${reason}${hint}` };
      this.#span?.end({});
    }
  }
}
