import type { Result } from "../../../kernel/result.ts";
import { invoke } from "../../../kernel/step/command.ts";
import type { StepContext } from "../../../kernel/step/context.ts";
import { type Step, defineStep } from "../../../kernel/step/define-step.ts";
import { fail } from "../../../kernel/step/fail.ts";
import type { Schema, SchemaInput, SchemaOutput } from "../../../kernel/step/schema.ts";
import type { GroundingError } from "../grounding-error.ts";
import { guarded } from "../pipeline/pipeline.ts";
import type { FlowAdapters } from "./flow-options.ts";
import type { WorkingState } from "./vera-state.ts";

/** What a phase found, and the state that follows; none where the work is done. */
export interface PhaseOutcome<Output, Next extends WorkingState> {
  readonly output: Output;
  readonly next?: Next;
  /** What is worth knowing and no error. */
  readonly warnings?: readonly string[];
}

/** What {@link phaseStep} takes. `Next` are the states the phase may lead to. */
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
 * Makes the step of a phase. Its output is what the phase found, and its one command invokes the next phase with the
 * state that follows; a grounding error is its failure, and warnings are events of type `grounding_warning`.
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
