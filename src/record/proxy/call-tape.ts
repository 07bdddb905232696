import { type AdapterCall, type AdapterReturns, type StreamResponse, answerPath } from "../adapter-call.ts";
import { encode } from "../encode/encode.ts";
import type { CallSpan } from "../call-span.ts";
import type { RecordingRules } from "../recording-rules.ts";
import { messageOf } from "../../kernel/thrown.ts";

type CallOutcome =
  | { readonly kind: "pending" }
  | { readonly kind: "settled"; readonly outcome: Pick<AdapterCall, "response" | "error"> }
  | { readonly kind: "streaming"; readonly tape: StreamTape }
  | { readonly kind: "unrecordable"; readonly problem: string };

/** Writes down one call of an adapter from its start to its settlement; values are encoded as they pass. */
export class CallTape {
  readonly #call: Pick<AdapterCall, "adapter" | "request" | "occurrence" | "role">;
  readonly #rules: RecordingRules;
  #answerPath: string | undefined;
  #returns: AdapterReturns = "value";
  #noted: string | undefined;
  #outcome: CallOutcome = { kind: "pending" };
  readonly #span: CallSpan | undefined;

  constructor(
    call: Pick<AdapterCall, "adapter" | "request" | "occurrence" | "role">,
    rules: RecordingRules,
    span: CallSpan | undefined,
  ) {
    this.#call = call;
    this.#rules = rules;
    this.#span = span;
  }

  /** Makes the call; where it is traced, others that trace it are seen. */
  within<T>(call: () => T): T {
    return this.#span === undefined ? call() : this.#span.within(call);
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
    const onEnd = (): void => this.#span?.end(tape.outcome());
    const tape: StreamTape = new StreamTape(readable, { adapter, rules: this.#rules, onEnd });
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
      const outcome = encodeOutcome();
      this.#outcome = { kind: "settled", outcome };
      this.#span?.end(outcome);
    } catch (error) {
      this.#outcome = { kind: "unrecordable", problem: `${what} that cannot be recorded: ${messageOf(error)}` };
      this.#span?.end({});
    }
  }
}

/** Whose stream it is, and who hears of its end. */
interface StreamOf {
  readonly adapter: string;
  readonly rules: RecordingRules;
  readonly onEnd: () => void;
}

type StreamEnd =
  | { readonly kind: "open" }
  | { readonly kind: "closed" }
  | { readonly kind: "done"; readonly returned: unknown }
  | { readonly kind: "failed"; readonly error: unknown };

/** Writes down one stream while a step consumes it; values are encoded as they pass. */
export class StreamTape {
  readonly #readable: boolean;
  readonly #of: StreamOf;
  readonly #chunks: unknown[] = [];
  #written: { readonly count: number; readonly chunks: readonly unknown[] } | undefined;
  #end: StreamEnd = { kind: "open" };
  #opened = false;
  #used = false;
  #reading = 0;
  #problem: string | undefined;

  /** `readable` says that the stream is a ReadableStream, not just async-iterable. */
  constructor(readable: boolean, of: StreamOf) {
    this.#readable = readable;
    this.#of = of;
  }

  /** Performs one read of the source and notes what came; the caller gets it unchanged. */
  async follow(read: () => Promise<IteratorResult<unknown, unknown>>): Promise<IteratorResult<unknown, unknown>> {
    this.#opened = true;
    this.#reading += 1;
    try {
      const result = await read();
      this.#keep(() => this.#note(result));
      return result;
    } catch (error) {
      this.#keep(() =>
        this.#finish({
          kind: "failed",
          error: this.#of.rules.error(this.#of.adapter, encode(error, { opaque: "omit" })),
        }),
      );
      throw error;
    } finally {
      this.#reading -= 1;
    }
  }

  /** The consumer stops: what the source may still give is no part of the recording. */
  close(): void {
    this.#opened = true;
    this.#finish({ kind: "closed" });
  }

  /** The stream is iterated anew; a recording holds one iteration only. */
  reopen(): void {
    this.#problem ??= "returned a stream that was iterated more than once";
  }

  /** Something else of the stream was used and recorded, so that it need not be read. */
  used(): void {
    this.#opened = true;
    this.#used = true;
  }

  /** Why the stream cannot be recorded, to follow the adapter's name in a sentence; undefined when it can. */
  problem(): string | undefined {
    if (this.#problem !== undefined) return this.#problem;
    if (!this.#opened) return "returned a stream that was never consumed";
    if (this.#reading > 0) return "returned a stream that was still being read when the recording was taken";
    if (this.#end.kind !== "open" || this.#used) return undefined;
    return "returned a stream that was not read to its end; read it whole, or leave its loop by break";
  }

  /** What the stream gave so far. */
  outcome(): Pick<AdapterCall, "response" | "error"> {
    const end = this.#end;
    const response: StreamResponse = {
      chunks: this.#redacted(),
      done: end.kind === "done",
      ...(end.kind === "done" && end.returned !== undefined && { returned: end.returned }),
      ...(this.#readable && { readable: true }),
    };
    return end.kind === "failed" ? { response, error: end.error } : { response };
  }

  /** The chunks without secrets. They are known only together: a secret may be split between chunks. */
  #redacted(): readonly unknown[] {
    const count = this.#chunks.length;
    if (this.#written?.count !== count)
      this.#written = { count, chunks: this.#of.rules.chunks(this.#of.adapter, [...this.#chunks]) };
    return this.#written.chunks;
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
            : this.#of.rules.response(this.#of.adapter, encode(value, { methods: "keep" })),
      });
  }

  #finish(end: StreamEnd): void {
    if (this.#end.kind !== "open") return;
    this.#end = end;
    this.#of.onEnd();
  }

  #keep(write: () => void): void {
    try {
      write();
    } catch (error) {
      this.#problem ??= `returned a stream that cannot be recorded: ${messageOf(error)}`;
    }
  }
}
