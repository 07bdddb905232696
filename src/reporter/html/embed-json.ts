/** What could end or change the element that JSON stands in, and the line ends that only JavaScript knows. */
const UNSAFE = /[<>&\u2028\u2029\p{Surrogate}]/gu;

/**
 * Writes a value as JSON that may stand inside a `script` element: the characters HTML knows are escaped, so the text
 * holds no tag, no comment and no entity, and lone surrogates survive UTF-8. Parsing it gives the value back.
 */
export function embedJson(value: unknown): string {
  return JSON.stringify(value).replace(
    UNSAFE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
