import { err } from "../../kernel/result.ts";
import { isAsyncIterable } from "../../record/encode/builtins.ts";
import { type BodyProblem, type Exchange, MALFORMED, type Sent } from "./provider-response.ts";
import { errorOfThrown } from "./classify-client-error.ts";
import type { LLMCallOptions, LLMProvider, LLMResult } from "./provider.ts";
import type { LLMRequest } from "./request.ts";
import { resultOfResponse } from "./result-of-response.ts";

/** Options of every adapter. */
export interface AdapterOptions {
  /**
   * Adds the raw request and the raw response body to the trace, for audits. Default: false, because prompts are long.
   */
  readonly includeRawIO?: boolean | undefined;
  /** Clock that measures the duration of calls, in milliseconds. Default: `performance.now`. */
  readonly clock?: (() => number) | undefined;
}

/** Prepares a request with a complete or a streamed response. Throws a TypeError for one that can't be sent. */
type Prepare = (request: LLMRequest, streamed: boolean) => Exchange;

/**
 * Creates an {@link LLMProvider}: the part that all providers share. Each call sends one request. It isn't sent again
 * after a failure, neither here nor by the SDK: the step decides by `retryable` in the error.
 */
export function createProvider(adapter: AdapterOptions, prepare: Prepare): LLMProvider {
  return {
    complete: async (request, options = {}) => {
      refuseContext("complete", options);
      const call = new Call({ ...options, adapter, request, exchange: prepare(request, false) });
      return call.finish(async () => (await call.send()).data);
    },
    stream: async function* stream(request, options = {}) {
      refuseContext("stream", options);
      const exchange = prepare(request, true);
      const call = new Call({ ...options, adapter, request, exchange });
      const fold = exchange.fold();
      const read = yield* call.read((chunk) => fold.add(chunk));
      return call.finish(async () => {
        if ("thrown" in read) throw read.thrown;
        return fold.body() ?? unfinished();
      });
    },
  };
}

interface CallDetails extends LLMCallOptions {
  readonly adapter: AdapterOptions;
  readonly request: LLMRequest;
  readonly exchange: Exchange;
}

/** One call, from its first byte to its outcome. */
class Call {
  readonly #details: CallDetails;
  readonly #started: number;
  #requestId = "";

  constructor(details: CallDetails) {
    this.#details = details;
    this.#started = this.#now();
  }

  async send(): Promise<Sent> {
    const { exchange, signal } = this.#details;
    signal?.throwIfAborted();
    const sent = await exchange.send(signal);
    this.#requestId = sent.requestId;
    return sent;
  }

  /** Yields the text of each chunk. A failure is returned, because a stream's failure is a value. */
  async *read(
    textOf: (chunk: unknown) => string,
  ): AsyncGenerator<string, { readonly thrown: unknown } | { readonly done: true }, void> {
    try {
      const { data } = await this.send();
      if (!isAsyncIterable(data)) throw new TypeError("the client didn't return a stream for a streamed request");
      for await (const chunk of data) {
        const text = textOf(chunk);
        if (text !== "") yield text;
      }
      return { done: true };
    } catch (thrown) {
      return { thrown };
    }
  }

  /** Waits for the body and returns its result. */
  async finish(body: () => Promise<unknown>): Promise<LLMResult> {
    const { exchange, request, adapter } = this.#details;
    let data: unknown;
    try {
      data = await body();
    } catch (thrown) {
      return err(this.#failed(thrown));
    }
    const answer = exchange.read(data);
    if (!answer.ok) return err(this.#failed(answer.error));
    return resultOfResponse(answer.value, {
      provider: exchange.provider,
      request,
      model: exchange.model,
      sent: exchange.body,
      requestId: this.#requestId,
      durationMs: Math.round(this.#now() - this.#started),
      rawOutput: adapter.includeRawIO === true ? data : undefined,
    });
  }

  #failed(thrown: unknown): ReturnType<typeof errorOfThrown> {
    const { exchange, signal } = this.#details;
    const error = errorOfThrown(thrown, { provider: exchange.provider, signal });
    return this.#requestId === "" ? error : { requestId: this.#requestId, ...error };
  }

  #now(): number {
    return this.#details.adapter.clock?.() ?? performance.now();
  }
}

function unfinished(): never {
  const problem: BodyProblem = { code: MALFORMED, message: "the stream ended before the response was complete" };
  throw Object.assign(new Error(problem.message), problem);
}

/**
 * Returns the model that a request names, otherwise the adapter's default. Throws a TypeError if there is neither.
 */
export function modelOf({ model }: LLMRequest, fallback: string | undefined): string {
  const name = model ?? fallback;
  if (name !== undefined && name !== "") return name;
  throw new TypeError(
    "The request doesn't set a model, and the adapter doesn't have a default model. Set the model in one of them.",
  );
}

/**
 * Throws a TypeError for a step's context in place of a call's options. The recorded request would include it, with a
 * run id that no later run repeats.
 */
function refuseContext(method: "complete" | "stream", options: object): void {
  if (!("runId" in options || "adapters" in options || "emitEvent" in options)) return;
  throw new TypeError(
    `llm.${method} received a step's context. ` +
      `Call ${method}(ctx, request) of "veritest/llm" instead: ` +
      "it calls ctx.adapters.llm and keeps the artifacts.",
  );
}
