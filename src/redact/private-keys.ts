const BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y;

// What a key's body is made of, where its end was cut off: base64, and line ends written out or escaped.
const BODY = /(?:[A-Za-z0-9+/=\s]|\\+[nr])*/y;

/** Finds private keys in PEM form, as `[start, end)`; one without its end reaches as far as base64 does. */
export function findPrivateKeys(text: string): readonly (readonly [number, number])[] {
  if (!text.includes("PRIVATE KEY")) return [];
  const found: (readonly [number, number])[] = [];
  let from = 0;
  for (const { index, 0: begin } of text.matchAll(BEGIN)) {
    if (index < from) continue;
    const body = index + begin.length;
    // A dash ends the search: a key's body has none, and the next key's begin must not be its end.
    const dashes = text.indexOf("-----", body);
    from = endOf(text, body, dashes);
    found.push([index, from]);
  }
  return found;
}

function endOf(text: string, body: number, dashes: number): number {
  END.lastIndex = dashes;
  if (dashes !== -1 && END.test(text)) return END.lastIndex;
  BODY.lastIndex = body;
  return BODY.test(text) ? BODY.lastIndex : body;
}
