import { exactOptional } from "../../../kernel/exact-optional.ts";
import { z } from "zod/v4";
import { type Result, err, ok } from "../../../kernel/result.ts";
import { type Step, defineStep } from "../../../kernel/step/define-step.ts";
import { type Workflow, defineWorkflow } from "../../../kernel/step/define-workflow.ts";
import { fail } from "../../../kernel/step/fail.ts";
import { formatIssues } from "../../../kernel/step/schema.ts";
import { untraced } from "../../../kernel/telemetry/spans.ts";
import { type GroundingError, groundingError, groundingFailure } from "../grounding-error.ts";
import { groundingConfig } from "../grounding-config.ts";
import { type FlowRun, runFlow } from "./run-flow.ts";
import { citedSpan } from "./answered-question.ts";
import type {
  AnsweredQuestion,
  FlowQuestion,
  CompleteState,
  FailedState,
  AnswerState,
  WorkingState,
} from "./answer-state.ts";
import type { FlowAdapters, FlowOptions, FlowSettings } from "./flow-options.ts";
import { answeredQuestionSchema, citationSchema, documentsSchema, parseState } from "./answer-schemas.ts";
import { type PhaseSteps, phasesOf } from "./phases.ts";

/** Question-answering flow: as a workflow of its phases, as one step, and ready to run. */
export interface GroundedAnswerFlow<A extends FlowAdapters = FlowAdapters> {
  /**
   * Workflow with a step for each phase. Each step takes its phase's state and invokes the next phase with the next
   * state.
   */
  readonly workflow: Workflow<PhaseSteps<A>>;
  /** Flow as one step, for baselines. Its output is the answer with its claims, citations and retrieval. */
  readonly step: Step<FlowQuestion, AnsweredQuestion, A>;
  /**
   * Answers a question, or resumes from a stored state. A low score is a result, not an error. Failures end in the
   * state `failed`; the call doesn't throw.
   */
  run(from: FlowQuestion | AnswerState, run: FlowRun<A>): Promise<CompleteState | FailedState>;
}

const questionSchema: z.ZodType<FlowQuestion, FlowQuestion> = z.object({
  question: z.string(),
  documents: exactOptional(documentsSchema),
});

/**
 * Creates the flow that answers a question from documents: ingest, query, retrieve and verify the retrieval (in a
 * loop), generate, verify the grounding. Returns a `validation` error for an invalid configuration.
 *
 * @example
 * const flow = unwrap(groundedAnswer({ model: "gpt-4o" }));
 * const state = await flow.run({ question, documents: [{ path: "docs/handbook.pdf" }] }, { adapters: { llm } });
 * if (state.phase === "complete") console.log(state.answer.cited, state.answer.label);
 */
export function groundedAnswer<A extends FlowAdapters = FlowAdapters>(
  options: FlowOptions<A> = {},
): Result<GroundedAnswerFlow<A>, GroundingError> {
  const settings = settingsOf(options);
  if (!settings.ok) return settings;
  const workflow = defineWorkflow({ name: "grounded-answer", version: "1.0.0", steps: phasesOf(settings.value) });
  return ok({
    workflow,
    step: flowStep<A>(workflow),
    run: async (from, run) => {
      const start = startOf(from);
      return start.ok ? runFlow(workflow, start.value, run) : start.error;
    },
  });
}

function settingsOf<A extends FlowAdapters>({
  config: configOptions,
  answer = "model",
  expand,
  limit = 5,
  ...rest
}: FlowOptions<A>): Result<FlowSettings<A>, GroundingError> {
  const config = groundingConfig(configOptions);
  if (!config.ok) return config;
  if (!Number.isInteger(limit) || limit < 1) {
    return groundingFailure({
      kind: "validation",
      code: "invalid_config",
      message: `groundedAnswer: limit must be an integer of at least 1, got ${limit}.`,
      operation: "config",
    });
  }
  return ok({
    ...rest,
    answer,
    expand: expand ?? (answer === "model" ? "model" : "words"),
    limit,
    config: config.value,
  });
}

/** Parses the input, since stored states are untrusted. */
function startOf(from: unknown): Result<AnswerState, FailedState> {
  if (typeof from === "object" && from !== null && "phase" in from) {
    const state = parseState(from);
    return state.ok
      ? state
      : err(invalidStart(`The input isn't a state of the flow: ${state.error}. Start again with the question.`));
  }
  const question = questionSchema.safeParse(from);
  return question.success
    ? ok(firstState(question.data))
    : err(
        invalidStart(
          `The input isn't a question: ${formatIssues(question.error.issues)}. Pass { question, documents }.`,
        ),
      );
}

function invalidStart(message: string): FailedState {
  return {
    phase: "failed",
    at: "ingest",
    error: { kind: "validation", code: "input_validation", message, operation: "run", retryable: false },
  };
}

function firstState({ question, documents }: FlowQuestion): WorkingState {
  return documents === undefined
    ? { phase: "query", question, library: { kind: "adapter" } }
    : { phase: "ingest", question, documents };
}

/** Keys claims by their words and citations by their spans, so that a changed answer shows which claim changed. */
function flowStep<A extends FlowAdapters>(workflow: Workflow): Step<FlowQuestion, AnsweredQuestion, A> {
  return defineStep<typeof questionSchema, typeof answeredQuestionSchema, A>({
    name: workflow.name,
    input: questionSchema,
    output: answeredQuestionSchema,
    keyBy: { claims: "id", citations: citationKey },
    async run(input, ctx) {
      const flowRun: FlowRun = {
        adapters: ctx.adapters,
        // Spans and times would differ between a replay and the recorded run.
        clock: () => 0,
        onEvent: (event) => {
          if (event.type === "warning")
            ctx.emitEvent({ type: "grounding_warning", payload: { warning: event.warning } });
          else ctx.emitEvent({ type: "vera_checkpoint", payload: { phase: event.phase, stateHash: event.stateHash } });
        },
        ...(ctx.onArtifact === undefined ? {} : { onArtifact: ctx.onArtifact }),
      };
      const end = await untraced(async () => runFlow(workflow, firstState(input), flowRun));
      return end.phase === "complete"
        ? { output: end.answer }
        : fail({ ...end.error, cause: groundingError(end.error) });
    },
  });
}

function citationKey(item: unknown): string {
  return citedSpan(citationSchema.parse(item));
}
