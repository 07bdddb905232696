import { commonWords, functionWords } from "../text/common-words.ts";
import type { Token } from "../text/tokenize.ts";
import type { SourceIndex } from "./sources.ts";
import { sumOf } from "./weights.ts";

/**
 * The tokens of a sentence that are spelled like names: capitalised where a plain word would not be, or all capitals. A
 * word that opens the sentence, or what follows a colon or a quotation mark, counts only when a capitalised one comes
 * next, because any word has a capital there.
 */
export function nameTokens(sentence: string, tokens: readonly Token[]): Token[] {
  return tokens.filter((token, index) => {
    const opens = /[:"“«([*–—-][\s*_"“«(]*$/u.test(sentence.slice(Math.max(0, token.start - 4), token.start));
    return token.kind === "word" && isName(token, tokens[index + 1], index === 0 || opens);
  });
}

function isName({ text }: Token, next: Token | undefined, first: boolean): boolean {
  if (/^\p{Lu}[\p{L}\p{M}]*\p{Lu}/u.test(text) || /^\p{Ll}+\p{Lu}/u.test(text)) return true;
  if (!/^\p{Lu}\p{L}/u.test(text) || isPlainWord(text)) return false;
  return !first || (next !== undefined && /^\p{Lu}/u.test(next.text) && !isPlainWord(next.text));
}

function isPlainWord(text: string): boolean {
  const lower = text.toLowerCase();
  return functionWords.has(lower) || commonWords.has(lower);
}

/** How many sentences before and after a name's own still speak of it, where it is not repeated. */
const REACH = 2;

/** The share of the claim's other words of content that must stand in reach of a name, by weight. */
const LEAST_SHARE = 0.3;

/** Words of less weight are grammar, and stand near everything. */
const LEAST_CONTENT = 0.1;

/**
 * The names of a claim that its sources have, but nowhere near what the claim says of them: within two sentences of
 * each place of the name in its source stands less than 0.3 of the weight of the claim's other words of content. Such
 * a name is often a wrong one, taken from elsewhere. A further source never makes stray what stood near.
 */
export function strayNames(names: readonly Token[], weights: ReadonlyMap<string, number>, index: SourceIndex): Token[] {
  const content = new Map([...weights].filter(([, weight]) => weight >= LEAST_CONTENT));
  const total = sumOf(content.values());
  const near = massNear(content, index);
  return names.filter(({ key }) => {
    const own = content.get(key) ?? 0;
    const places = index.postings.get(key) ?? [];
    return places.length > 0 && places.every((id) => near(id) - own < LEAST_SHARE * (total - own));
  });
}

/**
 * The weight of the claim's words in reach of a sentence. Kept by sentence, because names of one claim often share it.
 */
function massNear(weights: ReadonlyMap<string, number>, { sentences }: SourceIndex): (id: number) => number {
  const known = new Map<number, number>();
  return (id) => {
    const seen = known.get(id);
    if (seen !== undefined) return seen;
    const window = sentences
      .slice(Math.max(0, id - REACH), id + REACH + 1)
      .filter(({ source }) => source === sentences[id]?.source);
    const mass = sumOf(
      [...weights].filter(([key]) => window.some(({ keys }) => keys.has(key))).map(([, weight]) => weight),
    );
    known.set(id, mass);
    return mass;
  };
}
