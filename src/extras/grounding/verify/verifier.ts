import { type Result, ok } from "../../../kernel/result.ts";
import type { GroundingConfig } from "../grounding-config.ts";
import type { GroundingError } from "../grounding-error.ts";
import type { LexicalScore } from "./lexical-score.ts";
import type { SourceIndex } from "./sources.ts";

/** Input of a verifier: the text of a claim and its lexical score. */
export interface ClaimToVerify {
  readonly text: string;
  readonly lexical: LexicalScore;
}

/** Additional arguments of a verifier, after the claims. */
export interface VerifierContext {
  readonly index: SourceIndex;
  readonly config: GroundingConfig;
  readonly question?: string | undefined;
}

/** Verdict on one claim. */
export interface ClaimVerdict {
  /** Support of the claim, from 0 to 1. Exactly 1 means full support. */
  readonly score: number;
  readonly note?: string;
  /** True if the verifier finds that the sources don't support the claim, even if they contain the same words. */
  readonly isRejected?: boolean;
}

/** Verifies claims against sources. Returns one verdict per claim, in their order. */
export interface Verifier {
  readonly name: string;
  verify(
    claims: readonly ClaimToVerify[],
    context: VerifierContext,
  ): Promise<Result<readonly ClaimVerdict[], GroundingError>>;
}

/** Default verifier: only the lexical rule. Needs no network, model or recording. */
export const lexicalVerifier: Verifier = {
  name: "lexical",
  verify: async (claims) => ok(claims.map(({ lexical }) => ({ score: lexical.score }))),
};
