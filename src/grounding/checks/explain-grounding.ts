import { escapeText, quote, truncate } from "../../base/text.ts";
import type { Citation, VerifiedClaim, Verification } from "../verify/verification.ts";
import { markWords } from "./mark-words.ts";
import { counted, shownScore } from "./wording.ts";

/** Claims that are shown before the rest is only counted. */
const MAX_CLAIMS = 8;
/** Source sentences shown for one claim. */
const MAX_EVIDENCE = 3;
/** Characters of a quote, a document's name or a judge's note. */
const MAX_QUOTE = 200;
const MAX_NAME = 80;

/**
 * The report of a failing grounding check: score and label, then each claim below the threshold, the worst first, with
 * its missing numbers, missing and stray names marked and the closest source sentences, the closest first. At most 8
 * claims of 3 sentences; everything from outside is escaped.
 */
export function explainGrounding(verification: Verification<string>, threshold: number): string {
  const { groundingScore, label, claims, verifier } = verification;
  const below = claims
    .filter(({ score }) => score < threshold)
    .toSorted((one, other) => one.score - other.score || one.start - other.start);
  const head = `score ${shownScore(groundingScore)} (${label}), at least ${shownScore(threshold)} wanted; ${below.length} of ${counted(claims.length, "claim")} below it (${escapeText(verifier)})`;
  const more = below.length - MAX_CLAIMS;
  return [
    head,
    ...below.slice(0, MAX_CLAIMS).flatMap((claim) => ["", ...claimLines(claim)]),
    ...(more > 0 ? ["", `  … and ${counted(more, "more claim")} below the threshold`] : []),
    ...restLines(verification),
  ].join("\n");
}

/** What a response holds beside verified claims: parts that claim nothing, and claims beyond the limit. */
export function restLines({ nonClaims, leftOut }: Pick<Verification<unknown>, "nonClaims" | "leftOut">): string[] {
  const kinds = [...Map.groupBy(nonClaims, ({ kind }) => kind)].map(([kind, parts]) => counted(parts.length, kind));
  return [
    ...(kinds.length === 0 && leftOut.length === 0 ? [] : [""]),
    ...(kinds.length === 0 ? [] : [`  no claims: ${kinds.join(", ")}`]),
    ...(leftOut.length === 0
      ? []
      : [`  not verified: ${counted(leftOut.length, "further claim")} beyond maxFacts; raise it in the configuration`]),
  ];
}

/** A citation on one line: where it is from, its score, and its words. */
function citationLine({ document, page, start, end, quote: words, score }: Citation): string {
  const place = page === undefined ? "" : `, page ${page}`;
  return `${escapeText(truncate(document, MAX_NAME)).replace(/\s+/g, " ")}${place} [${start}–${end}] (${shownScore(score)}) ${quote(truncate(words.replace(/\s+/g, " "), MAX_QUOTE))}`;
}

function claimLines(claim: VerifiedClaim): string[] {
  const { text, start, score, missingNumbers, missingNames, strayNames = [], evidence } = claim;
  const closest = evidence.toSorted((one, other) => other.score - one.score).slice(0, MAX_EVIDENCE);
  return [
    `  ${shownScore(score)}  ${markWords({ text, start, words: [...missingNumbers, ...missingNames, ...strayNames] })}`,
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
  note,
}: VerifiedClaim): string[] {
  return [
    ...wordLine("numbers not in its sources", missingNumbers),
    ...wordLine("names not in any source", missingNames),
    ...wordLine("names its sources have, but not near the rest of it", strayNames),
    ...(negationOnlyInClaim ? ["it denies, its sources do not"] : []),
    ...wordLine("the sources say the opposite of", antonyms),
    ...(note === undefined ? [] : [`judge: ${quote(truncate(note, MAX_QUOTE))}`]),
  ];
}

function wordLine(label: string, words: readonly { readonly text: string }[]): string[] {
  if (words.length === 0) return [];
  const texts = words.slice(0, 10).map(({ text }) => escapeText(truncate(text, 40)).replace(/\s+/g, " "));
  return [`${label}: ${texts.join(", ")}${words.length > 10 ? `, … and ${words.length - 10} more` : ""}`];
}
