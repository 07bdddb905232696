/** A text as a reader sees it. */
interface ReadableText {
  readonly text: string;
  /** Returns the range of a part in the original text. */
  readonly sourceRange: (part: { readonly start: number; readonly end: number }) => { start: number; end: number };
}

/** ASCII in the width of Chinese characters. */
const WIDE = /[\uff01-\uff5e]/;
/** Distance of the code of a wide character from that of ASCII. */
const WIDER = 0xfee0;

// Colours of a terminal, invisible characters, and entities of HTML; the first two also as JSON escapes them.
const HIDDEN = new RegExp(
  [
    String.raw`(?:\u001b|\\+u001b)\[[\d;]{0,20}m`,
    String.raw`[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]|\\+u(?:00ad|200[b-f]|206[0-4]|feff)`,
    String.raw`&(?:quot|amp|apos|lt|gt|#\d{1,3}|#x[\da-f]{1,2});`,
    WIDE.source,
  ].join("|"),
  "gi",
);

const ESCAPED = /\\u(?:001b|00ad|200[b-f]|206[0-4]|feff)/i;
const INVISIBLE = /[\u200b-\u200d\u2060\ufeff]/;

const ENTITY = /&(?:quot|#|lt;)/;

// With a secret that its form shows, or a name before it.
const MIN_LENGTH = 16;

const ENTITIES: Readonly<Record<string, string>> = { quot: '"', amp: "&", apos: "'", lt: "<", gt: ">" };

/**
 * A text without colours and invisible characters, and with entities of HTML and wide characters replaced by those of
 * ASCII: undefined if it has none of them, as nearly all texts.
 */
export function readableText(text: string): ReadableText | undefined {
  if (text.length < MIN_LENGTH) return undefined;
  const isSpecial =
    text.includes("\u001b[") ||
    (text.includes("&") && ENTITY.test(text)) ||
    (text.includes("\\u") && ESCAPED.test(text)) ||
    INVISIBLE.test(text) ||
    WIDE.test(text);
  return isSpecial ? read(text) : undefined;
}

/** A part of the readable text that begins at `at`: a character for each it was made of, or for `width`. */
interface Piece {
  readonly at: number;
  readonly start: number;
  readonly width: number;
}

function read(text: string): ReadableText {
  const pieces: Piece[] = [];
  let readable = "";
  let from = 0;
  const show = (characters: string, start: number, width: number): void => {
    if (characters !== "") pieces.push({ at: readable.length, start, width });
    readable += characters;
  };
  for (const { index, 0: hidden } of text.matchAll(HIDDEN)) {
    show(text.slice(from, index), from, 1);
    if (hidden.startsWith("&")) show(characterOf(hidden.slice(1, -1)), index, hidden.length);
    if (WIDE.test(hidden)) show(String.fromCharCode(hidden.charCodeAt(0) - WIDER), index, 1);
    from = index + hidden.length;
  }
  show(text.slice(from), from, 1);
  return {
    text: readable,
    sourceRange: ({ start, end }) => ({ start: rangeOf(pieces, start).start, end: rangeOf(pieces, end - 1).end }),
  };
}

/** Range in the original text of the character at an index of the readable text. */
function rangeOf(pieces: readonly Piece[], index: number): { readonly start: number; readonly end: number } {
  let low = 0;
  let high = pieces.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((pieces[middle]?.at ?? 0) <= index) low = middle;
    else high = middle - 1;
  }
  const { at, start, width } = pieces[low] ?? { at: 0, start: 0, width: 1 };
  const origin = width === 1 ? start + index - at : start;
  return { start: origin, end: origin + width };
}

function characterOf(entity: string): string {
  const code = /^#x/i.test(entity) ? Number.parseInt(entity.slice(2), 16) : Number(entity.slice(1));
  return entity.startsWith("#") ? String.fromCharCode(code) : (ENTITIES[entity.toLowerCase()] ?? "");
}
