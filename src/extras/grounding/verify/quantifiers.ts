import type { Token } from "../text/tokenize.ts";
import type { Aligned } from "./align.ts";
import type { Difference } from "./difference.ts";
import { isContent } from "./weights.ts";

/** Words for a share of things or of times, from few to all. */
const SHARES: readonly (readonly [share: number, words: string])[] = [
  [4, "all every each entire whole always everyone everybody constantly invariably"],
  [3, "most mostly usually generally normally typically majority"],
  [2.5, "many often frequently"],
  [2, "some several sometimes occasionally half third quarter part partly"],
  [1, "few rarely seldom hardly"],
];
const SHARE_OF: ReadonlyMap<string, number> = new Map(
  SHARES.flatMap(([share, words]) => words.split(" ").map((word): [string, number] => [word, share])),
);
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
export function otherShares({ tokens, near }: Aligned): Difference<"share">[] {
  const sources = near.map(({ sentence }) => ({ sentence, quantifiers: quantifiersOf(sentence.tokens) }));
  return quantifiersOf(tokens).flatMap(({ word, share, heads }) => {
    const alike = sources.flatMap(({ sentence, quantifiers }) =>
      quantifiers
        .filter(
          (other) =>
            heads[0] === other.heads[0] ||
            (heads[0] !== undefined && other.heads.includes(heads[0])) ||
            heads.includes(other.heads[0] ?? ""),
        )
        .map((other) => ({ ...other, sentence })),
    );
    const [other] = alike;
    if (other === undefined || alike.some((each) => !areRival(share, each.share))) return [];
    return [{ kind: "share" as const, word, sourceWord: other.word.text, sentence: other.sentence }];
  });
}

function areRival(own: number, source: number): boolean {
  return own - source >= 1 || (source === 4 && own < 4) || source - own >= 2;
}

function quantifiersOf(tokens: readonly Token[]): Quantifier[] {
  return tokens.flatMap((word, at) => {
    const share = shareAt(tokens, at);
    if (share === undefined) return [];
    const heads = tokens.slice(at + 1, at + 6).filter(isContent);
    return [{ word, share, heads: heads.slice(0, 2).map(({ key }) => key) }];
  });
}

function shareAt(tokens: readonly Token[], at: number): number | undefined {
  const [before = "", word = "", after = ""] = [at - 1, at, at + 1].map((each) => tokens[each]?.text.toLowerCase());
  const share = SHARE_OF.get(word);
  if (share === undefined || tokens[at + 1]?.kind === "number") return undefined;
  if (word !== "half" && NEEDS_OF.has(word) && after !== "of") return undefined;
  if (word === "half" && after !== "of" && after !== "the") return undefined;
  // "The most common", "at most", "at all", "each other", "the few".
  if ((before === "the" || (before === "at" && word === "most")) && after !== "of" && share !== 4) return undefined;
  if ((before === "at" && word === "all") || after === "other" || (word === "all" && after === "in")) return undefined;
  if (share === 4 && before === "not") return 2;
  return share === 4 && /^(?:almost|nearly|virtually|practically)$/.test(before) ? 3 : share;
}
