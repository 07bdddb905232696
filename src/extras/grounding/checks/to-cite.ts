import { refuseUnknownOptions } from "../../../kernel/did-you-mean.ts";
import { escapeText, quote, truncate } from "../../../kernel/text.ts";
import { splitSentences } from "../text/split-sentences.ts";
import { CITATION_MARKER, withoutMarkers } from "../verify/split-claims.ts";
import { type GroundingSource, type Sources, readSources } from "../verify/sources.ts";
import { type VerifyOptions, verifyGrounding } from "../verify/verify-grounding.ts";
import type { Verification } from "../verify/verification.ts";
import { type GroundingResult, receivedText, throwGroundingError } from "./received-value.ts";
import { contradictionText, numbered, shownScore } from "./explain-grounding.ts";

/** Options for {@link toCite}. */
export interface ToCiteOptions extends Pick<VerifyOptions, "verifier" | "config"> {
  /** Path of the answer in the step's output. */
  readonly path?: string;
}

const MATCHER = "toCite";
const MAX_PROBLEMS = 10;

/**
 * Checks the citation markers of an answer, such as `[1]` for the first source. Each marker must name a source. The
 * sources of a sentence must support it (`citationThreshold`, default: 0.70), and each source must contribute. An
 * answer without a marker fails. Throws a TypeError for a value that isn't text, and an Error if a verification itself
 * fails.
 *
 * @example
 * await expect("The total is $9 [1].").toCite([{ document: "receipt", text: "Total: $9.00" }]);
 */
export async function toCite(
  received: unknown,
  sources: Sources,
  options: ToCiteOptions = {},
): Promise<GroundingResult> {
  refuseUnknownOptions(MATCHER, options, ["path", "verifier", "config"]);
  const text = receivedText({ matcher: MATCHER, received, path: options.path });
  const list = readSources(sources);
  if (!list.ok) return throwGroundingError(MATCHER, list.error);
  const sentences = citedSentences(text);
  const problems: string[] = [];
  for (const sentence of sentences) problems.push(...(await problemsOf(sentence, list.value, options)));
  const pass = sentences.length > 0 && problems.length === 0;
  return { pass, message: () => messageOf(sentences.length, problems) };
}

async function problemsOf(
  sentence: CitedSentence,
  sources: readonly GroundingSource[],
  options: ToCiteOptions,
): Promise<string[]> {
  const unresolved = sentence.markers.filter((marker) => sources[marker - 1] === undefined);
  if (unresolved.length > 0)
    return unresolved.map(
      (marker) =>
        `[${marker}] doesn't match a source ` +
        `(${sources.length === 1 ? "there is 1" : `there are ${sources.length}`}): ${words(sentence)}`,
    );
  const cited = sentence.markers.flatMap((marker) => sources[marker - 1] ?? []);
  const threshold = options.config?.citationThreshold ?? 0.7;
  const { support: together, contradictions } = await verified(sentence, cited, options);
  const contradiction = contradictions.find(({ source }) => source !== undefined);
  if (contradiction !== undefined)
    return [`[${sentence.markers.join("][")}] ${contradictionText(contradiction)}: ${words(sentence)}`];
  if (together === null) return [];
  if (together < threshold)
    return [
      `[${sentence.markers.join("][")}] ${sentence.markers.length === 1 ? "supports" : "support"} ` +
        `it by ${shownScore(together)}, at least ${shownScore(threshold)} required: ${words(sentence)}`,
    ];
  const problems: string[] = [];
  for (const [index, marker] of sentence.markers.entries()) {
    const { support: alone } = await verified(sentence, cited.slice(index, index + 1), options);
    const { support: without } = await verified(sentence, cited.toSpliced(index, 1), options);
    // A source is redundant if it neither supports the sentence alone nor adds to the others.
    if ((alone ?? 0) < threshold && (without ?? 0) >= together)
      problems.push(`[${marker}] doesn't add support: ${words(sentence)}`);
  }
  return problems;
}

async function verified(
  { text }: CitedSentence,
  sources: readonly GroundingSource[],
  options: ToCiteOptions,
): Promise<Verification<string>> {
  const verification = await verifyGrounding(text, sources, options);
  return verification.ok ? verification.value : throwGroundingError(MATCHER, verification.error);
}

function words({ text }: CitedSentence): string {
  return quote(truncate(text, 200));
}

function messageOf(cited: number, problems: readonly string[]): string {
  if (cited === 0)
    return (
      `${MATCHER}: the answer has no citation marker. ` +
      "Ask the model for markers such as [1], the number of the source."
    );
  if (problems.length === 0) return `${MATCHER}: all citations are supported; expected an unsupported one`;
  const more = problems.length - MAX_PROBLEMS;
  return [
    `${MATCHER}: ${numbered(problems.length, "citation problem")} in ${numbered(cited, "cited sentence")}`,
    "",
    ...problems.slice(0, MAX_PROBLEMS).map((problem) => `  ${escapeText(problem)}`),
    ...(more > 0 ? [`  … and ${more} more`] : []),
  ].join("\n");
}

/** Sentence with the numbers of its citation markers. */
interface CitedSentence {
  /** Text without the markers. */
  readonly text: string;
  /** Distinct, in order of appearance; `[2-4]` names three. */
  readonly markers: readonly number[];
}

/** Maximum length of a range. A longer one isn't a citation. */
const MAX_RANGE = 20;

/** Returns the sentences of an answer with citation markers: `[1]`, `[1, 3]`, `[2-4]`, `[^1]`, `【3】`. */
function citedSentences(answer: string): CitedSentence[] {
  return splitSentences(answer)
    .map(({ text }) => ({
      text: withoutMarkers(text)
        .replace(/\s+/g, " ")
        .replace(/ (?=[.,;:!?])/g, "")
        .trim(),
      markers: markersOf(text),
    }))
    .filter(({ markers }) => markers.length > 0);
}

function markersOf(text: string): number[] {
  const markers = [...text.matchAll(CITATION_MARKER)].flatMap(([marker]) =>
    marker
      .replace(/†[^】]*/, "")
      .split(/[,;]/)
      .flatMap(numbersOf),
  );
  return [...new Set(markers)];
}

function numbersOf(part: string): number[] {
  const [from = 0, to = from] = [...part.matchAll(/\d+/g)].map(([numeral]) => Number(numeral));
  return to > from && to - from < MAX_RANGE
    ? Array.from({ length: to - from + 1 }, (_, index) => from + index)
    : [from];
}
