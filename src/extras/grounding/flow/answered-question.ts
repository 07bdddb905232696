import type { GroundingConfig } from "../grounding-config.ts";
import { coverageOf } from "../retrieve/coverage.ts";
import { type Citation, type Verification, type VerifiedClaim, answerLabel } from "../verify/verification.ts";
import type { AnsweredClaim, AnsweredQuestion, VerifyGroundingState } from "./answer-state.ts";

/** Share of the question's words that a relevant answer has at least. */
const LEAST_RELEVANCE = 0.5;

/**
 * Combines a response with its verification. Extracted sentences always support themselves, so if they're insufficient,
 * they score no more than they cover of the question.
 */
export function answeredQuestionOf(
  { question, response, answeredBy, retrieved, coverage }: VerifyGroundingState,
  verification: Verification<string>,
  config: GroundingConfig,
): AnsweredQuestion {
  const { claims, nonClaims, leftOut } = verification;
  const { passages, queries, method } = retrieved;
  const relevance = answeredBy === "extract" ? coverageOf(question, [{ text: response }]).score : 1;
  const insufficient = insufficiencyOf(coverage.score ?? 0, relevance, config);
  const score = verification.support;
  const support =
    score === null || insufficient === undefined || answeredBy !== "extract"
      ? score
      : Math.min(score, coverage.score ?? 0, relevance);
  return {
    question,
    response,
    ...citeResponse(verification),
    answeredBy,
    support,
    label: answerLabel(support, claims, config),
    ...(insufficient === undefined ? {} : { insufficient }),
    claims: answeredClaims(claims),
    retrieval: {
      coverage: coverage.score,
      missing: coverage.missing,
      queries,
      method,
      passages: passages.map(({ id }) => id),
    },
    unverified: { nonClaims: nonClaims.length, leftOut: leftOut.length },
  };
}

function insufficiencyOf(
  coverage: number,
  relevance: number,
  { coverageThreshold }: GroundingConfig,
): AnsweredQuestion["insufficient"] {
  if (coverage < coverageThreshold) return "coverage";
  return relevance < LEAST_RELEVANCE ? "relevance" : undefined;
}

function answeredClaims(claims: readonly VerifiedClaim[]): AnsweredClaim[] {
  const ids = new Set<string>();
  return claims.map(({ text, score, label, missing, contradictions, note }) => {
    const id = newId(ids, text.replace(/\s+/g, " ").trim());
    ids.add(id);
    return {
      id,
      score,
      label,
      missing: missing.map((word) => word.text),
      ...(contradictions.length === 0 ? {} : { contradictions: contradictions.map(wordsOf) }),
      ...(note === undefined ? {} : { note }),
    };
  });
}

/** Returns a contradiction in words, for baselines and logs: `number: "1933" / "1932"`. */
function wordsOf({ kind, text, sourceWord }: VerifiedClaim["contradictions"][number]): string {
  return `${kind}: ${JSON.stringify(text)}${sourceWord === undefined ? "" : ` / ${JSON.stringify(sourceWord)}`}`;
}

function newId(ids: ReadonlySet<string>, text: string): string {
  let id = text;
  for (let count = 2; ids.has(id); count += 1) id = `${text} (${count})`;
  return id;
}

/** Response with its verified citations. */
interface CitedResponse {
  /** Response with a marker after each supported claim, before its full stop. */
  readonly cited: string;
  /** Each cited span once, in order of first use: the first is `[1]`. */
  readonly citations: readonly Citation[];
}

/** Numbers the citations of a verified response and puts their markers into it. */
function citeResponse({ value, claims, citations: all }: Verification<string>): CitedResponse {
  const numbers = new Map<string, { readonly citation: Citation; readonly number: number }>();
  let cited = "";
  let from = 0;
  for (const [index, { text, end }] of claims.entries()) {
    const claimNumbers = all.filter(({ claim }) => claim === index).map((citation) => numberOf(numbers, citation));
    if (claimNumbers.length === 0) continue;
    const at = end - (/[\s.!?…,;:]*$/.exec(text)?.[0].length ?? 0);
    cited += `${value.slice(from, at)} ${claimNumbers
      .toSorted((left, right) => left - right)
      .map((number) => `[${number}]`)
      .join("")}`;
    from = at;
  }
  return { cited: cited + value.slice(from), citations: [...numbers.values()].map(({ citation }) => citation) };
}

/** Returns the number of a cited span, and assigns a new one on first use. Keeps the best of several scores. */
function numberOf(
  numbers: Map<string, { readonly citation: Citation; readonly number: number }>,
  { document, page, start, end, quote, score }: Citation,
): number {
  const citation: Citation = { document, ...(page === undefined ? {} : { page }), start, end, quote, score };
  const key = citedSpan(citation);
  const before = numbers.get(key);
  const number = before?.number ?? numbers.size + 1;
  if (before === undefined || before.citation.score < citation.score) numbers.set(key, { citation, number });
  return number;
}

/** Readable key that identifies a cited span: `bridge.md, page 3 [0–29]`. */
export function citedSpan({ document, page, start, end }: Citation): string {
  return `${document}${page === undefined ? "" : `, page ${page}`} [${start}–${end}]`;
}
