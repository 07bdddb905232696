/** A text as a reader sees it. */
interface ReadableText {
  readonly text: string;
  /** Where a part of it stands in the text it was made of. */
  readonly placeOf: (part: { readonly start: number; readonly end: number }) => { start: number; end: number };
}

// Colours of a terminal, what is invisible, and entities of HTML; the first two also as JSON escapes them.
const HIDDEN = new RegExp(
  [
    String.raw`(?:\u001b|\\+u001b)\[[\d;]{0,20}m`,
    String.raw`[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]|\\+u(?:00ad|200[b-f]|206[0-4]|feff)`,
    String.raw`&(?:quot|amp|apos|lt|gt|#\d{1,3}|#x[\da-f]{1,2});`,
  ].join("|"),
  "gi",
);

const ESCAPED = /\\u(?:001b|00ad|200[b-f]|206[0-4]|feff)/i;
const INVISIBLE = /[\u200b-\u200d\u2060\ufeff]/;

const ENTITY = /&(?:quot|#)/;

// With a secret that is told by its form, or by a name before it.
const MIN_LENGTH = 16;

const ENTITIES: Readonly<Record<string, string>> = { quot: '"', amp: "&", apos: "'", lt: "<", gt: ">" };

/**
 * A text without colours and invisible characters, and with entities of HTML as the characters they stand for:
 * undefined where it holds none of them, as nearly all texts.
 */
export function readableText(text: string): ReadableText | undefined {
  if (text.length < MIN_LENGTH) return undefined;
  const isSpecial =
    text.includes("\u001b[") ||
    (text.includes("&") && ENTITY.test(text)) ||
    (text.includes("\\u") && ESCAPED.test(text)) ||
    INVISIBLE.test(text);
  return isSpecial ? read(text) : undefined;
}

function read(text: string): ReadableText {
  const starts: number[] = [];
  const ends: number[] = [];
  let shown = "";
  const show = (characters: string, start: number, width: number): void => {
    for (let index = 0; index < characters.length; index += 1) {
      starts.push(start + (width === 1 ? index : 0));
      ends.push(start + (width === 1 ? index + 1 : width));
    }
    shown += characters;
  };
  let from = 0;
  for (const { index, 0: found } of text.matchAll(HIDDEN)) {
    show(text.slice(from, index), from, 1);
    if (found.startsWith("&")) show(characterOf(found.slice(1, -1)), index, found.length);
    from = index + found.length;
  }
  show(text.slice(from), from, 1);
  return {
    text: shown,
    placeOf: ({ start, end }) => ({ start: starts[start] ?? 0, end: ends[end - 1] ?? text.length }),
  };
}

function characterOf(entity: string): string {
  const code = /^#x/i.test(entity) ? Number.parseInt(entity.slice(2), 16) : Number(entity.slice(1));
  return entity.startsWith("#") ? String.fromCharCode(code) : (ENTITIES[entity.toLowerCase()] ?? "");
}
