import type { GroundingError } from "../grounding-error.ts";
import type { Chunk } from "../ingest/document.ts";
import type { SearchMethod } from "../retrieve/search-index.ts";
import type { Citation, GroundingLabel } from "../verify/verification.ts";

/** Document of a question: a file, relative to the working directory, or a text. */
export type FlowDocument =
  | { readonly path: string; readonly name?: string }
  | { readonly name: string; readonly text: string };

/** Input of the flow. Without documents, the flow searches the adapter `index`. */
export interface FlowQuestion {
  readonly question: string;
  readonly documents?: readonly FlowDocument[];
}

/** Source of the passages: these chunks, or the adapter `index`. */
export type Library = { readonly kind: "chunks"; readonly chunks: readonly Chunk[] } | { readonly kind: "adapter" };

/** Results of all hops so far. */
export interface RetrievedPassages {
  /** Passages in retrieval order, with the best passage of the first hop first. */
  readonly passages: readonly Chunk[];
  /** Queries of all searches (hops), in order. */
  readonly queries: readonly string[];
  readonly method: SearchMethod;
}

/** Coverage of the question by the passages. */
export interface QuestionCoverage {
  /** Covered share of the question, from 0 to 1. Null if the question has no word to search for. */
  readonly score: number | null;
  /** Words of the question that aren't in any passage. */
  readonly missing: readonly string[];
}

/** State before the documents are read. */
export interface IngestState {
  readonly phase: "ingest";
  readonly question: string;
  readonly documents: readonly FlowDocument[];
}

/** State before the question becomes the first query. */
export interface QueryState {
  readonly phase: "query";
  readonly question: string;
  readonly library: Library;
}

/** State before a hop. */
export interface RetrieveState {
  readonly phase: "retrieve";
  readonly question: string;
  readonly library: Library;
  readonly query: string;
  readonly retrieved: RetrievedPassages;
}

/** State before coverage is measured. */
export interface VerifyRetrievalState {
  readonly phase: "verify_retrieval";
  readonly question: string;
  readonly library: Library;
  readonly retrieved: RetrievedPassages;
}

/** State before the answer is written. */
export interface GenerateState {
  readonly phase: "generate";
  readonly question: string;
  readonly retrieved: RetrievedPassages;
  readonly coverage: QuestionCoverage;
}

/** State before the answer is verified against the passages. */
export interface VerifyGroundingState {
  readonly phase: "verify_grounding";
  readonly question: string;
  readonly retrieved: RetrievedPassages;
  readonly coverage: QuestionCoverage;
  readonly response: string;
  readonly answeredBy: AnsweredQuestion["answeredBy"];
}

/** Final state with an answer, well supported or not. */
export interface CompleteState {
  readonly phase: "complete";
  readonly answer: AnsweredQuestion;
}

/** Final state after a failure, without an answer. */
export interface FailedState {
  readonly phase: "failed";
  /** Phase that failed. */
  readonly at: WorkingState["phase"];
  readonly error: FlowError;
}

/** Reason for a failed flow, as plain data. */
export interface FlowError extends Omit<GroundingError, "cause"> {
  /** Message of the underlying error. */
  readonly cause?: string;
}

/** State with work left. Its phase names the next work. */
export type WorkingState =
  | IngestState
  | QueryState
  | RetrieveState
  | VerifyRetrievalState
  | GenerateState
  | VerifyGroundingState;

/**
 * State of a question, as plain JSON data. You can store it, and the flow can resume from any state. States contain no
 * time and no run id, so equal work has equal states and hashes.
 */
export type AnswerState = WorkingState | CompleteState | FailedState;

/** Name of a state: the phase that runs next, or `complete` or `failed`. */
export type AnswerPhase = AnswerState["phase"];

/** Event of a run of the flow, such as a new state or a warning. Only events contain times; states don't. */
export type AnswerEvent =
  /** A new state, which you can store and resume from. */
  | {
      readonly type: "checkpoint";
      readonly phase: AnswerPhase;
      /** Hash of the state's canonical JSON. */
      readonly stateHash: string;
      /** Time in Unix milliseconds. */
      readonly at: number;
      /** Milliseconds since the previous state; 0 for the first. */
      readonly durationMs: number;
    }
  /** A warning, such as low coverage or a missing embedder. */
  | { readonly type: "warning"; readonly phase: AnswerPhase; readonly warning: string; readonly at: number };

/** Summary of a claim, stored in baselines. */
export interface AnsweredClaim {
  /** Words of the claim. Repeated claims end with ` (2)` and so on, so that ids are unique. */
  readonly id: string;
  /** Support by the passages, from 0 to 1. It is 1 only if they fully support the claim. */
  readonly score: number;
  readonly label: Exclude<GroundingLabel, "no_claims">;
  /** Numbers and names in the claim that aren't in any passage. */
  readonly missing: readonly string[];
  /** Words that contradict the sources, with the sources' words. Absent if empty. */
  readonly contradictions?: readonly string[];
  /** Explanation from a judge. */
  readonly note?: string;
}

/** Answer with its support and citations. Plain JSON data. */
export interface AnsweredQuestion {
  readonly question: string;
  /** Answer without citation markers. */
  readonly response: string;
  /** Answer with a marker after each supported claim: `[1]` is the first of `citations`. */
  readonly cited: string;
  /**
   * Source of the answer: `model`, `extract` (sentences copied from the passages), or `nobody` (no passage was found).
   */
  readonly answeredBy: "model" | "extract" | "nobody";
  /** Support of the answer by its passages, from 0 to 1. Null if the answer doesn't make a claim. */
  readonly support: number | null;
  readonly label: GroundingLabel;
  /**
   * Reason not to rely on the answer, even if its sentences are supported. `coverage`: the passages cover too little of
   * the question. `relevance`: the extracted sentences cover too little of it. Absent if the answer is sufficient.
   */
  readonly insufficient?: "coverage" | "relevance";
  /** Claims in the order of the response. */
  readonly claims: readonly AnsweredClaim[];
  /** Citations in order of first use. */
  readonly citations: readonly Citation[];
  readonly retrieval: {
    /** Covered share of the question, from 0 to 1. Null if the question has no word to search for. */
    readonly coverage: number | null;
    readonly missing: readonly string[];
    readonly queries: readonly string[];
    readonly method: SearchMethod;
    /** Ids of the answer's chunks. They begin with the id of their document, a hash of its content. */
    readonly passages: readonly string[];
  };
  /** Parts that weren't verified: number of parts without a claim, and of claims beyond `maxFacts`. */
  readonly unverified: { readonly nonClaims: number; readonly leftOut: number };
}
