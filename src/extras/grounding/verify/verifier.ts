import { type Result, ok } from "../../../kernel/result.ts";
import type { GroundingConfig } from "../grounding-config.ts";
import type { GroundingError } from "../grounding-error.ts";
import type { LexicalScore } from "./lexical-score.ts";
import type { SourceIndex } from "./sources.ts";

/** A claim as verifiers get it: its words, and what the lexical rule found. */
export interface ClaimToVerify {
  readonly text: string;
  readonly lexical: LexicalScore;
}

/** What a verifier may look at beside the claims. */
export interface VerifierContext {
  readonly index: SourceIndex;
  readonly config: GroundingConfig;
  readonly question?: string | undefined;
}

/** A verifier's word on one claim. */
export interface ClaimVerdict {
  /** 0 to 1; exactly 1 is full support. */
  readonly score: number;
  readonly note?: string;
}

/** Judges claims against sources. Its verdicts come in the order of the claims, one each. */
export interface Verifier {
  readonly name: string;
  verify(
    claims: readonly ClaimToVerify[],
    context: VerifierContext,
  ): Promise<Result<readonly ClaimVerdict[], GroundingError>>;
}

/** The default verifier: the lexical rule alone. Needs no network, no model and no recording. */
export const lexicalVerifier: Verifier = {
  name: "lexical",
  verify: async (claims) => ok(claims.map(({ lexical }) => ({ score: lexical.score }))),
};
