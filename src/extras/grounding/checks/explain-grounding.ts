import { escapeText, quote, truncate } from "../../../kernel/text.ts";
import type { ConflictKind } from "../verify/alignment.ts";
import type { Citation, Verification, VerifiedClaim } from "../verify/verification.ts";

/** Maximum number of claims shown. Further ones are only counted. */
const MAX_CLAIMS = 8;
/** Maximum number of source sentences shown for one claim. */
const MAX_EVIDENCE = 3;
/** Maximum number of characters of a quote or a judge's note. */
const MAX_QUOTE = 200;
const MAX_NAME = 80;

/**
 * Renders the report of a failing grounding check: score and label, then each claim below the threshold, worst first.
 * Missing numbers, and missing and displaced names are marked. Each claim has its closest source sentences, closest
 * first. At most 8 claims of 3 sentences; all external text is escaped.
 */
export function explainGrounding(verification: Verification<string>, threshold: number): string {
  const { groundingScore, label, claims, verifier } = verification;
  const below = claims
    .filter(({ score }) => score < threshold)
    .toSorted((left, right) => left.score - right.score || left.start - right.start);
  const head =
    `score ${shownScore(groundingScore)} (${label}), at least ${shownScore(threshold)} wanted; ` +
    `${below.length} of ${numbered(claims.length, "claim")} below it (${escapeText(verifier)})`;
  const more = below.length - MAX_CLAIMS;
  return [
    head,
    ...below.slice(0, MAX_CLAIMS).flatMap((claim) => ["", ...claimLines(claim)]),
    ...(more > 0 ? ["", `  … and ${numbered(more, "more claim")} below the threshold`] : []),
    ...restLines(verification),
  ].join("\n");
}

/** Renders the unverified parts of a response: parts without a claim, and claims beyond the limit. */
export function restLines({ nonClaims, leftOut }: Pick<Verification<unknown>, "nonClaims" | "leftOut">): string[] {
  const kinds = [...Map.groupBy(nonClaims, ({ kind }) => kind)].map(([kind, parts]) => numbered(parts.length, kind));
  return [
    ...(kinds.length === 0 && leftOut.length === 0 ? [] : [""]),
    ...(kinds.length === 0 ? [] : [`  no claims: ${kinds.join(", ")}`]),
    ...(leftOut.length === 0
      ? []
      : [
          `  not verified: ${numbered(leftOut.length, "further claim")} beyond maxFacts; raise it in the configuration`,
        ]),
  ];
}

/** Renders a citation on one line: its span, its score, and its text. */
function citationLine({ document, page, start, end, quote: words, score }: Citation): string {
  const pageText = page === undefined ? "" : `, page ${page}`;
  return (
    `${escapeText(truncate(document, MAX_NAME)).replace(/\s+/g, " ")}${pageText} [${start}–${end}] ` +
    `(${shownScore(score)}) ${quote(truncate(words.replace(/\s+/g, " "), MAX_QUOTE))}`
  );
}

function claimLines(claim: VerifiedClaim): string[] {
  const { text, start, score, missingNumbers, missingNames, strayNames = [], conflicts = [], evidence } = claim;
  const marked = [...missingNumbers, ...missingNames, ...strayNames, ...conflicts];
  const closest = evidence.toSorted((left, right) => right.score - left.score).slice(0, MAX_EVIDENCE);
  return [
    `  ${shownScore(score)}  ${markWords({ text, start, words: marked })}`,
    ...defects(claim).map((defect) => `        ${defect}`),
    ...(closest.length === 0
      ? ["        no source sentence shares a word with it"]
      : closest.map((citation) => `        ${citationLine(citation)}`)),
  ];
}

function defects({
  missingNumbers,
  missingNames,
  strayNames = [],
  negationOnlyInClaim,
  antonyms,
  conflicts = [],
  note,
}: VerifiedClaim): string[] {
  return [
    ...wordLine("numbers not in its sources", missingNumbers),
    ...wordLine("names not in any source", missingNames),
    ...wordLine("names its sources have, but far from the rest of it", strayNames),
    ...(negationOnlyInClaim ? ["it denies something, its sources don't"] : []),
    ...wordLine("the sources say the opposite of", antonyms),
    ...[...Map.groupBy(conflicts, ({ kind }) => kind)].flatMap(([kind, words]) => wordLine(CONFLICTS[kind], words)),
    ...(note === undefined ? [] : [`judge: ${quote(truncate(note, MAX_QUOTE))}`]),
  ];
}

/** Descriptions of conflicts, before their words. */
const CONFLICTS: Readonly<Record<ConflictKind, string>> = {
  denial: "the sources deny",
  hedge: "the sources leave open",
  condition: "the sources say it under a condition; it begins at",
  number: "numbers its sources have, but far from the rest of it",
  unit: "the sources count something else with",
  bound: "the sources have another limit at",
};

function wordLine(label: string, words: readonly { readonly text: string }[]): string[] {
  if (words.length === 0) return [];
  const texts = words.slice(0, 10).map(({ text }) => escapeText(truncate(text, 40)).replace(/\s+/g, " "));
  return [`${label}: ${texts.join(", ")}${words.length > 10 ? `, … and ${words.length - 10} more` : ""}`];
}

/** Words to mark, by their offsets in the full text, in which `text` begins at `start`. */
interface MarkedText {
  readonly text: string;
  readonly start: number;
  readonly words: readonly { readonly start: number; readonly end: number }[];
}

/** Maximum number of characters shown of a text. */
const MAX_TEXT = 400;

/**
 * Renders a text on one line, with marked words as `⟦word⟧`. Safe to print. Cut after 400 characters, but never within
 * a marked word.
 */
function markWords({ text, start, words }: MarkedText): string {
  const limit = cutAt(
    text,
    words.map((word) => ({ start: word.start - start, end: word.end - start })),
  );
  let excerpt = "";
  let from = 0;
  for (const word of words.toSorted((left, right) => left.start - right.start)) {
    const [begin, end] = [word.start - start, word.end - start];
    if (begin < from || end > limit) continue;
    excerpt += `${oneLine(text.slice(from, begin))}⟦${oneLine(text.slice(begin, end))}⟧`;
    from = end;
  }
  const rest = text.length - limit;
  return excerpt + oneLine(text.slice(from, limit)) + (rest > 0 ? `… (+${rest} characters)` : "");
}

function cutAt(text: string, words: readonly { readonly start: number; readonly end: number }[]): number {
  if (text.length <= MAX_TEXT) return text.length;
  const split = words.find(({ start, end }) => start < MAX_TEXT && end > MAX_TEXT);
  const limit = split?.start ?? MAX_TEXT;
  return /[\ud800-\udbff]/.test(text.charAt(limit - 1)) ? limit - 1 : limit;
}

function oneLine(text: string): string {
  return escapeText(text).replace(/\s+/g, " ");
}

/**
 * Renders a score with two decimals, truncated rather than rounded: a score below a threshold must not look as if it
 * reached it.
 */
export function shownScore(score: number | null): string {
  return score === null ? "none" : (Math.floor(score * 100 + 1e-6) / 100).toFixed(2);
}

/** Renders a number with its noun in the right form. */
export function numbered(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
