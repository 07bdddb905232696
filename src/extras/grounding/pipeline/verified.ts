import { type Result, ok } from "../../../kernel/result.ts";
import type { BaseAdapters } from "../../../kernel/step/context.ts";
import { VERA } from "../../../kernel/telemetry/attributes.ts";
import type { GroundingError } from "../grounding-error.ts";
import type { Verification } from "../verify/verification.ts";
import { type Pipeline, type PipelineContext, childSpan, guarded } from "./pipeline.ts";

/** Judges a stage's value by what went in and what came out. */
export type Judge<A, B, P extends BaseAdapters = BaseAdapters> = (
  ctx: PipelineContext<P>,
  input: A,
  value: B,
) => Promise<Result<Omit<Verification<unknown>, "value">, GroundingError>>;

/**
 * Puts a verification (η) on a pipeline's value. It never blocks: whatever the score, the value goes on unchanged
 * beside it. An error of the pipeline is the whole's, and then nothing is judged; a judge that fails is an error too.
 *
 * @example
 * verified(answer, (ctx, { chunks }, text) => verifyGrounding(text, chunks));
 */
export function verified<A, B, P extends BaseAdapters, Q extends BaseAdapters>(
  pipeline: Pipeline<A, B, P>,
  judge: Judge<A, B, Q>,
): Pipeline<A, Verification<B>, P & Q> {
  const name = `verify(${pipeline.name})`;
  return {
    name,
    async run(ctx, input) {
      const result = await pipeline.run(ctx, input);
      if (!result.ok) return result;
      const span = childSpan(ctx, name);
      const judged = await guarded(name, () => judge(span === undefined ? ctx : { ...ctx, span }, input, result.value));
      if (judged.ok)
        span?.set({ [VERA.groundingScore]: judged.value.groundingScore ?? "none", [VERA.label]: judged.value.label });
      span?.end(judged.ok ? undefined : judged.error);
      return judged.ok ? ok({ ...judged.value, value: result.value }) : judged;
    },
  };
}
