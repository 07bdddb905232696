import { functionWords } from "./common-words.ts";
import { type RawToken, readNumber } from "./read-number.ts";
import { stemmer } from "stemmer";

/** Word, number or sign of a text, with its comparison key. */
export interface Token {
  /** Key for comparing two tokens: `#1200` for a number, or the stem of the canonical spelling for a word. */
  readonly key: string;
  readonly kind: "number" | "word";
  /** Text as written, which may be several words: `5 million`. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Soft hyphen, or hyphen at the end of a line, inside a word. */
export const BROKEN: RegExp = /\u00ad(?:\s*\n\s*)?|(?<=\p{Ll})[-\u2010][ \t]?\r?\n[ \t]*(?=\p{Ll}{2})/gu;

// Dotted acronyms, times of day, dates, numbers with their separators, signs that words can replace, words with an
// inner apostrophe or a break; letters of scripts that write no spaces are words of their own.
const RAW = new RegExp(
  [
    /(?:\p{Lu}\.){2,}/u,
    /(?<![\p{N}:.,])\d{1,2}(?:[:.]\d{2})?\s{0,6}[aApP](?:\.[mM]\.?|[mM])(?![\p{L}\p{N}])/u,
    /(?<![\p{N}:])\d{1,2}:\d{2}(?![\p{N}:])/u,
    /(?<![\p{N}-])\d{4}-\d{2}-\d{2}(?![\p{N}-])/u,
    /(?<![\p{N}/.])\d{1,2}(?<separator>[/.])\d{1,2}\k<separator>\d{4}(?![\p{N}/])/u,
    /(?<![\p{N}/.])(?:0?[1-9]|1[0-2])\/(?:19|20)\d{2}(?![\p{N}/])/u,
    // Thousands are grouped by a thin or fixed space, or the line breaks after their comma.
    /\p{N}{1,3}(?:(?:[\u00a0\u2007\u2009\u202f]|,\r?\n)\p{N}{3})+(?![\p{N}\p{L}])/u,
    /\p{N}+(?:(?:\u00ad|\u00ad?[.,]\u00ad?)\p{N}+)*(?:\(\p{L}\)|[\p{L}\p{N}]*)/u,
    /[$€£¥%]|°\s?[CF](?!\p{L})/u,
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u,
    new RegExp(String.raw`[\p{L}\p{M}]+(?:(?:['’]|${BROKEN.source})[\p{L}\p{M}]+)*(?:\p{N}+(?:\.\p{N}+)*)?`, "u"),
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
    at += count;
    if (first === undefined || last === undefined) continue;
    const sign = SIGN.test(text.slice(Math.max(0, first.start - 12), first.start)) ? "-" : "";
    const start = sign === "-" && /[-−]/.test(text.charAt(first.start - 1)) ? first.start - 1 : first.start;
    const span = { text: text.slice(start, last.end), start, end: last.end };
    const isMonth = first.text === "May" && (tokens.length > 0 || /^\p{N}/u.test(raw[at]?.text ?? ""));
    if (number !== undefined) tokens.push({ key: `#${sign}${number.value}`, kind: "number", ...span });
    else if (isMonth) tokens.push({ key: MAY, kind: "word", ...span });
    else tokens.push(...wordTokens(first.text).map((word) => ({ ...word, ...span })));
  }
  return tokens;
}

function rawTokens(text: string): RawToken[] {
  const tokens: RawToken[] = [];
  let end = -1;
  for (const match of text.matchAll(RAW)) {
    const joined = end >= 0 && /^[^\S\r\n]*-?(?:\r?\n)?[^\S\r\n]*$/u.test(text.slice(end, match.index));
    end = match.index + match[0].length;
    const isMoney = /[$€£¥]/.test(text.charAt(match.index - 1));
    // Millions of money may be written "$10m". Other numbers before an m are metres or minutes.
    const written = match[0].replace(BROKEN, "").replace(/(?<=\p{N})m$/u, isMoney ? "M" : "m");
    tokens.push({
      text: /^\p{N}/u.test(written) ? written.replace(/[\s()]/g, "") : written,
      start: match.index,
      end,
      joined,
    });
  }
  return tokens;
}

/** Key of the month, which the verb doesn't have. */
export const MAY = "mai";
const MONTH_NAMES = "january february march april mai june july august september october november december".split(" ");

type BareToken = Pick<Token, "key" | "kind">;

/** Returns the tokens of one word or code as written: three for a date in numerals, else one. */
function wordTokens(text: string): readonly BareToken[] {
  const date = dateTokens(text);
  if (date !== undefined) return date;
  const [, hour, minutes = "00", half] = /^0?(\d{1,2})(?:[:.](\d{2}))?(?:([ap])\.?m\.?)?$/i.exec(text) ?? [];
  if (hour !== undefined) {
    const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0);
    // A full hour is written with and without its minutes.
    return [number(minutes === "00" ? `${hours}` : `${hours}:${minutes}`)];
  }
  // Codes and versions such as v6.15.0, 3G or B12 weigh as much as a number.
  return /\p{N}/u.test(text)
    ? [number(text.toLowerCase().replace(/^v(?=\p{N})/u, ""))]
    : [{ key: keyOf(text), kind: "word" }];
}

/**
 * Returns the day, the month and the year of a date in numerals; of a date whose day and month could be exchanged, such
 * as 03/04/2025, three numbers. Undefined for other texts.
 */
function dateTokens(text: string): readonly BareToken[] | undefined {
  const [, monthOnly, ownYear] = /^(\d{1,2})\/(\d{4})$/.exec(text) ?? [];
  if (monthOnly !== undefined && ownYear !== undefined)
    return [{ key: comparedStem(MONTH_NAMES[Number(monthOnly) - 1] ?? ""), kind: "word" }, number(ownYear)];
  const written = /^(?:\d{4}-\d{2}-\d{2}|\d{1,2}[/.]\d{1,2}[/.]\d{4})$/.test(text) ? text.split(/[-/.]/) : [];
  const [first, second, third] = written.map(Number);
  if (first === undefined || second === undefined || third === undefined) return undefined;
  const isYearFirst = text.includes("-");
  const isMonthFirst = !isYearFirst && second > 12;
  const [day, year] = isYearFirst ? [third, first] : [isMonthFirst ? second : first, third];
  const month = isMonthFirst ? first : second;
  const name = MONTH_NAMES[month - 1];
  const isAmbiguous = !isYearFirst && first <= 12 && second <= 12 && first !== second;
  if (name === undefined || isAmbiguous) return [first, second, third].map((value) => number(String(value)));
  return [number(String(day)), { key: comparedStem(name), kind: "word" }, number(String(year))];
}

function number(value: string): BareToken {
  return { key: `#${value}`, kind: "number" };
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
  ["celsius", "°c", "° c"],
  ["fahrenheit", "°f", "° f"],
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

/** Verbs with their irregular forms. Forms that are other words, too, such as "found" and "left", aren't listed. */
const IRREGULAR = `
become became; begin began begun; break broke broken; bring brought; build built; buy bought; catch caught; choose
chose chosen; come came; deal dealt; draw drew drawn; drink drank drunk; drive drove driven; eat ate eaten; fall fell
fallen; fight fought; fly flew flown; forbid forbade forbidden; forget forgot forgotten; freeze froze frozen; get got
gotten; give gave given; go went gone; grow grew grown; hide hid hidden; hold held; keep kept; know knew known; lead
led; lend lent; lose lost; make made; mean meant; meet met; pay paid; ride rode ridden; ring rang rung; rise risen;
run ran; say said; see seen; seek sought; sell sold; send sent; shake shook shaken; shoot shot; show shown; sing sang
sung; sink sank sunk; sleep slept; speak spoke spoken; spend spent; stand stood; steal stole stolen; swim swam swum;
take took taken; teach taught; tell told; think thought; throw threw thrown; understand understood; wake woke woken;
wear wore worn; win won; write wrote written; arise arose arisen; withdraw withdrew withdrawn; swear swore sworn;
shrink shrank shrunk; spread spreads; tear tore torn; undergo underwent undergone; overcome overcame; bind bound; feel
felt
`;

/** Stems of the groups' keys, by each lower-case spelling and by its stem, so that plurals match too. */
const KEYS: ReadonlyMap<string, string> = new Map(
  [
    ...GROUPS,
    ...IRREGULAR.trim()
      .split(/;\s+/)
      .map((forms) => forms.split(/\s+/)),
  ].flatMap(([key = "", ...spellings]) =>
    spellings.flatMap((spelling) => [spelling, stemOf(spelling)].map((form): [string, string] => [form, stemOf(key)])),
  ),
);

/** Stems a word by Porter's algorithm, which is for English. A word with letters of other languages is unchanged. */
export function stemOf(word: string): string {
  if (!/^[a-z]+$/.test(word)) return word;
  const stem = stemmer(american(word));
  // "Used" is neither the pronoun nor the country.
  return stem === "us" && word !== "us" ? "use" : stem;
}

/** Returns a word with American endings: `criticise` is `criticize`, `analyse` is `analyze`, `favour` is `favor`. */
function american(word: string): string {
  return word
    .replace(/^(\w{3,}[iy])s(e[sdr]?|ing|ations?)$/, "$1z$2")
    .replace(/^(\w{3,}o)ur(s|ed|ing|ite|able)?$/, (_, root: string, end = "") => `${root}r${end}`);
}

/** Keys of the months. */
export const MONTHS: ReadonlySet<string> = new Set(MONTH_NAMES.map(comparedStem));

/**
 * Returns the stem by which a lower-case word is compared: that of its canonical spelling (`km`, `kilometres` →
 * `kilomet`), or its own. The caller decides whether `us` is the country or the pronoun.
 */
function comparedStem(word: string): string {
  const own = stemOf(word);
  return KEYS.get(word) ?? KEYS.get(own) ?? own;
}
