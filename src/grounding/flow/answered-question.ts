import type { SearchMethod } from "../retrieve/search-index.ts";
import type { Citation, GroundingLabel } from "../verify/verification.ts";

/** A claim of an answer, in short: what a baseline keeps of it. */
export interface AnsweredClaim {
  /** Its words; a repeated claim has ` (2)` and so on behind them, so that each is told from the others. */
  readonly id: string;
  /** 0 to 1. Exactly 1 only for full support. */
  readonly score: number;
  readonly label: Exclude<GroundingLabel, "no_claims">;
  /** Numbers no cited passage has, names no passage has. */
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
