import { isSynonym } from "../text/synonyms.ts";
import type { Token } from "../text/tokenize.ts";
import type { Aligned } from "./align.ts";
import type { Difference } from "./difference.ts";
import { isContent, sumOf, tokenWeight } from "./weights.ts";

/** Share of a cause's weight that a source must have for the cause to be its own, in any words. */
const SAME = 0.34;
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
  if (same.some(({ sentence }) => shareIn(own.cause, [...sentence.keys]) >= SAME)) return [];
  for (const { sentence } of same) {
    const [first] = causeOf(sentence.tokens)?.cause ?? [];
    if (first !== undefined) return [{ kind: "cause", word, sourceWord: first.text, sentence }];
  }
  return [];
}

function causeOf(tokens: readonly Token[]): Cause | undefined {
  const at = tokens.findIndex(
    ({ key }, position) =>
      key === "because" ||
      (/^(?:due|owe|thank)$/.test(key) && tokens[position + 1]?.key === "to") ||
      (key === "result" && tokens[position + 1]?.key === "of"),
  );
  if (at < 0) return undefined;
  const rest = tokens.slice(at + 1);
  const gap = rest.findIndex((token, position) => position > 0 && token.start - (rest[position - 1]?.end ?? 0) > 1);
  const [clause, after] = gap < 0 ? [rest, []] : [rest.slice(0, gap), rest.slice(gap)];
  const [cause, effect] = [clause, [...tokens.slice(0, at), ...after]].map((some) => some.filter(isContent));
  return cause === undefined || effect === undefined || cause.length === 0 ? undefined : { cause, effect };
}

function shareIn(tokens: readonly Token[], keys: readonly string[]): number {
  const total = sumOf(tokens.map(tokenWeight));
  const shared = tokens.filter(({ key }) => keys.some((other) => other === key || isSynonym(other, key)));
  return total === 0 ? 0 : sumOf(shared.map(tokenWeight)) / total;
}
