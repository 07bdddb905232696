import { type Result, ok } from "../../../kernel/result.ts";
import type { BaseAdapters } from "../../../kernel/step/context.ts";
import { VERA } from "../../../kernel/telemetry/attributes.ts";
import type { GroundingError } from "../grounding-error.ts";
import type { Verification } from "../verify/verification.ts";
import { type Pipeline, type PipelineContext, inStageSpan } from "./pipeline.ts";

/** Function that verifies a stage's value, given the stage's input and the value. */
export type Judge<A, B, P extends BaseAdapters = BaseAdapters> = (
  ctx: PipelineContext<P>,
  input: A,
  value: B,
) => Promise<Result<Omit<Verification<unknown>, "value">, GroundingError>>;

/**
 * Adds a verification (η) to a pipeline's value. It never blocks: the value is unchanged, whatever the score. If the
 * pipeline fails, the result is its error and the judge isn't called. A failing judge is an error too.
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
      const judged = await inStageSpan(
        name,
        () => judge(ctx, input, result.value),
        ({ support, label }) => ({ [VERA.groundingScore]: support ?? "none", [VERA.label]: label }),
      );
      return judged.ok ? ok({ ...judged.value, value: result.value }) : judged;
    },
  };
}
