import { type Result, err } from "../../../kernel/result.ts";
import type { BaseAdapters } from "../../../kernel/step/context.ts";
import { messageOf } from "../../../kernel/thrown.ts";
import { type GroundingError, groundingError, isGroundingError } from "../grounding-error.ts";
import { type Span, safeSpan } from "./span.ts";

/** What a pipeline's stages share. `Adapters` are the clients they call, as a step's context has them. */
export interface PipelineContext<Adapters extends BaseAdapters = BaseAdapters> {
  readonly adapters: Adapters;
  /** The span the work is part of; without one nothing is traced. */
  readonly span?: Span;
  /** Hears what is worth knowing and no error, such as a loop that ended at its limit. */
  readonly warn?: (warning: string) => void;
}

/**
 * A computation from `A` to `B` that may fail. `run` never throws and never rejects: what a stage throws is an error of
 * kind `internal`, and the first error ends the pipeline.
 */
export interface Pipeline<A, B, Adapters extends BaseAdapters = BaseAdapters> {
  readonly name: string;
  run(ctx: PipelineContext<Adapters>, input: A): Promise<Result<B, GroundingError>>;
}

type Awaitable<T> = T | Promise<T>;

/**
 * Makes a pipeline of one stage. With a span in the context its work is a child span of that name.
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
    async run(ctx, input) {
      const span = childSpan(ctx, name);
      const result = await guarded(name, () => run(span === undefined ? ctx : { ...ctx, span }, input));
      span?.end(result.ok ? undefined : result.error);
      return result;
    },
  };
}

/** Begins a span within the context's, if it has one. A tracer that throws is told to `warn`, and breaks nothing. */
export function childSpan({ span, warn }: Pick<PipelineContext, "span" | "warn">, name: string): Span | undefined {
  return span === undefined ? undefined : safeSpan(span, (warning) => warn?.(warning)).child(name);
}

/** Runs what may throw; a thrown grounding error stays itself, anything else becomes an error of kind `internal`. */
export async function guarded<B>(
  name: string,
  run: () => Awaitable<Result<B, GroundingError>>,
): Promise<Result<B, GroundingError>> {
  try {
    return await run();
  } catch (cause) {
    if (isGroundingError(cause)) return err(cause);
    const message =
      `The stage ${JSON.stringify(name)} threw: ${messageOf(cause)}. ` +
      "An expected failure is a value: return err(…).";
    return err(groundingError({ kind: "internal", code: "stage_threw", message, operation: name, cause }));
  }
}
