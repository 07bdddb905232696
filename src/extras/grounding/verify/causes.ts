import type { Token } from "../text/tokenize.ts";
import type { Aligned } from "./align.ts";
import type { Difference } from "./difference.ts";
import { isContent, shareIn } from "./weights.ts";

/** Share of a cause's weight that a source must have for the cause to be its own, in any words. */
const SAME = 0.3;
/** Share of an effect's weight that a source must have for it to be the same effect. */
const SAME_EFFECT = 0.5;

/** Event and its cause, of "It fell because of rain", "Because it rained, it fell". */
interface Cause {
  readonly cause: readonly Token[];
  readonly effect: readonly Token[];
}

/** Returns the first word of a claim's cause if a near source has another cause for the same effect. */
export function otherCauses({ tokens, near }: Aligned): Difference<"cause">[] {
  const own = causeOf(tokens);
  const [word] = own?.cause ?? [];
  if (own === undefined || word === undefined) return [];
  const same = near.filter(({ sentence }) => shareIn(own.effect, [...sentence.keys]) >= SAME_EFFECT);
  for (const { sentence } of same) {
    const cause = causeOf(sentence.tokens)?.cause ?? [];
    const [first] = cause;
    const keys = (cause.length > 0 ? cause : sentence.tokens).map(({ key }) => key);
    if (shareIn(own.cause, keys) >= SAME) return [];
    if (first !== undefined) return [{ kind: "cause", word, sourceWord: first.text, sentence }];
  }
  return [];
}

function causeOf(tokens: readonly Token[]): Cause | undefined {
  const at = tokens.findIndex((_, position) => isCause(tokens, position));
  if (at < 0) return undefined;
  const rest = tokens.slice(at + 1);
  const gap = rest.findIndex((token, position) => position > 0 && token.start - (rest[position - 1]?.end ?? 0) > 1);
  const [clause, after] = gap < 0 ? [rest, []] : [rest.slice(0, gap), rest.slice(gap)];
  const [cause, effect] = [clause, [...tokens.slice(0, at), ...after]].map((some) => some.filter(isContent));
  return cause === undefined || effect === undefined || cause.length === 0 ? undefined : { cause, effect };
}

/** Returns true for the word before a cause: "because", "due to", "on account of"; "since" and "as" before a clause. */
function isCause(tokens: readonly Token[], at: number): boolean {
  const [key = "", next = ""] = tokens.slice(at, at + 2).map((token) => token.key);
  const [before, token] = [tokens[at - 1], tokens[at]];
  if (key === "because") return true;
  if (/^(?:due|owe|thank)$/.test(key)) return next === "to";
  if (/^(?:result|account)$/.test(key)) return next === "of";
  const isApart = before === undefined || token === undefined || token.start - before.end > 1;
  return (key === "since" || (key === "as" && isApart)) && SUBJECT.test(next) && tokens[at + 2]?.kind === "word";
}

/** First words of a clause: "since 2019" and "as soon as" don't give a cause. */
const SUBJECT =
  /^(?:the|a|an|it|its|they|their|he|his|she|her|we|you|your|this|that|these|those|there|no|all|some|most)$/;
