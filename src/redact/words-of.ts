/** The words of a name in lower case: `xApiKey`, `X-API-Key` and `x_api_key` all give x, api, key. */
export function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}

/** A set of words, from a text with a space between them. */
export function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(" "));
}
