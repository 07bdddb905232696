import { hashValueSync } from "../../base/hash.ts";
import type { Artifact } from "../../step/artifact.ts";
import type { Workflow } from "../../step/define-workflow.ts";
import { groundingError } from "../grounding-error.ts";
import { otelSpan } from "../pipeline/otel-span.ts";
import { safeSpan } from "../pipeline/safe-span.ts";
import type { Span } from "../pipeline/span.ts";
import { advance } from "./advance.ts";
import type { FlowAdapters } from "./flow-options.ts";
import { stateAttributes } from "./state-attributes.ts";
import type { VeraEvent } from "./vera-event.ts";
import type { CompleteState, FailedState, VeraState } from "./vera-state.ts";

/** How the flow runs. */
export interface FlowRun<A extends FlowAdapters = FlowAdapters> {
  readonly adapters: A;
  /**
   * Hears of each state that is reached, and of warnings; the state comes beside the event, to be stored or looked at.
   */
  readonly onEvent?: (event: VeraEvent, state: VeraState) => void;
  /**
   * The span the phases are traced in; `none` traces nothing. Default: an OpenTelemetry span where
   * `@opentelemetry/api` is installed.
   */
  readonly span?: Span | "none";
  /** Unix milliseconds, for events. Default: the system's clock. */
  readonly clock?: () => number;
  /** Hears of the artifacts that phases keep, such as `llm-trace`. */
  readonly onArtifact?: (artifact: Artifact) => void;
}

/**
 * Goes on from a state until there is an answer, or none can be had. Never throws for what a phase or a tracer meets.
 */
export async function runFlow(workflow: Workflow, from: VeraState, run: FlowRun): Promise<CompleteState | FailedState> {
  const { clock = Date.now, onEvent, onArtifact, adapters } = run;
  let state = from;
  let before = clock();
  const onWarning = (warning: string): void =>
    onEvent?.({ type: "warning", phase: state.phase, warning, at: clock() }, state);
  const reach = (next: VeraState): void => {
    state = next;
    const at = clock();
    onEvent?.(
      { type: "checkpoint", phase: state.phase, stateHash: hashValueSync(state), at, durationMs: at - before },
      state,
    );
    before = at;
  };
  const root = await rootSpan(run.span, onWarning);
  root?.set(stateAttributes(from));
  reach(from);
  while (state.phase !== "complete" && state.phase !== "failed") {
    const span = root?.child(state.phase);
    const next = await advance(state, { workflow, adapters, onWarning, onArtifact });
    endSpan(span, next);
    reach(next);
  }
  endSpan(root, state);
  return state;
}

async function rootSpan(span: FlowRun["span"], warn: (warning: string) => void): Promise<Span | undefined> {
  if (span !== undefined) return span === "none" ? undefined : safeSpan(span, warn);
  const found = await otelSpan("answer", { warn });
  if (found.ok) return found.value;
  // Tracing is an extra: without the package nothing is wrong, while one that is there and fails is worth a word.
  if (found.error.code !== "missing_package") warn(found.error.message);
  return undefined;
}

function endSpan(span: Span | undefined, state: VeraState): void {
  span?.set(stateAttributes(state));
  span?.end(state.phase === "failed" ? groundingError(state.error) : undefined);
}
