import { type Result, err, ok } from "../../base/result.ts";
import { type GroundingConfig, groundingConfig } from "../grounding-config.ts";
import { type GroundingError, groundingError, providerError } from "../grounding-error.ts";
import { lexicalVerifier } from "./lexical-verifier.ts";
import { prepareClaims } from "./prepare-claims.ts";
import { relevanceOf } from "./relevance-of.ts";
import { type Sources, readSources } from "./source.ts";
import { indexSources } from "./source-index.ts";
import type { Verification } from "./verification.ts";
import { verificationOf } from "./verification-of.ts";
import type { ClaimToVerify, ClaimVerdict, Verifier, VerifierContext } from "./verifier.ts";

/** Options of {@link verifyGrounding}. */
export interface VerifyOptions {
  /** Default: the lexical rule, which needs nothing but the texts. */
  readonly verifier?: Verifier;
  /** What was asked. Judges see it; with `weigh: "relevance"` claims close to it count more. */
  readonly question?: string;
  /**
   * How claims count against each other: by how specific they are, or also by how near the question. Default:
   * `specificity`.
   */
  readonly weigh?: "specificity" | "relevance";
  readonly config?: Partial<GroundingConfig>;
}

/**
 * Says how well each claim of a response is supported by its sources: Σ weight · score / Σ weight over atomic facts,
 * with citations and what each claim lacks. The score is exactly 1 only when every fact is fully supported and
 * exactly 0 only when none is at all; without claims it is null. With the default verifier the same texts give the
 * same bits anywhere. Errors: `validation` for a configuration out of range, `provider` for an injected verifier that
 * fails.
 *
 * @example
 * const verified = await verifyGrounding("The total is $9.", [{ document: "receipt", text: "Total: $9.00" }]);
 * if (verified.ok) console.log(verified.value.groundingScore, verified.value.citations);
 */
export async function verifyGrounding(
  response: string,
  sources: Sources,
  { verifier = lexicalVerifier, question, weigh = "specificity", config: given }: VerifyOptions = {},
): Promise<Result<Verification<string>, GroundingError>> {
  const config = groundingConfig(given);
  if (!config.ok) return config;
  const context = { index: indexSources(readSources(sources)), config: config.value, question };
  const prepared = prepareClaims(response, context, weigh === "relevance" ? relevanceOf(question) : () => 1);
  const verdicts = await askVerifier(verifier, prepared.claims, context);
  return verdicts.ok
    ? ok(verificationOf(prepared, verdicts.value, { config: config.value, verifier: verifier.name }))
    : verdicts;
}

async function askVerifier(
  verifier: Verifier,
  facts: readonly ClaimToVerify[],
  context: VerifierContext,
): Promise<Result<readonly ClaimVerdict[], GroundingError>> {
  if (facts.length === 0) return ok([]);
  try {
    const verdicts = await verifier.verify(facts, context);
    return verdicts.ok ? checked(verdicts.value, facts.length, verifier.name) : verdicts;
  } catch (cause) {
    return err(providerError("verify", `The verifier ${verifier.name}`, cause));
  }
}

function checked(
  verdicts: readonly ClaimVerdict[],
  expected: number,
  name: string,
): Result<readonly ClaimVerdict[], GroundingError> {
  const wrong = verdicts.find(({ score }) => !(score >= 0 && score <= 1));
  if (verdicts.length === expected && wrong === undefined) return ok(verdicts);
  const found = wrong === undefined ? `${verdicts.length} verdicts for ${expected} claims` : `the score ${wrong.score}`;
  const message = `The verifier ${name} gave ${found}. A verifier gives one score from 0 to 1 for each claim.`;
  return err(groundingError({ kind: "verification", code: "invalid_verdict", message, operation: "verify" }));
}
