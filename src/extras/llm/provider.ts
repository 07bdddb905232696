import type { Result } from "../../kernel/result.ts";
import type { Artifact } from "../../kernel/step/artifact.ts";
import type { StepContext } from "../../kernel/step/context.ts";
import type { LLMError } from "./llm-error.ts";
import type { LLMRequest } from "./request.ts";
import type { LLMResponse } from "./response.ts";

/** The outcome of a call of a model: its answer, or why there is none. */
export type LLMResult = Result<LLMResponse, LLMError>;

/** How a call is made. Not part of the request: a recording leaves the signal out. */
export interface LLMCallOptions {
  /** Ends the call early: with `timeout` when the signal is one of `AbortSignal.timeout`, else with `aborted`. */
  readonly signal?: AbortSignal;
}

/**
 * A model as an adapter of a step. Its methods take and give plain data alone, so that a recording holds all of a call;
 * what a call leaves with the run (artifacts) is left by `complete(ctx, request)` and `stream(ctx, request)`, which run
 * beside the step and therefore also when recorded calls are served.
 */
export interface LLMProvider {
  /** Makes one HTTP request, never a second one. Expected failures are values; a wrong use throws. */
  complete(request: LLMRequest, options?: LLMCallOptions): Promise<LLMResult>;
  /** Yields the answer's text piece by piece and returns the whole outcome. The request is sent at the first read. */
  stream(request: LLMRequest, options?: LLMCallOptions): AsyncGenerator<string, LLMResult, void>;
}

/** The context of a step whose adapters hold a model: `run: (input, ctx: LLMContext) => …`. */
export type LLMContext = StepContext<{ llm: LLMProvider }>;

/** The part of a step's context that calls of a model need; a script can make one by hand. */
export interface LLMCallContext {
  readonly adapters: { readonly llm: LLMProvider };
  readonly onArtifact?: ((artifact: Artifact | Promise<Artifact>) => void) | undefined;
}
