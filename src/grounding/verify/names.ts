import { commonWords, functionWords } from "../text/common-words.ts";
import type { Token } from "../text/tokenize.ts";

/**
 * The tokens of a sentence that are spelled like names: capitalised where a plain word would not be, or all capitals. A
 * word that opens the sentence, or what follows a colon or a quotation mark, counts only when a capitalised one comes
 * next, because any word has a capital there.
 */
export function nameTokens(sentence: string, tokens: readonly Token[]): Token[] {
  return tokens.filter((token, index) => {
    const before = sentence.slice(Math.max(0, token.start - 4), token.start);
    // A word alone in its brackets is a short name of what stands before them.
    const alone = /^[)\]]/.test(sentence.slice(token.end, token.end + 1));
    const opens = !alone && /(?:[:"“«([*–—]|(?:^|\s)-)[\s*_"“«(]*$/u.test(before);
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
