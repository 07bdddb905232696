import { stem } from "./stem.ts";

/**
 * Spellings of one thing, the key first. Short on purpose: an alias that is wrong once costs more than one that is
 * missing.
 */
const GROUPS: readonly (readonly string[])[] = [
  ["dollar", "$", "usd"],
  ["euro", "€", "eur"],
  ["pound", "£", "gbp"],
  ["yen", "¥", "jpy"],
  ["percent", "%", "percentage", "pct"],
  ["usa", "us", "u.s", "u.s.a", "america", "american"],
  ["uk", "u.k", "britain", "british"],
  ["eu", "e.u"],
  ["un", "u.n"],
  ["kilometer", "km", "kilometre"],
  ["kilogram", "kg", "kilogramme"],
  ["meter", "metre"],
  ["january", "jan"],
  ["february", "feb"],
  ["march", "mar"],
  ["april", "apr"],
  ["june", "jun"],
  ["july", "jul"],
  ["august", "aug"],
  ["september", "sep", "sept"],
  ["october", "oct"],
  ["november", "nov"],
  ["december", "dec"],
  ["doctor", "dr"],
  ["color", "colour"],
  ["center", "centre"],
  ["behavior", "behaviour"],
  ["labor", "labour"],
  ["defense", "defence"],
  ["program", "programme"],
  ["gray", "grey"],
  ["license", "licence"],
  ["child", "children"],
  ["person", "people"],
  ["man", "men"],
  ["woman", "women"],
];

/** The stem of a group's key, by each spelling in lower case and by its stem, so that plurals have it too. */
const KEYS: ReadonlyMap<string, string> = new Map(
  GROUPS.flatMap(([key = "", ...spellings]) =>
    spellings.flatMap((spelling) => [spelling, stem(spelling)].map((form): [string, string] => [form, stem(key)])),
  ),
);

/**
 * The stem by which a lower-case word is compared: that of the one spelling for it (`km`, `kilometres` → `kilomet`), or
 * its own. The caller decides whether `us` is the country or the pronoun.
 */
export function comparedStem(word: string): string {
  const own = stem(word);
  return KEYS.get(word) ?? KEYS.get(own) ?? own;
}
