import { hashValueSync } from "../../base/hash.ts";
import { type Artifact, RESERVED_ARTIFACT_KINDS } from "../../step/artifact.ts";
import { createContextFactory } from "../../step/context.ts";
import type { AnyStep } from "../../step/define-step.ts";
import type { Workflow } from "../../step/define-workflow.ts";
import { runStep } from "../../step/run.ts";
import type { StepError } from "../../step/fail.ts";
import { messageOf } from "../../base/thrown.ts";
import type { StepResult } from "../../step/step-result.ts";
import { isGroundingError } from "../grounding-error.ts";
import type { FlowAdapters } from "./flow-options.ts";
import { parseWorkingState } from "./parse-state.ts";
import type { FailedState, FlowError, VeraState, WorkingState } from "./vera-state.ts";
import { answeredQuestionSchema } from "./vera-schemas.ts";

/** One transition: what is needed to make it. */
export interface Transition {
  readonly workflow: Workflow;
  readonly adapters: FlowAdapters;
  readonly onWarning?: ((warning: string) => void) | undefined;
  readonly onArtifact?: ((artifact: Artifact) => void) | undefined;
}

/** Does the work of a state's phase and gives the next state. Never throws: what goes wrong is the state `failed`. */
export async function advance(
  state: WorkingState,
  { workflow, adapters, onWarning, onArtifact }: Transition,
): Promise<VeraState> {
  const step: AnyStep = workflow.getStep(state.phase);
  const result = await runStep({
    step,
    input: state,
    contextFactory: createContextFactory(adapters),
    workflowId: workflow.name,
    workflowVersion: workflow.version,
    // The state itself names the run: a random id would be the one thing that differs from run to run.
    runId: hashValueSync(state),
  });
  if (!result.ok) return failed(state.phase, errorOf(state.phase, result.error));
  for (const artifact of result.value.artifacts)
    if (!RESERVED_ARTIFACT_KINDS.has(artifact.kind)) onArtifact?.(artifact);
  for (const { payload } of result.value.events) if (isWarning(payload)) onWarning?.(payload.warning);
  return nextOf(state, result.value);
}

function nextOf({ phase }: WorkingState, { output, commands = [] }: StepResult): VeraState {
  const [command] = commands;
  const next = command?.type === "invoke" ? parseWorkingState(command.input) : undefined;
  if (next?.ok === true) return next.value;
  const answer = answeredQuestionSchema.safeParse(output).data;
  if (command === undefined && answer !== undefined) return { phase: "complete", answer };
  const message = `The phase ${phase} led to no state. This is a bug of veritest: report it with the question.`;
  return failed(phase, { kind: "internal", code: "no_next_state", message, operation: phase, retryable: false });
}

function failed(at: FailedState["at"], error: FlowError): FailedState {
  return { phase: "failed", at, error };
}

function errorOf(operation: string, { code, message, retryable, cause }: StepError): FlowError {
  if (!isGroundingError(cause))
    return { kind: code === "input_validation" ? "validation" : "internal", code, message, operation, retryable };
  const { cause: inner, ...error } = cause;
  return { ...error, ...(inner === undefined ? {} : { cause: messageOf(inner) }) };
}

function isWarning(payload: unknown): payload is { readonly warning: string } {
  return typeof payload === "object" && payload !== null && "warning" in payload && typeof payload.warning === "string";
}
