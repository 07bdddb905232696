import type { Result } from "../../../kernel/result.ts";
import { invoke } from "../../../kernel/step/command.ts";
import type { StepContext } from "../../../kernel/step/context.ts";
import { type Step, defineStep } from "../../../kernel/step/define-step.ts";
import { fail } from "../../../kernel/step/fail.ts";
import type { Schema, SchemaInput, SchemaOutput } from "../../../kernel/step/schema.ts";
import type { GroundingError } from "../grounding-error.ts";
import { guarded } from "../pipeline/pipeline.ts";
import type { FlowAdapters } from "./flow-options.ts";
import type { WorkingState } from "./answer-state.ts";

/** Output of a phase and the next state. The last phase has no next state. */
export interface PhaseOutcome<Output, Next extends WorkingState> {
  readonly output: Output;
  readonly next?: Next;
  /** Warnings, which don't fail the phase. */
  readonly warnings?: readonly string[];
}

/** Configuration of {@link phaseStep}. `Next` are the states the phase may lead to. */
export interface PhaseConfig<
  In extends Schema<WorkingState, WorkingState>,
  Out extends Schema<object, object>,
  A extends FlowAdapters,
  Next extends WorkingState,
> {
  readonly input: In;
  readonly output: Out;
  readonly name: SchemaOutput<In>["phase"];
  readonly run: (
    state: SchemaOutput<In>,
    ctx: StepContext<A>,
  ) => Promise<Result<PhaseOutcome<SchemaInput<Out> & object, Next>, GroundingError>>;
}

/**
 * Creates the step of a phase. Its only command invokes the next phase with the next state. A grounding error fails the
 * step. Warnings become events of type `grounding_warning`.
 */
export function phaseStep<
  In extends Schema<WorkingState, WorkingState>,
  Out extends Schema<object, object>,
  A extends FlowAdapters,
  Next extends WorkingState,
>({
  name,
  input,
  output,
  run,
}: PhaseConfig<In, Out, A, Next>): Step<SchemaInput<In>, SchemaOutput<Out> & object, A, SchemaOutput<In>> {
  return defineStep<In, Out, A>({
    name,
    input,
    output,
    async run(state, ctx) {
      const outcome = await guarded(name, () => run(state, ctx));
      if (!outcome.ok) return fail({ ...outcome.error, cause: outcome.error });
      const { next, warnings = [] } = outcome.value;
      return {
        output: outcome.value.output,
        events: warnings.map((warning) => ({ type: "grounding_warning", payload: { warning } })),
        ...(next === undefined ? {} : { commands: [invoke(next.phase, next)] }),
      };
    },
  });
}
