import { err, ok } from "../../../kernel/result.ts";
import { type BaseAdapters, createContextFactory } from "../../../kernel/step/context.ts";
import { type Step, defineStep } from "../../../kernel/step/define-step.ts";
import { type StepError, fail } from "../../../kernel/step/fail.ts";
import { runStep } from "../../../kernel/step/run.ts";
import type { Schema, SchemaInput, SchemaOutput } from "../../../kernel/step/schema.ts";
import { type GroundingError, groundingError, isGroundingError } from "../grounding-error.ts";
import { type Pipeline, stage } from "./pipeline.ts";

/** Configuration of {@link stepOf}: a pipeline, and the schemas that a step needs. */
export interface PipelineStepConfig<In extends Schema, Out extends Schema<object, object>, P extends BaseAdapters> {
  readonly name: string;
  readonly input: In;
  readonly output: Out;
  readonly pipeline: Pipeline<SchemaOutput<In>, SchemaInput<Out> & object, P>;
}

/**
 * Creates a step from a pipeline, so that it can be captured, replayed and recomputed. Its stages call the step's
 * adapters. A grounding error becomes the step's failure with the same code, and warnings become events of type
 * `grounding_warning`.
 */
export function stepOf<In extends Schema, Out extends Schema<object, object>, P extends BaseAdapters>({
  name,
  input,
  output,
  pipeline,
}: PipelineStepConfig<In, Out, P>): Step<SchemaInput<In>, SchemaOutput<Out> & object, P, SchemaOutput<In>> {
  return defineStep<In, Out, P>({
    name,
    input,
    output,
    async run(value, ctx) {
      const warn = (warning: string): void => ctx.emitEvent({ type: "grounding_warning", payload: { warning } });
      const result = await pipeline.run({ adapters: ctx.adapters, warn }, value);
      return result.ok ? { output: result.value } : fail({ ...result.error, cause: result.error });
    },
  });
}

/**
 * Creates a pipeline stage from a step. Its input is validated, its output is the stage's value, and its failure is the
 * pipeline's error. The step's commands and events aren't passed on.
 */
export function stageOf<Input, Output extends object, P extends BaseAdapters, Parsed>(
  step: Step<Input, Output, P, Parsed>,
): Pipeline<NoInfer<Input>, Partial<Output>, P> {
  return stage(step.name, async (ctx, input) => {
    const result = await runStep({
      step,
      input,
      contextFactory: createContextFactory(ctx.adapters),
      workflowId: step.name,
      workflowVersion: "0.0.0",
      // Use a fixed id: a random one would be the only difference between runs of a stage.
      runId: step.name,
    });
    return result.ok ? ok(result.value.output) : err(errorOf(step.name, result.error));
  });
}

function errorOf(operation: string, error: StepError): GroundingError {
  if (isGroundingError(error.cause)) return error.cause;
  const { code, message, retryable, cause } = error;
  const kind = code === "input_validation" || code === "output_validation" ? "validation" : "internal";
  return groundingError({ kind, code, message, operation, retryable, ...(cause === undefined ? {} : { cause }) });
}
