import type { Result } from "../../kernel/result.ts";
import type { Artifact } from "../../kernel/step/artifact.ts";
import type { StepContext } from "../../kernel/step/context.ts";
import type { LLMError } from "./llm-error.ts";
import type { LLMRequest } from "./request.ts";
import type { LLMResponse } from "./response.ts";

/** Outcome of a model call: its response, or an error. */
export type LLMResult = Result<LLMResponse, LLMError>;

/** Options of a call. They aren't part of the request: a recording omits the signal. */
export interface LLMCallOptions {
  /** Not an option. Its type makes it an error to pass a step's context, which would become a part of the request. */
  readonly runId?: never;
  /**
   * Signal that ends the call early. The error is `timeout` for a signal of `AbortSignal.timeout`, and `aborted` for
   * any other.
   */
  readonly signal?: AbortSignal;
}

/**
 * Model that you pass to a step as the adapter `llm`. Its methods take and return plain data, so veritest can record
 * the complete call. To also create the artifacts of a call, use the functions `complete(ctx, request)` and
 * `stream(ctx, request)`. They create the artifacts in a replay, too.
 */
export interface LLMProvider {
  /** Sends exactly one HTTP request. Returns expected failures as an error result, and throws only on incorrect use. */
  complete(request: LLMRequest, options?: LLMCallOptions): Promise<LLMResult>;
  /** Yields the response text in chunks, and returns the result. Sends the request when you read the first chunk. */
  stream(request: LLMRequest, options?: LLMCallOptions): AsyncGenerator<string, LLMResult, void>;
}

/** Context of a step whose adapters include a model: `run: (input, ctx: LLMContext) => …`. */
export type LLMContext = StepContext<{ llm: LLMProvider }>;

/** Part of a step's context that model calls need. A script outside of a step can create one. */
export interface LLMCallContext {
  readonly adapters: { readonly llm: LLMProvider };
  readonly onArtifact?: ((artifact: Artifact | Promise<Artifact>) => void) | undefined;
}
