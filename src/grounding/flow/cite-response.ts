import type { Citation, Verification } from "../verify/verification.ts";

/** A response with its verified citations. */
export interface CitedResponse {
  /** The response with a marker behind each supported claim, before its full stop. */
  readonly cited: string;
  /** Each place once, in the order they are first needed: the first is `[1]`. */
  readonly citations: readonly Citation[];
}

/** Numbers the citations of a verified response and puts their markers into it. */
export function citeResponse({ value, claims, citations: all }: Verification<string>): CitedResponse {
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
  const key = placeOf(citation);
  const before = numbers.get(key);
  const number = before?.number ?? numbers.size + 1;
  if (before === undefined || before.citation.score < citation.score) numbers.set(key, { citation, number });
  return number;
}

/** What tells a cited place from all others, for people too: `bridge.md, page 3 [0–29]`. */
export function placeOf({ document, page, start, end }: Citation): string {
  return `${document}${page === undefined ? "" : `, page ${page}`} [${start}–${end}]`;
}
