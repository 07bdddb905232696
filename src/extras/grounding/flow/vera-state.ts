import type { GroundingErrorKind } from "../grounding-error.ts";
import type { Chunk } from "../ingest/document.ts";
import type { SearchMethod } from "../retrieve/search-index.ts";
import type { Citation, GroundingLabel } from "../verify/verification.ts";

/** A document of a question: a file, relative to the working directory, or a text. */
export type FlowDocument =
  | { readonly path: string; readonly name?: string }
  | { readonly name: string; readonly text: string };

/** What the flow is asked: without documents the adapter `index` is searched. */
export interface AskedQuestion {
  readonly question: string;
  readonly documents?: readonly FlowDocument[];
}

/** Where passages are searched: these chunks, or the adapter `index`. */
export type Library = { readonly kind: "chunks"; readonly chunks: readonly Chunk[] } | { readonly kind: "adapter" };

/** What the hops found so far. */
export interface Found {
  /** In the order they were found: the first hop's best first. */
  readonly passages: readonly Chunk[];
  /** The query of each hop. */
  readonly queries: readonly string[];
  readonly method: SearchMethod;
}

/** How far the passages speak of the question. */
export interface FoundCoverage {
  /** 0 to 1; null where the question has no word to look for. */
  readonly score: number | null;
  /** Words of the question that no passage has. */
  readonly missing: readonly string[];
}

/** The documents are to be read. */
export interface IngestState {
  readonly phase: "ingest";
  readonly question: string;
  readonly documents: readonly FlowDocument[];
}

/** The question is to become the first query. */
export interface QueryState {
  readonly phase: "query";
  readonly question: string;
  readonly library: Library;
}

/** One hop is to be made. */
export interface RetrieveState {
  readonly phase: "retrieve";
  readonly question: string;
  readonly library: Library;
  readonly query: string;
  readonly found: Found;
}

/** The passages are to be measured against the question. */
export interface VerifyRetrievalState {
  readonly phase: "verify_retrieval";
  readonly question: string;
  readonly library: Library;
  readonly found: Found;
}

/** The answer is to be written. */
export interface GenerateState {
  readonly phase: "generate";
  readonly question: string;
  readonly found: Found;
  readonly coverage: FoundCoverage;
}

/** The answer is to be verified against the passages. */
export interface VerifyGroundingState {
  readonly phase: "verify_grounding";
  readonly question: string;
  readonly found: Found;
  readonly coverage: FoundCoverage;
  readonly response: string;
  readonly answeredBy: AnsweredQuestion["answeredBy"];
}

/** There is an answer, however well it is supported. */
export interface CompleteState {
  readonly phase: "complete";
  readonly answer: AnsweredQuestion;
}

/** There is none. */
export interface FailedState {
  readonly phase: "failed";
  /** The phase that failed. */
  readonly at: WorkingState["phase"];
  readonly error: FlowError;
}

/** Why a flow failed, as plain data. */
export interface FlowError {
  readonly kind: GroundingErrorKind;
  readonly code: string;
  readonly message: string;
  readonly operation: string;
  readonly input?: string;
  readonly retryable: boolean;
  /** The words of what caused it. */
  readonly cause?: string;
}

/** A state with work left: its phase names what is to be done next. */
export type WorkingState =
  | IngestState
  | QueryState
  | RetrieveState
  | VerifyRetrievalState
  | GenerateState
  | VerifyGroundingState;

/**
 * Where a question stands, as plain JSON data: it can be stored, and the flow goes on from any of them. No state
 * holds a time or an id of a run, so equal work has equal states and hashes.
 */
export type VeraState = WorkingState | CompleteState | FailedState;

/** The name of a state. */
export type VeraPhase = VeraState["phase"];

/** What a run of the flow reports while it works. Times are here and in no state. */
export type VeraEvent =
  /** A state was reached: it can be stored, and gone on from. */
  | {
      readonly type: "checkpoint";
      readonly phase: VeraPhase;
      /** The hash of the state's canonical JSON. */
      readonly stateHash: string;
      /** Unix milliseconds. */
      readonly at: number;
      /** Milliseconds since the state before; 0 for the first. */
      readonly durationMs: number;
    }
  /** Worth knowing, and no error: low coverage, a missing embedder. */
  | { readonly type: "warning"; readonly phase: VeraPhase; readonly warning: string; readonly at: number };

/** A claim of an answer, in short: what a baseline keeps of it. */
export interface AnsweredClaim {
  /** Its words; a repeated claim has ` (2)` and so on behind them, so that each is told from the others. */
  readonly id: string;
  /** 0 to 1. Exactly 1 only for full support. */
  readonly score: number;
  readonly label: Exclude<GroundingLabel, "no_claims">;
  /** Numbers no cited passage has, names no passage has, and words at which it says something else than they do. */
  readonly missing: readonly string[];
  /** What a judge said about it. */
  readonly note?: string;
}

/** An answer with how well it is supported, and by what. Plain JSON data. */
export interface AnsweredQuestion {
  readonly question: string;
  /** The answer, without citation markers. */
  readonly response: string;
  /** The answer with a marker behind each supported claim: `[1]` is the first of `citations`. */
  readonly cited: string;
  /** Who wrote it: the model; sentences of the passages, taken over as they are; or nobody, for want of a passage. */
  readonly answeredBy: "model" | "extract" | "nobody";
  /** 0 to 1; null where it claims nothing. */
  readonly groundingScore: number | null;
  readonly label: GroundingLabel;
  /**
   * Why the answer is none that can be relied on, however well its sentences are supported: what was found covers too
   * little of the question, or sentences that were taken over say too little of it. Absent where it suffices.
   */
  readonly insufficient?: "coverage" | "relevance";
  /** In the order of the response. */
  readonly claims: readonly AnsweredClaim[];
  /** In the order they are first needed. */
  readonly citations: readonly Citation[];
  readonly retrieval: {
    /** 0 to 1; null where the question has no word to look for. */
    readonly coverage: number | null;
    readonly missing: readonly string[];
    readonly queries: readonly string[];
    readonly method: SearchMethod;
    /** Ids of the chunks the answer is from; they begin with the id of their document, which is that of its content. */
    readonly passages: readonly string[];
  };
  /** Parts that claim nothing, and claims beyond the limit, in numbers. */
  readonly unverified: { readonly nonClaims: number; readonly leftOut: number };
}
