/** Word or number as written. `joined` is true if only a space or a hyphen separates it from the previous token. */
export interface RawToken {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly joined: boolean;
}

/** Number read from one or more tokens. */
interface ReadNumber {
  readonly value: number;
  /** Number of tokens read. */
  readonly count: number;
}

/**
 * Reads the number that begins at a token: digits (`1,200`), words (`twenty-five`, `two hundred and five`), and both
 * with factors (`5 million`). Returns undefined if no number begins there. A lone `one`, `hundred` or `million` is a
 * word.
 */
export function readNumber(tokens: readonly RawToken[], at: number): ReadNumber | undefined {
  const part = fractionOf(tokens, at);
  if (part !== undefined) return part;
  const sum = new Sum();
  let count = 0;
  for (let token = tokens[at]; token !== undefined && (count === 0 || token.joined); token = tokens[at + count]) {
    if (isAnd(token) && sum.takesAnd() && isWord(atom(tokens[at + count + 1]))) {
      count += 1;
      continue;
    }
    const next = count === 0 && isA(token) ? factorAfterA(tokens[at + 1]) : atom(token);
    if (next === undefined || !sum.take(next)) break;
    count += 1;
  }
  const first = tokens[at]?.text.toLowerCase() ?? "";
  return sum.total === undefined || (count === 1 && first === "one") ? undefined : { value: round(sum.total), count };
}

/** Reads a fraction of a factor: "half a million", "a quarter of a million", "half a dozen". */
function fractionOf(tokens: readonly RawToken[], at: number): ReadNumber | undefined {
  const apart = tokens.slice(at + 1, at + 5).findIndex(({ joined }) => !joined);
  const words = tokens.slice(at, apart < 0 ? at + 5 : at + 1 + apart).map(({ text }) => text.toLowerCase());
  const [, fraction = "", factor = ""] = /^(?:an? )?(half|quarter of) a (\w+)/.exec(words.join(" ")) ?? [];
  const { kind, value } = factor === "dozen" ? DOZEN : (numberWords.get(factor) ?? NO_FACTOR);
  if (kind !== "factor") return undefined;
  const count = words.indexOf(factor) + 1;
  return { value: fraction === "half" ? value / 2 : value / 4, count };
}

const DOZEN: NumberWord = { kind: "factor", value: 12 };
const NO_FACTOR: NumberWord = { kind: "unit", value: 0 };

type Atom = NumberWord | { readonly kind: "digits"; readonly value: number };

function atom(token: RawToken | undefined): Atom | undefined {
  if (token === undefined) return undefined;
  const value = /^\p{N}/u.test(token.text) ? readDigits(token.text) : undefined;
  return value === undefined ? numberWords.get(token.text.toLowerCase()) : { kind: "digits", value };
}

/** Returns true for what may follow an "and" within a number: "two hundred and five". */
function isWord(next: Atom | undefined): boolean {
  return next?.kind === "unit" || next?.kind === "ten";
}

/** Returns the `a` of "a hundred" as 1. It's a number only before a factor. */
function factorAfterA(next: RawToken | undefined): Atom | undefined {
  return next?.joined === true && atom(next)?.kind === "factor" ? { kind: "unit", value: 1 } : undefined;
}

function isA(token: RawToken): boolean {
  return token.text.toLowerCase() === "a";
}

function isAnd(token: RawToken): boolean {
  return token.text.toLowerCase() === "and";
}

/** Number under construction: complete thousands, and the part below the next factor. */
class Sum {
  #complete = 0;
  #open: number | undefined;
  /** True if that part is written in numerals, which nothing continues: "in 2000 three firms". */
  #isNumeral = false;
  /** Last factor. Further factors must be smaller. */
  #limit = Infinity;

  get total(): number | undefined {
    return this.#open === undefined && this.#complete === 0 ? undefined : this.#complete + (this.#open ?? 0);
  }

  takesAnd(): boolean {
    if (this.#open === undefined) return this.#complete > 0;
    return !this.#isNumeral && this.#open >= 100 && this.#open % 100 === 0;
  }

  /** Adds an atom. Returns false if the atom doesn't continue this number. */
  take(next: Atom): boolean {
    if (next.kind === "factor") return this.#multiply(next.value);
    if (this.#open === undefined) return this.#begin(next);
    if (this.#isNumeral) return false;
    if (next.kind === "unit" && next.value > 0 && next.value < 10 && this.#open % 100 >= 20 && this.#open % 10 === 0)
      return this.#add(next.value);
    return (
      next.kind !== "digits" && this.#open % 100 === 0 && this.#open > 0 && next.value > 0 && this.#add(next.value)
    );
  }

  #begin(next: Atom): boolean {
    if (this.#complete > 0 && next.kind === "digits") return false;
    this.#open = next.value;
    this.#isNumeral = next.kind === "digits";
    return true;
  }

  #add(value: number): boolean {
    this.#open = (this.#open ?? 0) + value;
    return true;
  }

  #multiply(factor: number): boolean {
    if (this.#open === undefined || factor >= this.#limit) return false;
    this.#isNumeral = false;
    if (factor === 100) this.#open *= 100;
    else {
      this.#complete += this.#open * factor;
      this.#open = undefined;
      this.#limit = factor;
    }
    return true;
  }
}

const ORDINAL = /^(\p{N}+)(?:st|nd|rd|th)$/iu;
const SCALED = /^(\p{N}+(?:\.\p{N}+)?)(k|K|M|bn|B|BN)$/u;
const SCALES: Readonly<Record<string, number>> = { k: 1e3, K: 1e3, M: 1e6, bn: 1e9, B: 1e9, BN: 1e9 };
const GROUPED = /^\p{N}{1,3}(?:,\p{N}{3})+(?:\.\p{N}+)?$/u;
const PLAIN = /^\p{N}+(?:\.\p{N}+)?$/u;

/**
 * Reads a number written as numerals: `1,200`, `0.5`, `21st`, `5k`, `3bn`. Returns undefined for other tokens, such as
 * a version (`6.15.0`), a code (`3G`), or a number beyond the exact range of a double.
 */
function readDigits(text: string): number | undefined {
  const ordinal = ORDINAL.exec(text)?.[1];
  if (ordinal !== undefined) return exact(Number(ordinal));
  const [, amount, scale = ""] = SCALED.exec(text) ?? [];
  if (amount !== undefined) return exact(round(Number(amount) * (SCALES[scale] ?? 1)));
  if (GROUPED.test(text)) return exact(Number(text.replaceAll(",", "")));
  if (PLAIN.test(text)) return exact(Number(text));
  // A comma before one or two numerals is a decimal comma, since thousands aren't grouped like that.
  return /^\p{N}+,\p{N}{1,2}$/u.test(text) ? exact(Number(text.replace(",", "."))) : undefined;
}

/** Removes floating-point noise: 1.1 × 1,000,000 is 1,100,000. */
function round(value: number): number {
  return Number(value.toPrecision(15));
}

function exact(value: number): number | undefined {
  return Number.isFinite(value) && value <= Number.MAX_SAFE_INTEGER ? value : undefined;
}

const UNITS = [
  "zero one two three four five six seven eight nine",
  "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen",
].flatMap((words) => words.split(" "));
const TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ");

/** Part that one word adds to a number: below twenty, a round ten, or a factor. */
type NumberWord =
  | { readonly kind: "unit"; readonly value: number }
  | { readonly kind: "ten"; readonly value: number }
  | { readonly kind: "factor"; readonly value: number };

/** Number words in lower case. */
const numberWords: ReadonlyMap<string, NumberWord> = new Map<string, NumberWord>([
  ...UNITS.map((word, value): [string, NumberWord] => [word, { kind: "unit", value }]),
  ...TENS.map((word, index): [string, NumberWord] => [word, { kind: "ten", value: (index + 2) * 10 }]),
  ["hundred", { kind: "factor", value: 1e2 }],
  ["thousand", { kind: "factor", value: 1e3 }],
  ["million", { kind: "factor", value: 1e6 }],
  ["billion", { kind: "factor", value: 1e9 }],
  ["trillion", { kind: "factor", value: 1e12 }],
]);
