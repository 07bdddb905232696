import { type Result, err } from "../../../kernel/result.ts";
import type { BaseAdapters } from "../../../kernel/step/context.ts";
import { messageOf } from "../../../kernel/error-message.ts";
import { type Facts, inSpan } from "../../../kernel/telemetry/spans.ts";
import { type GroundingError, isGroundingError, groundingFailure } from "../grounding-error.ts";

/** Context of a pipeline's stages. `Adapters` are the clients they call, as in a step's context. */
export interface PipelineContext<Adapters extends BaseAdapters = BaseAdapters> {
  readonly adapters: Adapters;
  /** Receives warnings, for example if a loop reaches its maximum number of runs. */
  readonly warn?: (warning: string) => void;
}

/**
 * Computation from `A` to `B` that may fail. `run` never throws and never rejects: if a stage throws, that's an error
 * of kind `internal`. The first error ends the pipeline.
 */
export interface Pipeline<A, B, Adapters extends BaseAdapters = BaseAdapters> {
  readonly name: string;
  run(ctx: PipelineContext<Adapters>, input: A): Promise<Result<B, GroundingError>>;
}

type Awaitable<T> = T | Promise<T>;

/**
 * Creates a pipeline of one stage. The stage runs in a span of its name.
 *
 * @example const retrieved = stage("retrieve", (ctx: PipelineContext<{ llm: LlmAdapter }>, query: string) =>
 * retrieve(query, { index, llm: ctx.adapters.llm }));
 */
export function stage<A, B, Adapters extends BaseAdapters = BaseAdapters>(
  name: string,
  run: (ctx: PipelineContext<Adapters>, input: A) => Awaitable<Result<B, GroundingError>>,
): Pipeline<A, B, Adapters> {
  return {
    name,
    run: async (ctx, input) => inStageSpan(name, () => run(ctx, input)),
  };
}

/** Runs a stage, which may throw, in a span with the attributes that `facts` returns for its value. */
export async function inStageSpan<B>(
  name: string,
  run: () => Awaitable<Result<B, GroundingError>>,
  facts: (value: B) => Facts = () => ({}),
): Promise<Result<B, GroundingError>> {
  return inSpan({ name: `vera.${name}` }, async (span) => {
    const result = await guarded(name, run);
    if (result.ok) span?.set(facts(result.value));
    else span?.fail(result.error.code);
    return result;
  });
}

/**
 * Runs a function that may throw. A thrown grounding error is returned as is; any other becomes an error of kind
 * `internal`.
 */
export async function guarded<B>(
  name: string,
  run: () => Awaitable<Result<B, GroundingError>>,
): Promise<Result<B, GroundingError>> {
  try {
    return await run();
  } catch (cause) {
    if (isGroundingError(cause)) return err(cause);
    const stage = JSON.stringify(name);
    const message = `The stage ${stage} threw: ${messageOf(cause)}. For an expected failure, return err(…).`;
    return groundingFailure({ kind: "internal", code: "stage_threw", message, operation: name, cause });
  }
}
