import type { SearchMethod } from "../retrieve/search-index.ts";
import type { Citation, GroundingLabel, Verification, VerifiedClaim } from "../verify/verification.ts";
import type { VerifyGroundingState } from "./vera-state.ts";

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

/** Puts an answer and its verification together. */
export function answeredQuestionOf(
  { question, response, answeredBy, found, coverage }: VerifyGroundingState,
  verification: Verification<string>,
): AnsweredQuestion {
  const { groundingScore, label, claims, nonClaims, leftOut } = verification;
  const { passages, queries, method } = found;
  return {
    question,
    response,
    ...citeResponse(verification),
    answeredBy,
    groundingScore,
    label,
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

function answeredClaims(claims: readonly VerifiedClaim[]): AnsweredClaim[] {
  const ids = new Set<string>();
  return claims.map(({ text, score, label, missingNumbers, missingNames, strayNames = [], note }) => {
    const id = newId(ids, text.replace(/\s+/g, " ").trim());
    ids.add(id);
    return {
      id,
      score,
      label,
      missing: [...missingNumbers, ...missingNames, ...strayNames].map((word) => word.text),
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
