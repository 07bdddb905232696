import type { Step } from "../../step/define-step.ts";
import type { AnsweredQuestion } from "./answered-question.ts";
import type { FlowAdapters, FlowSettings } from "./flow-options.ts";
import { type GenerateReport, generatePhase } from "./generate-phase.ts";
import { type IngestReport, ingestPhase } from "./ingest-phase.ts";
import { type QueryReport, queryPhase } from "./query-phase.ts";
import { type RetrieveReport, retrievePhase } from "./retrieve-phase.ts";
import type {
  FoundCoverage,
  GenerateState,
  IngestState,
  QueryState,
  RetrieveState,
  VerifyGroundingState,
  VerifyRetrievalState,
} from "./vera-state.ts";
import { verifyGroundingPhase } from "./verify-grounding-phase.ts";
import { verifyRetrievalPhase } from "./verify-retrieval-phase.ts";

/** A step for each phase, by the phase's name: it takes the phase's state, and its command leads to the next. */
export type PhaseSteps<A extends FlowAdapters> = {
  readonly ingest: Step<IngestState, IngestReport, A>;
  readonly query: Step<QueryState, QueryReport, A>;
  readonly retrieve: Step<RetrieveState, RetrieveReport, A>;
  readonly verify_retrieval: Step<VerifyRetrievalState, FoundCoverage, A>;
  readonly generate: Step<GenerateState, GenerateReport, A>;
  readonly verify_grounding: Step<VerifyGroundingState, AnsweredQuestion, A>;
};

/** Makes the steps of all phases. */
export function phasesOf<A extends FlowAdapters>(settings: FlowSettings<A>): PhaseSteps<A> {
  return {
    ingest: ingestPhase(settings),
    query: queryPhase(),
    retrieve: retrievePhase(settings),
    verify_retrieval: verifyRetrievalPhase(settings),
    generate: generatePhase(settings),
    verify_grounding: verifyGroundingPhase(settings),
  };
}
