/**
 * Reduces a lower-case English word to its stem, by Porter's algorithm (1980): `connections` and `connected` both give
 * `connect`. Words of other scripts, and words of two letters or fewer, come back as they are.
 */
export function stem(word: string): string {
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word;
  return [plurals, pastAndProgressive, finalY, longSuffixes, shortSuffixes, residualSuffixes, finalE].reduce(
    (text, step) => step(text),
    word,
  );
}

type Rule = readonly [suffix: string, replacement: string];

const STEP_2: readonly Rule[] = [
  ["ational", "ate"],
  ["tional", "tion"],
  ["enci", "ence"],
  ["anci", "ance"],
  ["izer", "ize"],
  ["abli", "able"],
  ["alli", "al"],
  ["entli", "ent"],
  ["eli", "e"],
  ["ousli", "ous"],
  ["ization", "ize"],
  ["ation", "ate"],
  ["ator", "ate"],
  ["alism", "al"],
  ["iveness", "ive"],
  ["fulness", "ful"],
  ["ousness", "ous"],
  ["aliti", "al"],
  ["iviti", "ive"],
  ["biliti", "ble"],
];

const STEP_3: readonly Rule[] = [
  ["icate", "ic"],
  ["ative", ""],
  ["alize", "al"],
  ["iciti", "ic"],
  ["ical", "ic"],
  ["ful", ""],
  ["ness", ""],
];

const STEP_4: readonly Rule[] = [
  "ement",
  "ment",
  "ent",
  "ance",
  "ence",
  "able",
  "ible",
  "ant",
  "al",
  "er",
  "ic",
  "ou",
  "ism",
  "ate",
  "iti",
  "ous",
  "ive",
  "ize",
].map((suffix) => [suffix, ""] as const);

/** The number of vowel–consonant sequences of a stem, Porter's *m*. */
function measure(stemmed: string): number {
  const form = shape(stemmed).replace(/^c+/, "").replace(/v+$/, "");
  return form.replace(/v+c+/g, "x").length;
}

/** Each letter as `v` or `c`; a `y` after a consonant is a vowel. */
function shape(text: string): string {
  let form = "";
  for (const letter of text) {
    const vowel = letter === "y" ? form.endsWith("c") : "aeiou".includes(letter);
    form += vowel ? "v" : "c";
  }
  return form;
}

function hasVowel(text: string): boolean {
  return shape(text).includes("v");
}

function endsDouble(text: string): boolean {
  return text.length > 1 && text.at(-1) === text.at(-2) && shape(text).endsWith("c");
}

function endsShort(text: string): boolean {
  return shape(text).endsWith("cvc") && !/[wxy]$/.test(text);
}

function plurals(word: string): string {
  if (word.endsWith("sses") || word.endsWith("ies")) return word.slice(0, -2);
  return word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
}

function pastAndProgressive(word: string): string {
  if (word.endsWith("eed")) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  const suffix = ["ed", "ing"].find((ending) => word.endsWith(ending));
  const rest = suffix === undefined ? "" : word.slice(0, -suffix.length);
  return hasVowel(rest) ? restoreEnd(rest) : word;
}

function restoreEnd(rest: string): string {
  if (/(?:at|bl|iz)$/.test(rest)) return `${rest}e`;
  if (endsDouble(rest) && !/[lsz]$/.test(rest)) return rest.slice(0, -1);
  return measure(rest) === 1 && endsShort(rest) ? `${rest}e` : rest;
}

function finalY(word: string): string {
  return word.endsWith("y") && hasVowel(word.slice(0, -1)) ? `${word.slice(0, -1)}i` : word;
}

function longSuffixes(word: string): string {
  return replaceSuffix(word, STEP_2, 0);
}

function shortSuffixes(word: string): string {
  return replaceSuffix(word, STEP_3, 0);
}

function residualSuffixes(word: string): string {
  if (/[st]ion$/.test(word)) return measure(word.slice(0, -3)) > 1 ? word.slice(0, -3) : word;
  return replaceSuffix(word, STEP_4, 1);
}

function finalE(word: string): string {
  const rest = word.slice(0, -1);
  if (word.endsWith("e") && (measure(rest) > 1 || (measure(rest) === 1 && !endsShort(rest)))) return finalL(rest);
  return finalL(word);
}

function finalL(word: string): string {
  return word.endsWith("ll") && measure(word) > 1 ? word.slice(0, -1) : word;
}

/** Replaces the longest suffix that fits, if what stays before it is long enough. */
function replaceSuffix(word: string, rules: readonly Rule[], above: number): string {
  let best: Rule | undefined;
  for (const rule of rules) {
    if (word.endsWith(rule[0]) && rule[0].length > (best?.[0].length ?? 0)) best = rule;
  }
  if (best === undefined) return word;
  const rest = word.slice(0, -best[0].length);
  return measure(rest) > above ? rest + best[1] : word;
}
