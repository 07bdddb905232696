import { escapeText, quote, truncate } from "../../../kernel/text.ts";
import type { NoteKind } from "../verify/difference.ts";
import type { Citation, Contradiction, Verification, VerifiedClaim } from "../verify/verification.ts";

/** Maximum number of claims listed. Further ones are only counted. */
const MAX_CLAIMS = 8;
/** Maximum number of source sentences listed for one claim. */
const MAX_EVIDENCE = 3;
/** Maximum number of characters of a quote or a judge's note. */
const MAX_QUOTE = 200;
const MAX_NAME = 80;

/** Thresholds that an answer must reach. A report compares the result of a check with them. */
export interface Wanted {
  readonly threshold: number;
  readonly minClaim: number;
}

/**
 * Renders the report of a failing grounding check: its contradictions first, then the support and each claim below the
 * threshold, worst first, with its closest source sentences. Shows at most 8 claims with 3 sentences each, and escapes
 * all external text.
 */
export function explainGrounding(verification: Verification<string>, { threshold, minClaim }: Wanted): string {
  const { claims, contradictions } = verification;
  const listed = claims
    .filter(({ score, contradictions: own }) => score < threshold || own.length > 0)
    .toSorted((left, right) => left.score - right.score || left.start - right.start);
  const moreContradictions = contradictions.length - MAX_CLAIMS;
  const more = listed.length - MAX_CLAIMS;
  return [
    ...contradictions.slice(0, MAX_CLAIMS).map(contradictionLine),
    ...(moreContradictions > 0 ? [`… and ${numbered(moreContradictions, "more contradiction")}`] : []),
    supportLine(verification, { threshold, minClaim }),
    ...listed.slice(0, MAX_CLAIMS).flatMap((claim) => ["", ...claimLines(claim)]),
    ...(more > 0 ? ["", `  … and ${numbered(more, "more claim")} below the threshold or contradicted`] : []),
    ...restLines(verification),
  ].join("\n");
}

/** Renders the support, and the numbers of claims below the limits. The support can be sufficient. */
function supportLine(verification: Verification<string>, { threshold, minClaim }: Wanted): string {
  const { support, label, claims, verifier } = verification;
  const below = claims.filter(({ score }) => score < threshold).length;
  const weak = claims.filter(({ score }) => score < minClaim).length;
  const link = support !== null && support >= threshold ? "and" : "but";
  return (
    `support is ${shownScore(support)} (${label}), ${link} at least ${shownScore(threshold)} is required. ` +
    `${below} of ${numbered(claims.length, "claim")} ` +
    `${isOrAre(below === 0 ? claims.length : below)} below ${shownScore(threshold)}` +
    `${weak === 0 ? "" : `, and ${weak} ${isOrAre(weak)} below minClaim (${shownScore(minClaim)})`}. ` +
    `Verifier: ${escapeText(verifier)}`
  );
}

function isOrAre(number: number): string {
  return number === 1 ? "is" : "are";
}

/** Renders a contradiction after its claim's number: `claim 3 contradicts page 2: "can" / "cannot" (negation)`. */
export function contradictionLine(contradiction: Contradiction): string {
  return `claim ${contradiction.claim + 1} ${contradictionText(contradiction)}`;
}

/** Renders a contradiction on one line, without its claim. */
export function contradictionText({ kind, text, sourceWord, source }: Omit<Contradiction, "claim">): string {
  const own = quote(truncate(text.replace(/\s+/g, " "), MAX_WORD));
  if (kind === "judge") return `isn't supported, according to the judge: ${own}`;
  if (source === undefined || sourceWord === undefined) return `has ${own}, which no source has (${kind})`;
  const page = source.page === undefined ? "" : `, page ${source.page}`;
  const document = oneLine(truncate(source.document, MAX_NAME));
  const other = quote(truncate(sourceWord.replace(/\s+/g, " "), MAX_WORD));
  return `contradicts ${document}${page}: ${own} / ${other} (${kind})`;
}

const MAX_WORD = 60;

/** Renders the unverified parts of a response: parts without a claim, and claims beyond the limit. */
export function restLines({ nonClaims, leftOut }: Pick<Verification<unknown>, "nonClaims" | "leftOut">): string[] {
  const kinds = [...Map.groupBy(nonClaims, ({ kind }) => kind)].map(([kind, parts]) => numbered(parts.length, kind));
  return [
    ...(kinds.length === 0 && leftOut.length === 0 ? [] : [""]),
    ...(kinds.length === 0 ? [] : [`  skipped (not claims): ${kinds.join(", ")}`]),
    ...(leftOut.length === 0
      ? []
      : [`  ${numbered(leftOut.length, "claim")} weren't checked. Raise maxFacts in the configuration`]),
  ];
}

/** Renders a citation on one line: its span, its score, and its text. */
function citationLine({ document, page, start, end, quote: words, score }: Citation): string {
  const pageText = page === undefined ? "" : `, page ${page}`;
  return (
    `${oneLine(truncate(document, MAX_NAME))}${pageText} [${start}–${end}] ` +
    `(${shownScore(score)}) ${quote(truncate(words.replace(/\s+/g, " "), MAX_QUOTE))}`
  );
}

function claimLines(claim: VerifiedClaim): string[] {
  const { text, start, score, missing, contradictions, evidence } = claim;
  const marked = [...missing, ...contradictions];
  const closest = evidence.toSorted((left, right) => right.score - left.score).slice(0, MAX_EVIDENCE);
  return [
    `  ${shownScore(score)}  ${markWords({ text, start, words: marked })}`,
    ...defects(claim).map((defect) => `        ${defect}`),
    ...(closest.length === 0
      ? ["        no sentence in the sources has a word in common with it"]
      : closest.map((citation) => `        ${citationLine(citation)}`)),
  ];
}

function defects({ missing, notes, note }: VerifiedClaim): string[] {
  return [
    ...wordLine("not in any source", missing),
    ...[...Map.groupBy(notes, ({ kind }) => kind)].flatMap(([kind, words]) =>
      wordLine(
        NOTES[kind],
        words.map(({ sourceWord = "" }) => ({ text: sourceWord })),
      ),
    ),
    ...(note === undefined ? [] : [`judge: ${quote(truncate(note, MAX_QUOTE))}`]),
  ];
}

/** Descriptions of what a claim leaves out, before the words of the sources. */
const NOTES: Readonly<Record<NoteKind, string>> = {
  hedge: "note: the sources only call it possible",
  condition: "note: the sources add a condition",
};

function wordLine(label: string, words: readonly { readonly text: string }[]): string[] {
  if (words.length === 0) return [];
  const texts = words.slice(0, 10).map(({ text }) => oneLine(truncate(text, 40)));
  return [`${label}: ${texts.join(", ")}${words.length > 10 ? `, … and ${words.length - 10} more` : ""}`];
}

/** Words to mark, by their offsets in the full text, in which `text` begins at `start`. */
interface MarkedText {
  readonly text: string;
  readonly start: number;
  readonly words: readonly { readonly start: number; readonly end: number }[];
}

/** Maximum number of characters listed of a text. */
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
