import type { GroundingConfig } from "../grounding-config.ts";
import { coverageOf } from "../retrieve/coverage.ts";
import { type Citation, type Verification, type VerifiedClaim, answerLabel } from "../verify/verification.ts";
import type { AnsweredClaim, AnsweredQuestion, VerifyGroundingState } from "./vera-state.ts";

/** A relevant answer has at least this share of what the question asks about. */
const LEAST_RELEVANCE = 0.5;

/**
 * Puts an answer and its verification together. Sentences that are taken over support themselves, whatever was asked:
 * where they are insufficient, they score no more than what they cover of the question.
 */
export function answeredQuestionOf(
  { question, response, answeredBy, found, coverage }: VerifyGroundingState,
  verification: Verification<string>,
  config: GroundingConfig,
): AnsweredQuestion {
  const { claims, nonClaims, leftOut } = verification;
  const { passages, queries, method } = found;
  const relevance = answeredBy === "extract" ? coverageOf(question, [{ text: response }]).score : 1;
  const lacking = lackOf(coverage.score ?? 0, relevance, config);
  const score = verification.groundingScore;
  const groundingScore =
    score === null || lacking === undefined || answeredBy !== "extract"
      ? score
      : Math.min(score, coverage.score ?? 0, relevance);
  return {
    question,
    response,
    ...citeResponse(verification),
    answeredBy,
    groundingScore,
    label: answerLabel(groundingScore, claims, config),
    ...(lacking === undefined ? {} : { insufficient: lacking }),
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

function lackOf(
  coverage: number,
  relevance: number,
  { coverageThreshold }: GroundingConfig,
): AnsweredQuestion["insufficient"] {
  if (coverage < coverageThreshold) return "coverage";
  return relevance < LEAST_RELEVANCE ? "relevance" : undefined;
}

function answeredClaims(claims: readonly VerifiedClaim[]): AnsweredClaim[] {
  const ids = new Set<string>();
  return claims.map(({ text, score, label, missingNumbers, missingNames, strayNames = [], conflicts = [], note }) => {
    const id = newId(ids, text.replace(/\s+/g, " ").trim());
    ids.add(id);
    return {
      id,
      score,
      label,
      missing: [...missingNumbers, ...missingNames, ...strayNames, ...conflicts].map((word) => word.text),
      ...(note === undefined ? {} : { note }),
    };
  });
}

function newId(ids: ReadonlySet<string>, text: string): string {
  let id = text;
  for (let count = 2; ids.has(id); count += 1) id = `${text} (${count})`;
  return id;
}

/** A response with its verified citations. */
interface CitedResponse {
  /** The response with a marker behind each supported claim, before its full stop. */
  readonly cited: string;
  /** Each place once, in the order they are first needed: the first is `[1]`. */
  readonly citations: readonly Citation[];
}

/** Numbers the citations of a verified response and puts their markers into it. */
function citeResponse({ value, claims, citations: all }: Verification<string>): CitedResponse {
  const numbers = new Map<string, { readonly citation: Citation; readonly number: number }>();
  let cited = "";
  let from = 0;
  for (const [index, { text, end }] of claims.entries()) {
    const own = all.filter(({ claim }) => claim === index).map((citation) => numbered(numbers, citation));
    if (own.length === 0) continue;
    const at = end - (/[\s.!?…,;:]*$/.exec(text)?.[0].length ?? 0);
    cited += `${value.slice(from, at)} ${own
      .toSorted((one, other) => one - other)
      .map((number) => `[${number}]`)
      .join("")}`;
    from = at;
  }
  return { cited: cited + value.slice(from), citations: [...numbers.values()].map(({ citation }) => citation) };
}

/** The number of a place, a new one where it is new; of several scores it keeps the best. */
function numbered(
  numbers: Map<string, { readonly citation: Citation; readonly number: number }>,
  { document, page, start, end, quote, score }: Citation,
): number {
  const citation: Citation = { document, ...(page === undefined ? {} : { page }), start, end, quote, score };
  const key = citedPlace(citation);
  const before = numbers.get(key);
  const number = before?.number ?? numbers.size + 1;
  if (before === undefined || before.citation.score < citation.score) numbers.set(key, { citation, number });
  return number;
}

/** What tells a cited place from all others, for people too: `bridge.md, page 3 [0–29]`. */
export function citedPlace({ document, page, start, end }: Citation): string {
  return `${document}${page === undefined ? "" : `, page ${page}`} [${start}–${end}]`;
}
