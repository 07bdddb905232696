import type { TextEdit } from "./text-parts.ts";

const COMPONENT = /(?:[\w.~!*'()+-]|%[0-9A-Fa-f]{2})+/g;

/**
 * The edits for secrets in percent-encoded parts of a text: each is decoded, redacted, and encoded again if it changed.
 */
export function editsOfEncoded(text: string, redact: (decoded: string) => string): readonly TextEdit[] {
  if (!text.includes("%")) return [];
  return [...text.matchAll(COMPONENT)].flatMap(({ index, 0: component }) => {
    const decoded = component.includes("%") ? decodeComponent(component) : component;
    // What decodes to nothing else is dealt with as the text it is, and decoding ends.
    if (decoded === component || decoded === undefined) return [];
    const redacted = redact(decoded);
    return redacted === decoded
      ? []
      : [{ start: index, end: index + component.length, text: encodeComponent(redacted) }];
  });
}

function decodeComponent(component: string): string | undefined {
  try {
    return decodeURIComponent(component.replaceAll("+", "%20"));
  } catch {
    // Percent signs that encode nothing, as in "100%25 of 5%c3".
    return undefined;
  }
}

/** Encodes all but the placeholders, which stay what they are everywhere. */
function encodeComponent(text: string): string {
  return text
    .split(/(«redacted:[a-z0-9-]{1,40}:[0-9a-f]{8}»)/)
    .map((part, index) => (index % 2 === 1 ? part : encodeURIComponent(part.toWellFormed())))
    .join("");
}
