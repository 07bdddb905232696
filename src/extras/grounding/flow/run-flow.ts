import { memberOf } from "../../../kernel/json/plain-data.ts";
import { hashValueSync } from "../../../kernel/json/hash.ts";
import { type Artifact, RESERVED_ARTIFACT_KINDS } from "../../../kernel/step/artifact.ts";
import { createContextFactory } from "../../../kernel/step/context.ts";
import type { AnyStep } from "../../../kernel/step/define-step.ts";
import type { Workflow } from "../../../kernel/step/define-workflow.ts";
import { runStep } from "../../../kernel/step/run.ts";
import { messageOf } from "../../../kernel/error-message.ts";
import type { StepError } from "../../../kernel/step/fail.ts";
import type { StepResult } from "../../../kernel/step/step-result.ts";
import { type Facts, inSpan } from "../../../kernel/telemetry/spans.ts";
import { VERA } from "../../../kernel/telemetry/attributes.ts";
import { isGroundingError } from "../grounding-error.ts";
import type { FlowAdapters } from "./flow-options.ts";
import { answeredQuestionSchema, parseWorkingState } from "./answer-schemas.ts";
import type { CompleteState, FailedState, FlowError, AnswerEvent, AnswerState, WorkingState } from "./answer-state.ts";

/** Adapters, listeners and clock of one run of the flow. */
export interface FlowRun<A extends FlowAdapters = FlowAdapters> {
  readonly adapters: A;
  /** Called for each state and each warning, together with the current state, which you can store. */
  readonly onEvent?: (event: AnswerEvent, state: AnswerState) => void;
  /** Returns the time of an event, in Unix milliseconds. Default: the system's clock. */
  readonly clock?: () => number;
  /** Called for each artifact of a phase, such as `llm-trace`. */
  readonly onArtifact?: (artifact: Artifact) => void;
}

/** Runs the flow from a state until it completes or fails. Never throws if a phase fails. */
export async function runFlow(
  workflow: Workflow,
  from: AnswerState,
  { clock = Date.now, onEvent, onArtifact, adapters }: FlowRun,
): Promise<CompleteState | FailedState> {
  let state = from;
  let previousTime = clock();
  const onWarning = (warning: string): void =>
    onEvent?.({ type: "warning", phase: state.phase, warning, at: clock() }, state);
  const reach = (next: AnswerState): void => {
    state = next;
    const at = clock();
    onEvent?.(
      { type: "checkpoint", phase: state.phase, stateHash: hashValueSync(state), at, durationMs: at - previousTime },
      state,
    );
    previousTime = at;
  };
  return inStateSpan("answer", stateAttributes(from), async () => {
    reach(from);
    for (;;) {
      const current = state;
      if (current.phase === "complete" || current.phase === "failed") return current;
      const facts = { [VERA.operation]: current.phase, [VERA.phase]: current.phase };
      reach(
        await inStateSpan(current.phase, facts, async () =>
          advance(current, { workflow, adapters, onWarning, onArtifact }),
        ),
      );
    }
  });
}

/** Runs work in a span, which gets the attributes of the state that the work returns. */
async function inStateSpan<S extends AnswerState>(name: string, facts: Facts, work: () => Promise<S>): Promise<S> {
  return inSpan({ name: `vera.${name}`, facts }, async (span) => {
    const state = await work();
    span?.set(stateAttributes(state));
    if (state.phase === "failed") span?.fail(state.error.code);
    return state;
  });
}

/** Inputs of one transition. */
interface Transition {
  readonly workflow: Workflow;
  readonly adapters: FlowAdapters;
  readonly onWarning: (warning: string) => void;
  readonly onArtifact: ((artifact: Artifact) => void) | undefined;
}

/** Runs a state's phase and returns the next state. Never throws: failures become the state `failed`. */
async function advance(
  state: WorkingState,
  { workflow, adapters, onWarning, onArtifact }: Transition,
): Promise<AnswerState> {
  const step: AnyStep = workflow.getStep(state.phase);
  const result = await runStep({
    step,
    input: state,
    contextFactory: createContextFactory(adapters),
    workflowId: workflow.name,
    workflowVersion: workflow.version,
    // Derive the id from the state: a random one would be the only difference between runs.
    runId: hashValueSync(state),
  });
  if (!result.ok) return failed(state.phase, errorOf(state.phase, result.error));
  for (const artifact of result.value.artifacts)
    if (!RESERVED_ARTIFACT_KINDS.has(artifact.kind)) onArtifact?.(artifact);
  for (const { payload } of result.value.events) if (isWarning(payload)) onWarning(payload.warning);
  return nextOf(state, result.value);
}

function nextOf({ phase }: WorkingState, { output, commands = [] }: StepResult): AnswerState {
  const [command] = commands;
  const next = command?.type === "invoke" ? parseWorkingState(command.input) : undefined;
  if (next?.ok === true) return next.value;
  const answer = answeredQuestionSchema.safeParse(output).data;
  if (command === undefined && answer !== undefined) return { phase: "complete", answer };
  const message = `The phase ${phase} didn't return a state. This is a bug in veritest. Report it with the question.`;
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
  return typeof memberOf(payload, "warning") === "string";
}

/** Returns the span attributes of a state: numbers, labels and codes, but no text of a document or an answer. */
function stateAttributes(state: AnswerState): Facts {
  switch (state.phase) {
    case "ingest":
      return { [VERA.documents]: state.documents.length };
    case "query":
      return state.library.kind === "chunks" ? { [VERA.chunks]: state.library.chunks.length } : {};
    case "retrieve":
    case "verify_retrieval":
      return { [VERA.hops]: state.retrieved.queries.length, [VERA.passages]: state.retrieved.passages.length };
    case "generate":
      return {
        [VERA.hops]: state.retrieved.queries.length,
        [VERA.passages]: state.retrieved.passages.length,
        [VERA.coverage]: state.coverage.score ?? "none",
      };
    case "verify_grounding":
      return { [VERA.answeredBy]: state.answeredBy, [VERA.responseLength]: state.response.length };
    case "complete": {
      const { support, label, claims, citations } = state.answer;
      return {
        [VERA.groundingScore]: support ?? "none",
        [VERA.label]: label,
        [VERA.claims]: claims.length,
        [VERA.citations]: citations.length,
      };
    }
    case "failed":
      return { [VERA.errorKind]: state.error.kind, [VERA.errorCode]: state.error.code };
  }
}
