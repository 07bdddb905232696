import { type TextSpan, splitSentences, partOf } from "../text/split-sentences.ts";

/** Options for splitting text into passages. */
export interface ChunkOptions {
  /** Maximum number of tokens of a chunk, 256 to 1024. Default: 512. */
  readonly chunkTokens?: number;
  /** Number of tokens, in complete sentences, that a chunk repeats from the previous one. Default: 50. */
  readonly overlapTokens?: number;
  /** Counts a text's tokens. Default: an estimate without a tokenizer. */
  readonly countTokens?: (text: string) => number;
}

/** Span of a chunk in its text, and its size. */
interface TextChunk extends TextSpan {
  readonly tokens: number;
}

interface Piece extends TextSpan {
  readonly tokens: number;
}

/**
 * Splits a text into chunks at the ends of sentences. Each chunk but the first begins with the last sentences of the
 * previous one, as far as they fit the overlap. A long sentence is split between words. Each chunk of a text of at
 * least 256 tokens has at least that many, if `chunkTokens` is 512 or more; with less, half of it.
 */
export function chunkText(text: string, options: ChunkOptions = {}): TextChunk[] {
  const { chunkTokens = 512, overlapTokens = 50, countTokens = estimateTokens } = options;
  // A chunk is closed by a piece that doesn't fit, so pieces are short enough to leave it its minimum.
  const least = Math.min(MIN_TOKENS, chunkTokens / 2);
  const most = chunkTokens - least;
  const pieces = splitSentences(text).flatMap((sentence) => fitting(sentence, { chunkTokens: most, countTokens }));
  const chunks: TextChunk[] = [];
  let open: Piece[] = [];
  for (const piece of pieces) {
    if (open.length > 0 && sizeOf(open) + piece.tokens > chunkTokens) {
      chunks.push(chunkOf(text, open));
      open = tailOf(open, Math.min(overlapTokens, chunkTokens - piece.tokens));
    }
    open.push(piece);
  }
  // With an overlap, the last chunk repeats more of the previous one rather than be short.
  const missing = chunks.length === 0 ? 0 : least - sizeOf(open);
  const before = pieces.slice(0, pieces.length - open.length);
  const repeated = overlapTokens > 0 && missing > 0 ? lastPieces(before, chunkTokens - sizeOf(open), missing) : [];
  if (open.length > 0) chunks.push(chunkOf(text, [...repeated, ...open]));
  return chunks;
}

/** Minimum number of tokens of a chunk, unless its text is shorter. */
const MIN_TOKENS = 256;

/** Returns the last pieces that fit together, and no more than have `least` tokens. */
function lastPieces(pieces: readonly Piece[], most: number, least = Infinity): Piece[] {
  let from = pieces.length;
  let size = 0;
  for (
    let piece = pieces[from - 1];
    piece !== undefined && size < least && size + piece.tokens <= most;
    piece = pieces[from - 1]
  ) {
    size += piece.tokens;
    from -= 1;
  }
  return pieces.slice(from);
}

function chunkOf(text: string, pieces: readonly Piece[]): TextChunk {
  const start = pieces[0]?.start ?? 0;
  const end = pieces.at(-1)?.end ?? start;
  return { text: text.slice(start, end), start, end, tokens: sizeOf(pieces) };
}

function sizeOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** Returns the last sentences that fit together; an empty list if the last one alone doesn't fit. */
function tailOf(pieces: readonly Piece[], most: number): Piece[] {
  const tail = lastPieces(pieces, most);
  // A chunk that only repeats the previous one would never end.
  return tail.length === pieces.length ? [] : tail;
}

function fitting(
  sentence: TextSpan,
  { chunkTokens, countTokens }: Required<Pick<ChunkOptions, "chunkTokens" | "countTokens">>,
): Piece[] {
  const tokens = countTokens(sentence.text);
  if (tokens <= chunkTokens) return [{ ...sentence, tokens }];
  const middle = breakNear(sentence.text, Math.floor(sentence.text.length / 2));
  if (middle === 0) return [{ ...sentence, tokens }];
  const halves = [partOf(sentence, 0, middle), partOf(sentence, middle, sentence.text.length)];
  return halves.flatMap((half) => fitting(half, { chunkTokens, countTokens }));
}

/**
 * Returns the offset after the nearest space before the middle, or the middle itself; 0 if a text can't be split
 * further.
 */
function breakNear(text: string, middle: number): number {
  if (middle === 0) return 0;
  const space = text.lastIndexOf(" ", middle);
  const at = space > middle / 2 && space + 1 < text.length ? space + 1 : middle;
  return /[\ud800-\udbff]/.test(text.charAt(at - 1)) ? at - 1 : at;
}

/** Words, and groups of up to three numerals or signs. */
const PIECES = /[\p{L}\p{M}]+|\p{N}{1,3}|[^\s\p{L}\p{M}\p{N}]{1,3}/gu;

/** Letters of scripts without spaces between words: Thai, kana, Han. */
const UNSPACED = /[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\u{20000}-\u{3ffff}]/gu;

/** Word length up to which most words are one token of today's vocabularies. */
const LETTERS = 8;

/**
 * Estimates the number of tokens of a text without a tokenizer: one per started eight letters of a word, one per up to
 * three numerals or signs, one per letter of a script without spaces.
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  for (const [piece] of text.matchAll(PIECES)) tokens += piece.length <= 1 ? 1 : tokensOf(piece);
  return tokens;
}

function tokensOf(piece: string): number {
  if (!/^[\p{L}\p{M}]/u.test(piece)) return 1;
  const unspaced = piece.charCodeAt(0) < 0x0e00 ? 0 : (piece.match(UNSPACED)?.length ?? 0);
  return unspaced > 0 ? unspaced : Math.ceil(piece.length / LETTERS);
}
