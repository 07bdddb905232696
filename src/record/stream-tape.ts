import type { AdapterCall, StreamResponse } from "./adapter-call.ts";
import { encode } from "./encode.ts";
import type { RecordingRules } from "./recording-rules.ts";
import { thrownMessage } from "./thrown-message.ts";

type StreamEnd =
  | { readonly kind: "open" }
  | { readonly kind: "closed" }
  | { readonly kind: "done"; readonly returned: unknown }
  | { readonly kind: "failed"; readonly error: unknown };

/** Writes down one stream while a step consumes it; values are encoded as they pass. */
export class StreamTape {
  readonly #readable: boolean;
  readonly #of: { readonly adapter: string; readonly rules: RecordingRules };
  readonly #chunks: unknown[] = [];
  #written: { readonly count: number; readonly chunks: readonly unknown[] } | undefined;
  #end: StreamEnd = { kind: "open" };
  #opened = false;
  #used = false;
  #reading = 0;
  #problem: string | undefined;

  /** `readable` says that the stream is a ReadableStream, not just async-iterable. */
  constructor(readable: boolean, of: { readonly adapter: string; readonly rules: RecordingRules }) {
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
    if (this.#end.kind === "open") this.#end = end;
  }

  #keep(write: () => void): void {
    try {
      write();
    } catch (error) {
      this.#problem ??= `returned a stream that cannot be recorded: ${thrownMessage(error)}`;
    }
  }
}
