import type { Token } from "../text/tokenize.ts";
import type { Aligned } from "./align.ts";
import type { Difference } from "./difference.ts";
import { isContent } from "./weights.ts";

const FUTURE =
  /^(?:will|shall|would|should|going|due|plan|expect|intend|aim|propos|schedul|if|may|might|could|can|must)$/;
const PAST = /^(?:was|were|has|have|had|already|did)$/;

/** Returns the verb of a claim for what has happened, if a near source has it in the future, or reverse. */
export function otherTimes({ tokens, near }: Aligned): Difference<"tense">[] {
  for (const [at, word] of tokens.entries()) {
    const own = timeAt(tokens, at);
    if (own === undefined) continue;
    const stated = near.flatMap(({ sentence }) =>
      (sentence.positions.get(word.key) ?? []).map((position) => ({
        sentence,
        position,
        time: timeAt(sentence.tokens, position),
      })),
    );
    const [first] = stated;
    if (first === undefined || stated.some(({ time }) => time === undefined || time === own)) continue;
    const sourceWord = first.sentence.tokens[first.position]?.text ?? "";
    return [
      {
        kind: "tense",
        word,
        sourceWord: first.time === "future" ? `will ${sourceWord}` : sourceWord,
        sentence: first.sentence,
      },
    ];
  }
  return [];
}

/** Returns the time of a verb after its auxiliary, or of a past tense. Undefined for other words. */
function timeAt(tokens: readonly Token[], at: number): "past" | "future" | undefined {
  const word = tokens[at];
  if (word === undefined || word.kind === "number" || !isContent(word) || !/^\p{Ll}/u.test(word.text)) return undefined;
  const before = tokens.slice(Math.max(0, at - 4), at);
  const last = before.findLastIndex(({ key }) => FUTURE.test(key) || PAST.test(key));
  const cue = before[last];
  if (cue !== undefined && before.slice(last + 1).every((token) => !isContent(token) || token.text.endsWith("ly"))) {
    if (
      /^(?:will|shall)$/.test(cue.key) ||
      (/^(?:plan|expect|due|go|going|intend|schedul|propos)$/.test(cue.key) && before[last + 1]?.key === "to")
    )
      return "future";
    return PAST.test(cue.key) && /(?:ed|en|lt|nt|ld|de|ne)$/.test(word.text) ? "past" : undefined;
  }
  const previous = tokens[at - 1];
  const isFinite = previous !== undefined && isContent(previous) && !/^(?:be|been)$/.test(previous.key);
  return isFinite && word.text.endsWith("ed") ? "past" : undefined;
}
