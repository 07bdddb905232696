import type { AdapterCall, StreamResponse } from "./adapter-call.ts";
import { encode } from "./encode.ts";
import { thrownMessage } from "./thrown-message.ts";

type StreamEnd =
  | { readonly kind: "open" }
  | { readonly kind: "closed" }
  | { readonly kind: "done"; readonly returned: unknown }
  | { readonly kind: "failed"; readonly error: unknown };

/** Writes down one stream while a step consumes it; values are encoded as they pass. */
export class StreamTape {
  readonly #readable: boolean;
  readonly #chunks: unknown[] = [];
  #end: StreamEnd = { kind: "open" };
  #opened = false;
  #reading = 0;
  #problem: string | undefined;

  /** `readable` says that the stream is a ReadableStream, not just async-iterable. */
  constructor(readable: boolean) {
    this.#readable = readable;
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
      this.#keep(() => this.#finish({ kind: "failed", error: encode(error, { opaque: "omit" }) }));
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

  /** Why the stream cannot be recorded, to follow the adapter's name in a sentence; undefined when it can. */
  problem(): string | undefined {
    if (this.#problem !== undefined) return this.#problem;
    if (!this.#opened) return "returned a stream that was never consumed";
    return this.#reading > 0 ? "returned a stream that was still being read when the recording was taken" : undefined;
  }

  /** What the stream gave so far. */
  outcome(): Pick<AdapterCall, "response" | "error"> {
    const end = this.#end;
    const response: StreamResponse = {
      chunks: [...this.#chunks],
      done: end.kind === "done",
      ...(end.kind === "done" && end.returned !== undefined && { returned: end.returned }),
      ...(this.#readable && { readable: true }),
    };
    return end.kind === "failed" ? { response, error: end.error } : { response };
  }

  #note({ done, value }: IteratorResult<unknown, unknown>): void {
    if (this.#end.kind !== "open") return;
    if (done !== true) this.#chunks.push(encode(value));
    else this.#finish({ kind: "done", returned: value === undefined ? undefined : encode(value) });
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
