import { type NumberWord, numberWords } from "./number-words.ts";
import { readDigits, round } from "./read-digits.ts";

/** A word or number as it stands in a text, and whether only a space or a hyphen parts it from the one before. */
export interface RawToken {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly joined: boolean;
}

/** A number read from one or more tokens. */
export interface ReadNumber {
  readonly value: number;
  /** How many tokens it took. */
  readonly count: number;
}

/**
 * Reads the number that begins at a token: digits (`1,200`), words (`twenty-five`, `two hundred and five`), and both
 * with factors (`5 million`). Undefined where none begins; a lone `one`, `hundred` or `million` is a word.
 */
export function readNumber(tokens: readonly RawToken[], at: number): ReadNumber | undefined {
  const sum = new Sum();
  let count = 0;
  for (let token = tokens[at]; token !== undefined && (count === 0 || token.joined); token = tokens[at + count]) {
    if (isAnd(token) && sum.takesAnd() && atom(tokens[at + count + 1]) !== undefined) {
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

type Atom = NumberWord | { readonly kind: "digits"; readonly value: number };

function atom(token: RawToken | undefined): Atom | undefined {
  if (token === undefined) return undefined;
  const value = /^\p{N}/u.test(token.text) ? readDigits(token.text) : undefined;
  return value === undefined ? numberWords.get(token.text.toLowerCase()) : { kind: "digits", value };
}

/** The `a` of "a hundred" counts as one; it is a number only before a factor. */
function factorAfterA(next: RawToken | undefined): Atom | undefined {
  return next?.joined === true && atom(next)?.kind === "factor" ? { kind: "unit", value: 1 } : undefined;
}

function isA(token: RawToken): boolean {
  return token.text.toLowerCase() === "a";
}

function isAnd(token: RawToken): boolean {
  return token.text.toLowerCase() === "and";
}

/** A number while it is being read: thousands that are complete, and the part below the next factor. */
class Sum {
  #complete = 0;
  #open: number | undefined;
  /** No further factor may be as large as the last one. */
  #limit = Infinity;

  get total(): number | undefined {
    return this.#open === undefined && this.#complete === 0 ? undefined : this.#complete + (this.#open ?? 0);
  }

  takesAnd(): boolean {
    return this.#open === undefined ? this.#complete > 0 : this.#open >= 100 && this.#open % 100 === 0;
  }

  /** Adds an atom; false where it does not go on with this number. */
  take(next: Atom): boolean {
    if (next.kind === "factor") return this.#multiply(next.value);
    if (this.#open === undefined) return this.#begin(next);
    if (next.kind === "unit" && next.value > 0 && next.value < 10 && this.#open % 100 >= 20 && this.#open % 10 === 0)
      return this.#add(next.value);
    return (
      next.kind !== "digits" && this.#open % 100 === 0 && this.#open > 0 && next.value > 0 && this.#add(next.value)
    );
  }

  #begin(next: Atom): boolean {
    if (this.#complete > 0 && next.kind === "digits") return false;
    this.#open = next.value;
    return true;
  }

  #add(value: number): boolean {
    this.#open = (this.#open ?? 0) + value;
    return true;
  }

  #multiply(factor: number): boolean {
    if (this.#open === undefined || factor >= this.#limit) return false;
    if (factor === 100) this.#open *= 100;
    else {
      this.#complete += this.#open * factor;
      this.#open = undefined;
      this.#limit = factor;
    }
    return true;
  }
}
