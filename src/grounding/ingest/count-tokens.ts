/** Words, digits in threes, signs in threes. */
const PIECES = /[\p{L}\p{M}]+|\p{N}{1,3}|[^\s\p{L}\p{M}\p{N}]{1,3}/gu;

/** Letters of scripts that write no spaces between words: Thai, kana, Han. */
const UNSPACED = /[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\u{20000}-\u{3ffff}]/gu;

/** Words up to this length are mostly one token of today's vocabularies. */
const LETTERS = 8;

/**
 * Estimates how many tokens a language model sees in a text, without a tokenizer: one for each eight letters of a word
 * or part of them, one for up to three digits or signs, one for each letter of a script without spaces.
 */
export function countTokens(text: string): number {
  let tokens = 0;
  for (const [piece] of text.matchAll(PIECES)) tokens += piece.length <= 1 ? 1 : tokensOf(piece);
  return tokens;
}

function tokensOf(piece: string): number {
  if (!/^[\p{L}\p{M}]/u.test(piece)) return 1;
  const unspaced = piece.charCodeAt(0) < 0x0e00 ? 0 : (piece.match(UNSPACED)?.length ?? 0);
  return unspaced > 0 ? unspaced : Math.ceil(piece.length / LETTERS);
}
