import type { Token } from "../text/tokenize.ts";
import type { Aligned } from "./align.ts";
import type { Difference } from "./difference.ts";
import { isContent } from "./weights.ts";

/** Words for a share of things or of times, after the share: 4 is all, 1 few. */
const SHARES = `
4 all every each entire always everyone everybody anyone anybody everywhere constantly invariably
3 most mostly usually generally normally typically majority
2.5 many often frequently
2 some several sometimes occasionally half third quarter part partly
1.5 only
1 few rarely seldom hardly
`;
const SHARE_OF: ReadonlyMap<string, number> = new Map(
  SHARES.trim()
    .split("\n")
    .map((line) => line.split(" "))
    .flatMap(([share, ...words]) => words.map((word): [string, number] => [word, Number(share)]))
    .concat([["whole", 4]]),
);
/** Number of words after a share that can be what it's a share of. */
const HEADS = 2;
const PRONOUN = /^(?:every|any)(?:one|body|where)$|^only$/;
/** Words that name a share only before "of": the third of three is none. */
const NEEDS_OF: ReadonlySet<string> = new Set(["half", "third", "quarter", "part", "majority"]);

/** Word for a share, and the next content words: what it's a share of. */
interface Quantifier {
  readonly word: Token;
  readonly share: number;
  readonly heads: readonly string[];
}

/**
 * Returns the words by which a claim is about more or fewer of the same things than its nearest sources: "all tables"
 * of "some tables". "Some" of "most" isn't wrong.
 */
export function otherShares({ tokens, near, keys }: Aligned): Difference<"share">[] {
  const sources = near.map(({ sentence }) => ({ sentence, quantifiers: quantifiersOf(sentence.tokens) }));
  return quantifiersOf(tokens).flatMap(({ word, share, heads }) => {
    const alike = sources.flatMap(({ sentence, quantifiers }) =>
      quantifiers
        .filter((other) => isAdverb(word) === isAdverb(other.word))
        .filter(
          (other) =>
            (isSubject(tokens, word) && isSubject(sentence.tokens, other.word)) ||
            heads.slice(0, 1).some((key) => other.heads.includes(key)) ||
            other.heads.slice(0, 1).some((key) => heads.includes(key)),
        )
        .map((other) => ({ ...other, sentence })),
    );
    const [other] = alike;
    if (other === undefined && share === 4) return restricted(word, heads, { near, keys });
    if (other === undefined || alike.some((each) => !areRival(share, each.share))) return [];
    return [{ kind: "share" as const, word, sourceWord: other.word.text, sentence: other.sentence }];
  });
}

/** Returns true for a share that begins a sentence: it's a share of the sentence's subject, in whichever words. */
function isSubject(tokens: readonly Token[], { start }: Token): boolean {
  return tokens[0]?.start === start && !isAdverb(tokens[0]);
}

/** Words that restrict the noun or pronoun before them: "residents over 65", "anyone who lives here". */
const RESTRICTION = /^(?:who|whose|over|under|aged|abov|below|without)$/;

/** Returns the share of a claim about all of what its source restricts: "all residents" of "residents over 65". */
function restricted(
  word: Token,
  heads: readonly string[],
  { near, keys }: Pick<Aligned, "near" | "keys">,
): readonly Difference<"share">[] {
  for (const { sentence } of near.slice(0, 2))
    for (const [at, { key, text }] of sentence.tokens.entries()) {
      if (key !== heads[0] && !(PRONOUN.test(word.key) && /^(?:anyone|everyone|those|people|members)$/i.test(text)))
        continue;
      const [cue, ...rest] = sentence.tokens.slice(at + 1, at + 3);
      const isKept = rest.some((token) => isContent(token) && keys.has(token.key));
      if (cue === undefined || !RESTRICTION.test(cue.key) || keys.has(cue.key) || isKept) continue;
      return [{ kind: "share", word, sourceWord: `${text} ${cue.text}`, sentence }];
    }
  return [];
}

/** Returns true for a share of times: "often", "usually". */
function isAdverb({ text }: Token): boolean {
  return /ly$|^(?:always|often|sometimes|seldom)$/i.test(text) && !/^only$/i.test(text);
}

function areRival(own: number, source: number): boolean {
  return own - source >= 1 || (source === 4 && own < 4) || source - own >= 2;
}

function quantifiersOf(tokens: readonly Token[]): Quantifier[] {
  return tokens.flatMap((word, at) => {
    const share = shareAt(tokens, at);
    if (share === undefined) return [];
    const following = tokens
      .slice(at + 1, at + 6)
      .filter(isContent)
      .slice(0, HEADS);
    // "Open to everyone", "farms, most of which": what it's a share of is before it.
    const preceding = tokens
      .slice(Math.max(0, at - 4), at)
      .filter(isContent)
      .toReversed()
      .slice(0, 2);
    const isAfter = following.length === 0 || /^(?:which|whom|them|these|those)$/.test(tokens[at + 2]?.key ?? "");
    const heads = isAfter || PRONOUN.test(word.key) ? [...preceding, ...following] : following;
    return [{ word, share, heads: heads.map(({ key }) => key) }];
  });
}

function shareAt(tokens: readonly Token[], at: number): number | undefined {
  const [before = "", word = "", after = ""] = [at - 1, at, at + 1].map((each) => tokens[each]?.text.toLowerCase());
  const share = SHARE_OF.get(word);
  if (share === undefined || tokens[at + 1]?.kind === "number") return undefined;
  // "Swallowed in one piece" and similar words aren't about a share.
  if (word === "whole" && !/^(?:the|a|its|their|your)$/.test(before)) return undefined;
  if (word !== "half" && NEEDS_OF.has(word) && after !== "of") return undefined;
  if (word === "half" && after !== "of" && after !== "the") return undefined;
  // "The most common", "at most", "at all", "each other", "the few".
  if ((before === "the" || (before === "at" && word === "most")) && after !== "of" && share !== 4) return undefined;
  if ((before === "at" && word === "all") || after === "other" || (word === "all" && after === "in")) return undefined;
  if (word === "only" && (before === "not" || before === "the" || /^(?:if|when|after|one|a)$/.test(after)))
    return undefined;
  if (share === 4 && before === "not") return 2;
  return share === 4 && /^(?:almost|nearly|virtually|practically)$/.test(before) ? 3 : share;
}
