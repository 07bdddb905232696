import { functionWords } from "./common-words.ts";
import { type RawToken, readNumber } from "./read-number.ts";
import { stemmer } from "stemmer";

/** Word, number or sign of a text, with its comparison key. */
export interface Token {
  /** `#1200` for a number; for a word, the stem of its canonical spelling. */
  readonly key: string;
  readonly kind: "number" | "word";
  /** Text as written, which may be several words: `5 million`. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

// Dotted acronyms, times of day, numbers with their separators, signs that words can replace, words with an inner
// apostrophe; letters of scripts that write no spaces are words of their own.
const RAW = new RegExp(
  [
    /(?:\p{Lu}\.){2,}/u,
    /(?<![\p{N}:])\d{1,2}:\d{2}(?![\p{N}:])/u,
    /\p{N}+(?:[.,]\p{N}+)*[\p{L}\p{N}]*/u,
    /[$€£¥%]/u,
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u,
    /[\p{L}\p{M}]+(?:['’][\p{L}\p{M}]+)*(?:\p{N}+(?:\.\p{N}+)*)?/u,
  ]
    .map(({ source }) => source)
    .join("|"),
  "gu",
);

/** Sign that makes the next number negative. A hyphen between words or numbers and a list marker don't. */
const SIGN = /(?:^|[\s(])(?:[-−]|(?:minus|negative)\s)[$€£¥]?$/iu;

/**
 * Splits a text into tokens. Words are compared by stem and alias, numbers by value: `$5 million`, `5,000,000 dollars`
 * and `five million dollars` have equal keys.
 */
export function tokenize(text: string): Token[] {
  const raw = rawTokens(text);
  const tokens: Token[] = [];
  for (let at = 0; at < raw.length; ) {
    const number = readNumber(raw, at);
    const count = number?.count ?? 1;
    const [first, last] = [raw[at], raw[at + count - 1]];
    if (first !== undefined && last !== undefined) {
      const span = { text: text.slice(first.start, last.end), start: first.start, end: last.end };
      const sign = SIGN.test(text.slice(Math.max(0, first.start - 12), first.start)) ? "-" : "";
      tokens.push(number === undefined ? wordToken(span) : { key: `#${sign}${number.value}`, kind: "number", ...span });
    }
    at += count;
  }
  return tokens;
}

function rawTokens(text: string): RawToken[] {
  const tokens: RawToken[] = [];
  let end = -1;
  for (const match of text.matchAll(RAW)) {
    const joined = end >= 0 && /^[ \t\u00a0]?-?$/.test(text.slice(end, match.index));
    end = match.index + match[0].length;
    tokens.push({ text: match[0], start: match.index, end, joined });
  }
  return tokens;
}

function wordToken(span: Pick<Token, "text" | "start" | "end">): Token {
  // A full hour is written with and without its minutes.
  const [, hour, minutes] = /^0?(\d+):(\d{2})$/.exec(span.text) ?? [];
  if (hour !== undefined)
    return { key: minutes === "00" ? `#${hour}` : `#${hour}:${minutes}`, kind: "number", ...span };
  // Codes and versions such as v6.15.0, 3G or B12 weigh as much as a number.
  if (/\p{N}/u.test(span.text))
    return { key: `#${span.text.toLowerCase().replace(/^v(?=\p{N})/u, "")}`, kind: "number", ...span };
  return { key: keyOf(span.text), kind: "word", ...span };
}

function keyOf(text: string): string {
  const lower = text.normalize("NFKC").toLowerCase().replaceAll("’", "'").replace(/\.$/, "");
  if (lower.endsWith("n't")) return "not";
  const word = lower.replace(/'s?$/, "");
  // "US" is a country, "us" a pronoun.
  if (functionWords.has(word) && !/^(?:US|U\.S\.)$/.test(text)) return word;
  return comparedStem(word);
}

/** Spellings of one thing, the key first. Short on purpose: a wrong alias costs more than a missing one. */
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

/** Stems of the groups' keys, by each lower-case spelling and by its stem, so that plurals match too. */
const KEYS: ReadonlyMap<string, string> = new Map(
  GROUPS.flatMap(([key = "", ...spellings]) =>
    spellings.flatMap((spelling) => [spelling, stemOf(spelling)].map((form): [string, string] => [form, stemOf(key)])),
  ),
);

/** Stems a word by Porter's algorithm, which is for English. A word with letters of other languages is unchanged. */
function stemOf(word: string): string {
  return /^[a-z]+$/.test(word) ? stemmer(word) : word;
}

/**
 * Returns the stem by which a lower-case word is compared: that of its canonical spelling (`km`, `kilometres` →
 * `kilomet`), or its own. The caller decides whether `us` is the country or the pronoun.
 */
function comparedStem(word: string): string {
  const own = stemOf(word);
  return KEYS.get(word) ?? KEYS.get(own) ?? own;
}
