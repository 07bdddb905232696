import { err, ok } from "../../../kernel/result.ts";
import { type BaseAdapters, createContextFactory } from "../../../kernel/step/context.ts";
import { type Step, defineStep } from "../../../kernel/step/define-step.ts";
import { type StepError, fail } from "../../../kernel/step/fail.ts";
import { runStep } from "../../../kernel/step/run.ts";
import type { Schema, SchemaInput, SchemaOutput } from "../../../kernel/step/schema.ts";
import { type GroundingError, groundingError, isGroundingError } from "../grounding-error.ts";
import { type Pipeline, stage } from "./pipeline.ts";

/** What {@link stepOf} takes: a pipeline, and the schemas that a step has and a pipeline has not. */
export interface PipelineStepConfig<In extends Schema, Out extends Schema<object, object>, P extends BaseAdapters> {
  readonly name: string;
  readonly input: In;
  readonly output: Out;
  readonly pipeline: Pipeline<SchemaOutput<In>, SchemaInput<Out> & object, P>;
}

/**
 * Makes a step of a pipeline, so that it is captured, replayed and recomputed: its stages call the step's adapters, and
 * a grounding error is the step's failure with the same code. Warnings become events of type `grounding_warning`.
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
 * Makes a pipeline stage of a step: its input is checked, its output is the stage's value, and its failure the
 * pipeline's error. The step's commands and events stay with the step's own result and are not handed on.
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
      // Fixed: a random id would be the one thing about a stage that differs from run to run.
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
