import { hashValueSync } from "../../base/hash.ts";
import type { Artifact } from "../../step/artifact.ts";
import type { Workflow } from "../../step/define-workflow.ts";
import { groundingError } from "../grounding-error.ts";
import { otelSpan } from "../pipeline/otel-span.ts";
import type { Span } from "../pipeline/span.ts";
import { advance } from "./advance.ts";
import type { FlowAdapters } from "./flow-options.ts";
import { stateAttributes } from "./state-attributes.ts";
import type { VeraEvent } from "./vera-event.ts";
import type { CompleteState, FailedState, VeraState } from "./vera-state.ts";

/** How the flow runs. */
export interface FlowRun<A extends FlowAdapters = FlowAdapters> {
  readonly adapters: A;
  /** Hears of each state that is reached, and of warnings; the state comes beside the event, to be stored or looked at. */
  readonly onEvent?: (event: VeraEvent, state: VeraState) => void;
  /** The span the phases are traced in; `none` traces nothing. Default: an OpenTelemetry span where `@opentelemetry/api` is installed. */
  readonly span?: Span | "none";
  /** Unix milliseconds, for events. Default: the system's clock. */
  readonly clock?: () => number;
  /** Hears of the artifacts that phases keep, such as `llm-trace`. */
  readonly onArtifact?: (artifact: Artifact) => void;
}

/** Goes on from a state until there is an answer, or none can be had. Never throws for what a phase meets. */
export async function runFlow(workflow: Workflow, from: VeraState, run: FlowRun): Promise<CompleteState | FailedState> {
  const { clock = Date.now, onEvent } = run;
  const root = await rootSpan(run.span);
  root?.set(stateAttributes(from));
  let before = clock();
  const reached = (state: VeraState): void => {
    const at = clock();
    onEvent?.({ type: "checkpoint", phase: state.phase, stateHash: hashValueSync(state), at, durationMs: at - before }, state);
    before = at;
  };
  let state = from;
  reached(state);
  while (state.phase !== "complete" && state.phase !== "failed") {
    const here: VeraState = state;
    const span = root?.child(here.phase);
    const onWarning = (warning: string): void => onEvent?.({ type: "warning", phase: here.phase, warning, at: clock() }, here);
    state = await advance(here, { workflow, adapters: run.adapters, onWarning, onArtifact: run.onArtifact });
    span?.set(stateAttributes(state));
    span?.end(spanError(state));
    reached(state);
  }
  root?.set(stateAttributes(state));
  root?.end(spanError(state));
  return state;
}

async function rootSpan(span: FlowRun["span"]): Promise<Span | undefined> {
  if (span !== undefined) return span === "none" ? undefined : span;
  const found = await otelSpan("answer");
  // Tracing is an extra: without the package nothing is traced, and nothing is wrong.
  return found.ok ? found.value : undefined;
}

function spanError(state: VeraState): ReturnType<typeof groundingError> | undefined {
  return state.phase === "failed" ? groundingError(state.error) : undefined;
}
