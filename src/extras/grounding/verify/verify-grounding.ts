import { traced } from "../pipeline/operation.ts";
import { type Result, err, ok } from "../../../kernel/result.ts";
import { VERA } from "../../../kernel/telemetry/attributes.ts";
import { type JudgeModel, judgeAdapter } from "../adapters/llm-adapter.ts";
import { type GroundingConfig, groundingConfig } from "../grounding-config.ts";
import { type GroundingError, providerError, groundingFailure } from "../grounding-error.ts";
import type { TextSpan } from "../text/split-sentences.ts";
import { tokenize } from "../text/tokenize.ts";
import { type ResponsePart, splitClaims, withoutMarkers } from "./split-claims.ts";
import type { Difference } from "./difference.ts";
import { blend } from "./blend.ts";
import { judgeVerifier } from "./judge-verifier.ts";
import { OVERLAP_NOTE, isOtherLanguage } from "./language.ts";
import { type LexicalScore, lexicalScore } from "./lexical-score.ts";
import { type SourceSentence, type Sources, keptIndex, readSources } from "./sources.ts";
import {
  type ClaimCitation,
  type ClaimDifference,
  type Verification,
  type VerifiedClaim,
  answerLabel,
  citationOf,
  labelOf,
} from "./verification.ts";
import {
  type ClaimToVerify,
  type ClaimVerdict,
  type Verifier,
  type VerifierContext,
  lexicalVerifier,
} from "./verifier.ts";
import { roundScore, sumOf } from "./weights.ts";

/** Options for {@link verifyGrounding}. */
export interface VerifyOptions {
  /** Verifier that scores the claims. Default: `lexicalVerifier`, which compares the words of the texts. */
  readonly verifier?: Verifier;
  /**
   * Model that judges claims. veritest combines its score with the score of the lexical rule. Matchers record its
   * responses.
   */
  readonly judge?: JudgeModel;
  /** Question that the response answers. Judges see it. */
  readonly question?: string;
  /**
   * Weighting of claims. `specificity` uses specificity only. `position` also weighs by position, so the first claim
   * counts about twice as much as the last. Default: `specificity`.
   */
  readonly weigh?: "specificity" | "position";
  readonly config?: Partial<GroundingConfig>;
}

/**
 * Measures how well its sources support each claim of a response: Σ weight · score / Σ weight over its claims, with
 * citations, and which words contradict the sources. Support is exactly 1 only if every claim is fully supported, and
 * exactly 0 only if no claim has any support. Without claims it's null. With the default verifier the same texts give
 * the same bits on every machine. Errors: `validation` for sources or a configuration that aren't valid, `provider` for
 * an injected verifier that fails.
 *
 * @example
 * const verified = await verifyGrounding("The total is $9.", [{ document: "receipt", text: "Total: $9.00" }]);
 * if (verified.ok) console.log(verified.value.support, verified.value.citations);
 */
export async function verifyGrounding(
  response: string,
  sources: Sources,
  options: VerifyOptions = {},
): Promise<Result<Verification<string>, GroundingError>> {
  return traced("verify", {
    work: () => verify(response, sources, options),
    facts: ({ support, label }) => ({
      [VERA.phase]: "grounding",
      [VERA.groundingScore]: support ?? "none",
      [VERA.label]: label,
    }),
  });
}

async function verify(
  response: string,
  sources: Sources,
  { judge, verifier = verifierOf(judge), question, weigh = "specificity", config: configOptions }: VerifyOptions,
): Promise<Result<Verification<string>, GroundingError>> {
  const config = groundingConfig(configOptions);
  if (!config.ok) return config;
  const read = readSources(sources);
  if (!read.ok) return read;
  const context = { index: keptIndex(read.value), config: config.value, question };
  const factorOf = weigh === "position" ? ({ start }: TextSpan): number => 2 - start / response.length : () => 1;
  const prepared = prepareClaims(response, context, factorOf);
  const verdicts = await callVerifier(verifier, prepared.claims, context);
  return verdicts.ok
    ? ok(verificationOf(prepared, verdicts.value, { config: config.value, verifier: verifier.name }))
    : verdicts;
}

function verifierOf(judge: JudgeModel | undefined): Verifier {
  return judge === undefined ? lexicalVerifier : blend(lexicalVerifier, judgeVerifier(judgeAdapter(judge)));
}

async function callVerifier(
  verifier: Verifier,
  claims: readonly ClaimToVerify[],
  context: VerifierContext,
): Promise<Result<readonly ClaimVerdict[], GroundingError>> {
  if (claims.length === 0) return ok([]);
  try {
    const verdicts = await verifier.verify(claims, context);
    return verdicts.ok ? checked(verdicts.value, claims.length, verifier.name) : verdicts;
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
  const problem =
    wrong === undefined ? `${verdicts.length} verdicts for ${expected} claims` : `the score ${wrong.score}`;
  const message = `The verifier ${name} returned ${problem}. A verifier returns one score from 0 to 1 for each claim.`;
  return groundingFailure({ kind: "verification", code: "invalid_verdict", message, operation: "verify" });
}

/** Claim of the response with its lexical score and weight. */
interface WeighedClaim extends TextSpan, ClaimToVerify {
  readonly weight: number;
}

/** Response split into claims and other parts. */
interface PreparedClaims {
  readonly response: string;
  /** In the order of the response, at most `maxFacts`. */
  readonly claims: readonly WeighedClaim[];
  readonly leftOut: readonly TextSpan[];
  readonly nonClaims: readonly ResponsePart[];
  /** True if the rules of contradictions don't know the language. */
  readonly overlapOnly: boolean;
}

/** Splits a response into claims, scores them by the lexical rule, and selects the heaviest. */
function prepareClaims(
  response: string,
  { index, config }: VerifierContext,
  factorOf: (claim: TextSpan) => number,
): PreparedClaims {
  // Citation markers aren't words of a claim. Replace them by spaces, so that offsets don't change.
  const parts = splitClaims(withoutMarkers(response));
  const overlapOnly = isOtherLanguage(response) || index.isOtherLanguage;
  const answer = new Set(tokenize(response).map(({ key }) => key));
  const spanOf = ({ start, end }: ResponsePart): TextSpan => ({ text: response.slice(start, end), start, end });
  const claims = parts
    .filter(({ kind }) => kind === "claim")
    .map((claim): WeighedClaim => {
      const lexical = lexicalScore(claim.text, index, { overlapOnly, answer });
      return { ...spanOf(claim), lexical, weight: roundScore(lexical.weight * factorOf(claim)) };
    });
  const selected = new Set(heaviest(claims, config.maxFacts));
  return {
    response,
    overlapOnly,
    claims: claims.filter((claim) => selected.has(claim)),
    leftOut: claims.filter((claim) => !selected.has(claim)).map(({ text, start, end }) => ({ text, start, end })),
    nonClaims: parts.filter(({ kind }) => kind !== "claim").map((part) => ({ ...spanOf(part), kind: part.kind })),
  };
}

/** Returns the claims with the highest weights; among equals the first. */
function heaviest(claims: readonly WeighedClaim[], max: number): readonly WeighedClaim[] {
  return claims.toSorted((left, right) => right.weight - left.weight || left.start - right.start).slice(0, max);
}

/** Combines the verdicts on the claims of a response: scores, labels, citations, and the aggregate. */
function verificationOf(
  { response, claims: prepared, leftOut, nonClaims, overlapOnly }: PreparedClaims,
  verdicts: readonly ClaimVerdict[],
  { config, verifier }: { readonly config: GroundingConfig; readonly verifier: string },
): Verification<string> {
  const claims = prepared.map((claim, index) => verifiedClaim(claim, verdicts[index] ?? { score: 0 }, config));
  const support = aggregate(claims);
  return {
    value: response,
    support,
    contradictions: claims.flatMap(({ contradictions }, claim) => contradictions.map((each) => ({ ...each, claim }))),
    label: answerLabel(support, claims, config),
    phase: "grounding",
    citations: citationsOf(claims, config),
    claims,
    nonClaims,
    leftOut,
    verifier: overlapOnly ? `${verifier}, ${OVERLAP_NOTE}` : verifier,
  };
}

function verifiedClaim(
  { text, start, end, weight, lexical }: WeighedClaim,
  { score, note, isRejected }: ClaimVerdict,
  config: GroundingConfig,
): VerifiedClaim {
  const spanOf = (word: TextSpan): TextSpan => ({
    text: text.slice(word.start, word.end),
    start: start + word.start,
    end: start + word.end,
  });
  const differenceOf = <Kind>({ kind, word, sourceWord, sentence }: Difference<Kind>): ClaimDifference<Kind> => ({
    kind,
    ...spanOf(word),
    ...(sourceWord === undefined ? {} : { sourceWord }),
    ...(sentence === undefined ? {} : { source: citationOf(sentence, shareIn(sentence, lexical)) }),
  });
  const rounded = roundScore(score, score === 1);
  const contradictions = [
    ...lexical.contradictions.map(differenceOf),
    ...(isRejected === true ? [{ kind: "judge" as const, text, start, end }] : []),
  ];
  return {
    text,
    start,
    end,
    score: rounded,
    weight,
    label: contradictions.length > 0 ? "ungrounded" : labelOf(rounded, config),
    missing: lexical.missing.map(spanOf),
    contradictions,
    notes: lexical.notes.map(differenceOf),
    evidence: lexical.evidence.map((match) => citationOf(match.sentence, match.score)),
    ...(note === undefined ? {} : { note }),
  };
}

function shareIn(sentence: SourceSentence, { evidence }: LexicalScore): number {
  return evidence.find((each) => each.sentence === sentence)?.score ?? 0;
}

/** Returns Σ weight · score / Σ weight; null without claims or if their weights are 0. */
function aggregate(claims: readonly VerifiedClaim[]): number | null {
  const total = sumOf(claims.map(({ weight }) => weight));
  if (total === 0) return null;
  const sum = sumOf(claims.map(({ weight, score }) => weight * score));
  return roundScore(
    sum / total,
    claims.every(({ score }) => score === 1),
  );
}

function citationsOf(claims: readonly VerifiedClaim[], { citationThreshold }: GroundingConfig): ClaimCitation[] {
  return claims
    .flatMap(({ score, evidence, contradictions }, claim) =>
      score >= citationThreshold && contradictions.length === 0
        ? evidence.map((citation) => ({ ...citation, claim }))
        : [],
    )
    .toSorted((left, right) => right.score - left.score || left.claim - right.claim);
}
