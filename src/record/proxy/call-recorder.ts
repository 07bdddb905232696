import { type AdapterCall, type AdapterReturns, type StreamResponse, responsePath } from "../adapter-call.ts";
import { httpRequestOf } from "../model-call.ts";
import { encode } from "../encode/encode.ts";
import type { CallSpan } from "../call-span.ts";
import type { RecordingRules } from "../recording-rules.ts";
import { messageOf } from "../../kernel/error-message.ts";

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
        return "was still pending when the recording was taken";
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

/** Adapter that a stream belongs to, with a callback for its end. */
interface StreamOf {
  readonly adapter: string;
  readonly rules: RecordingRules;
  readonly onEnd: () => void;
}

/** Returns a chunk of a stream, or its stub; `index` is its position among the recorded chunks. */
export type MirrorChunk = (chunk: unknown, index: number) => unknown;

type StreamEnd =
  | { readonly kind: "open" }
  | { readonly kind: "closed" }
  /** Not at its end when the run ended. */
  | { readonly kind: "left" }
  | { readonly kind: "done"; readonly returned: unknown }
  | { readonly kind: "failed"; readonly error: unknown };

/** Records one stream while a step consumes it. Values are encoded as they pass. */
export class StreamRecorder {
  readonly #readable: boolean;
  readonly #source: StreamOf;
  readonly #chunks: unknown[] = [];
  #redactedChunks: { readonly count: number; readonly chunks: readonly unknown[] } | undefined;
  #end: StreamEnd = { kind: "open" };
  #opened = false;
  #used = false;
  #reading = 0;
  #problem: string | undefined;

  /** `readable` is true for a ReadableStream, which is more than async-iterable. */
  constructor(readable: boolean, source: StreamOf) {
    this.#readable = readable;
    this.#source = source;
  }

  /** Reads from the source once and records the result. Returns it, with the stub of a chunk that has methods. */
  async follow(
    read: () => Promise<IteratorResult<unknown, unknown>>,
    mirror: MirrorChunk = (chunk) => chunk,
  ): Promise<IteratorResult<unknown, unknown>> {
    this.#opened = true;
    this.#reading += 1;
    try {
      const result = await read();
      this.#tryToRecord(() => this.#note(result));
      return result.done === true ? result : { done: false, value: mirror(result.value, this.#chunks.length - 1) };
    } catch (error) {
      this.#tryToRecord(() =>
        this.#finish({
          kind: "failed",
          error: this.#source.rules.error(this.#source.adapter, encode(error, { opaque: "omit" })),
        }),
      );
      throw error;
    } finally {
      this.#reading -= 1;
    }
  }

  /** Ends the recording when the consumer stops. Later chunks of the source aren't recorded. */
  close(): void {
    this.#opened = true;
    this.#finish({ kind: "closed" });
  }

  /** Ends the recording of a stream that is still read ahead when its run ends, such as by the AI SDK after a break. */
  leave(): void {
    if (this.#reading > 0 || (this.#readable && this.#opened)) this.#finish({ kind: "left" });
  }

  /** Notes that the stream is iterated again: a recording has only one iteration. */
  reopen(): void {
    this.#problem ??= "returned a stream that was iterated more than once";
  }

  /** Notes that another member of the stream was used and recorded, so the step doesn't have to read the stream. */
  markUsed(): void {
    this.#opened = true;
    this.#used = true;
  }

  /** Reason why the stream can't be recorded; undefined if it can. The text follows the adapter's name. */
  problem(): string | undefined {
    if (this.#problem !== undefined) return this.#problem;
    if (!this.#opened) return "returned a stream that was never consumed";
    if (this.#reading > 0 && this.#end.kind === "open")
      return "returned a stream that was still being read when the recording was taken";
    if (this.#end.kind !== "open" || this.#used) return undefined;
    return "returned a stream that wasn't read to the end. Read all of it, or exit the loop with break";
  }

  /** The chunks and the end of the stream so far. */
  outcome(): Pick<AdapterCall, "response" | "error"> {
    const end = this.#end;
    const response: StreamResponse = {
      chunks: this.#redactChunks(),
      done: end.kind === "done",
      ...(end.kind === "left" && { open: true }),
      ...(end.kind === "done" && end.returned !== undefined && { returned: end.returned }),
      ...(this.#readable && { readable: true }),
    };
    return end.kind === "failed" ? { response, error: end.error } : { response };
  }

  /** The chunks without secrets. All chunks are redacted together, because a secret may be split between them. */
  #redactChunks(): readonly unknown[] {
    const count = this.#chunks.length;
    if (this.#redactedChunks?.count !== count)
      this.#redactedChunks = { count, chunks: this.#source.rules.chunks(this.#source.adapter, [...this.#chunks]) };
    return this.#redactedChunks.chunks;
  }

  #note({ done, value }: IteratorResult<unknown, unknown>): void {
    if (this.#end.kind !== "open") return;
    if (done !== true) this.#chunks.push(encode(value, { methods: "keep" }));
    else
      this.#finish({
        kind: "done",
        returned:
          value === undefined
            ? undefined
            : this.#source.rules.response(this.#source.adapter, encode(value, { methods: "keep" })),
      });
  }

  #finish(end: StreamEnd): void {
    if (this.#end.kind !== "open") return;
    this.#end = end;
    this.#source.onEnd();
  }

  #tryToRecord(write: () => void): void {
    try {
      write();
    } catch (error) {
      this.#problem ??= `returned a stream that can't be recorded: ${messageOf(error)}`;
    }
  }
}
