import type { Aligned } from "./align.ts";
import type { Difference } from "./difference.ts";
import type { Token } from "../text/tokenize.ts";
import { isContent, shareIn, sumOf, tokenWeight } from "./weights.ts";

/** Share of a source's main clause that a claim must state for a dropped limit to matter. */
const STATED = 0.6;

/**
 * Returns the first word of a claim that states what a near source limits, without the limit: "it may be sublet" of "it
 * may be sublet only with consent". Other conditions that are gone are notes.
 */
export function droppedLimits({ tokens, near, keys, frame, answer }: Aligned): Difference<"condition">[] {
  const [word] = tokens;
  if (word === undefined || frame.conditions.length > 0 || frame.denials.length > 0) return [];
  for (const { sentence } of near.slice(0, 1)) {
    const at = sentence.tokens.findIndex((_, position) => isLimit(sentence.tokens, position));
    if (at <= 0) continue;
    // "Apply by May; later forms are read only if …" limits its second part.
    const from = sentence.text.lastIndexOf(";", sentence.tokens[at]?.start);
    const before = sentence.tokens.slice(0, at).filter(({ start }) => start > from);
    const [main, limit] = [before, sentence.tokens.slice(at + 1)].map((some) => some.filter(isContent));
    if (main === undefined || limit === undefined || limit.length === 0) continue;
    const isStated = shareOf(main, keys) >= STATED;
    if (!isStated || limit.some(({ key }) => answer.has(key))) continue;
    const [first] = limit;
    return [{ kind: "condition", word, sourceWord: `${sentence.tokens[at]?.text} … ${first?.text}`, sentence }];
  }
  return [];
}

/** Share of a condition's weight that the sources must have near it, in any words, for it to be theirs. */
const SAME = 0.4;

/** Keys after "only" of a condition. */
const RESTRICTIVE = /^(?:if|when|with|after)$/;
/** Keys of the words that begin a condition. */
const CUES: readonly (readonly string[])[] = [
  ["if"],
  ["unless"],
  ["provid"],
  ["except"],
  ["as", "long", "as"],
  ["so", "long", "as"],
  ["on", "condit"],
];

/**
 * Returns the first word of a claim's condition if its nearest source has another one: "provided you have the receipt"
 * of "only if the seal is intact".
 */
export function otherConditions({ tokens, near, clauses }: Aligned): Difference<"condition">[] {
  const own = conditionOf(tokens, clauses);
  const [word] = own;
  if (word === undefined) return [];
  if (near.some(({ sentence }) => shareIn(own, [...sentence.keys]) >= SAME)) return [];
  // "Only if" limits whatever a source says; another condition adds to a sentence that has none.
  const isRestrictive = tokens.some(({ key }, at) => key === "only" && RESTRICTIVE.test(tokens[at + 1]?.key ?? ""));
  for (const { sentence } of near.slice(0, 2)) {
    const cue = sentence.tokens.find((_, at) => isLimit(sentence.tokens, at) || cueAt(sentence.tokens, at) > 0);
    const first = cue ?? (isRestrictive ? sentence.tokens[0] : undefined);
    if (first !== undefined) return [{ kind: "condition", word, sourceWord: first.text, sentence }];
  }
  return [];
}

function conditionOf(tokens: readonly Token[], clauses: readonly number[]): readonly Token[] {
  const at = tokens.findIndex((_, position) => cueAt(tokens, position) > 0);
  const from = at + (at < 0 ? 0 : cueAt(tokens, at));
  return at < 0
    ? []
    : tokens.slice(from).filter((token, after) => isContent(token) && clauses[from + after] === clauses[from]);
}

/** Returns the number of words of a condition's cue at a position; 0 if there is none. */
function cueAt(tokens: readonly Token[], at: number): number {
  if (/^(?:even|as|and)$/.test(tokens[at - 1]?.key ?? "")) return 0;
  if (tokens[at]?.key === "only" && RESTRICTIVE.test(tokens[at + 1]?.key ?? "")) return 2;
  return CUES.find((cue) => cue.every((key, after) => tokens[at + after]?.key === key))?.length ?? 0;
}

const FUTURE = /^(?:will|would|shall|plan|intend|propos)$/;

/** Returns true for the first word of what limits a sentence: "only with", "unless"; "if" only of what may come. */
function isLimit(tokens: readonly Token[], at: number): boolean {
  const [word = "", next = ""] = tokens.slice(at, at + 2).map(({ key }) => key);
  if (word === "unless" || (word === "provid" && next === "that")) return true;
  if (word === "only") return /^(?:if|when|with|after|for|to|by)$/.test(next);
  if (word === "subject" && next === "to") return true;
  const before = tokens.slice(0, at).map(({ key }) => key);
  return word === "if" && !/^(?:even|as)$/.test(before.at(-1) ?? "") && before.some((key) => FUTURE.test(key));
}

function shareOf(tokens: readonly Token[], keys: ReadonlySet<string>): number {
  const total = sumOf(tokens.map(tokenWeight));
  return total === 0 ? 0 : sumOf(tokens.filter(({ key }) => keys.has(key)).map(tokenWeight)) / total;
}
