import type { AdapterCall, StreamResponse } from "../adapter-call.ts";
import { encode } from "../encode/encode.ts";
import { inAdapter } from "../interceptors/recording-scope.ts";
import type { RecordingRules } from "../recording-rules.ts";
import { messageOf } from "../../kernel/error-message.ts";

/** Source of a stream's chunks. */
export type Source = AsyncIterator<unknown, unknown, unknown>;

/** Returns an iteration of a stream that records each chunk as the step reads it. */
export function recordIteration(
  source: Source,
  recorder: StreamRecorder,
  mirror?: MirrorChunk,
): AsyncIterableIterator<unknown, unknown, unknown> {
  return {
    next: (...args) => recorder.follow(() => inAdapter(() => source.next(...args)), mirror),
    return: async (value) => {
      recorder.close();
      return source.return === undefined
        ? { done: true, value: await value }
        : inAdapter(async () => source.return?.(value) ?? { done: true, value });
    },
    throw: (error: unknown) => recorder.follow(() => inAdapter(() => throwInto(source, error))),
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

async function throwInto(source: Source, error: unknown): Promise<IteratorResult<unknown, unknown>> {
  if (source.throw === undefined) throw error;
  return source.throw(error);
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
      return "returned a stream that was still being read when the recording ended. Read all of it, or exit its loop";
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
