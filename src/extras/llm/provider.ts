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
  /** Not an option. It makes it a type error to pass a step's context, which would become part of the request. */
  readonly runId?: never;
  /** Ends the call early. The error is `timeout` for a signal of `AbortSignal.timeout`, and `aborted` for any other. */
  readonly signal?: AbortSignal;
}

/**
 * A model as an adapter of a step. Its methods take and return only plain data, so that a recording is complete.
 * `complete(ctx, request)` and `stream(ctx, request)` create the artifacts of a call. They run outside the adapter, so
 * they also run if recorded calls are replayed.
 */
export interface LLMProvider {
  /** Sends exactly one HTTP request. Returns expected failures as an error result, and throws only on incorrect use. */
  complete(request: LLMRequest, options?: LLMCallOptions): Promise<LLMResult>;
  /** Yields the response text in chunks, and returns the result. Sends the request when you read the first chunk. */
  stream(request: LLMRequest, options?: LLMCallOptions): AsyncGenerator<string, LLMResult, void>;
}

/** Context of a step whose adapters include a model: `run: (input, ctx: LLMContext) => …`. */
export type LLMContext = StepContext<{ llm: LLMProvider }>;

/** The part of a step's context that model calls need. A script can create one. */
export interface LLMCallContext {
  readonly adapters: { readonly llm: LLMProvider };
  readonly onArtifact?: ((artifact: Artifact | Promise<Artifact>) => void) | undefined;
}
