/** A JavaScript or TypeScript source with parts blanked out; every offset and line stays what it was. */
export interface MaskedSource {
  /** Without comments, and with nothing inside strings, templates and regular expressions: what remains is code. */
  readonly code: string;
  /** Without comments only. */
  readonly text: string;
}

/**
 * Blanks what is no code, so that searching the rest finds no word that only stands in a comment or a string. Reads
 * the source by its tokens and needs no valid program; a line with an odd quote, as text in JSX may have, is blanked
 * to its end.
 */
export function maskSource(source: string): MaskedSource {
  return new Masker(source).mask();
}

/** What an expression may end in: a slash after it divides. */
const OPERAND_END = /[\w$)\]}"'`]$/;
/** Words after which an expression begins: a slash after one opens a regular expression. */
const BEFORE_EXPRESSION =
  /(?:^|[^\w$.])(?:return|typeof|case|in|of|do|else|void|delete|throw|new|await|yield|instanceof)$/;
const COMMENT = /\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)/y;
const STRING = /'(?:[^'\\\n]|\\[^])*'?|"(?:[^"\\\n]|\\[^])*"?/y;
const REGEXP = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
const TEMPLATE_TEXT = /(?:[^`\\$]|\\[^]|\$(?!\{))*/y;
const TEMPLATE_STOP = /\$\{|`/y;
const PLAIN = /[^'"`/{}]+|[^]/y;

class Masker {
  readonly #source: string;
  readonly #code: string[] = [];
  readonly #text: string[] = [];
  /** One entry per open brace: true for that of a template's `${`, behind which the template goes on. */
  readonly #braces: boolean[] = [];
  /** The end of the code before this place, to tell a division from a regular expression. */
  #before = "";
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  mask(): MaskedSource {
    while (this.#at < this.#source.length) this.#next();
    return { code: this.#code.join(""), text: this.#text.join("") };
  }

  #next(): void {
    const comment = this.#take(COMMENT);
    if (comment !== "") return this.#put(blank(comment), blank(comment));
    const string = this.#string() || this.#regularExpression();
    if (string !== "") return this.#literal(string);
    const plain = this.#take(PLAIN);
    this.#keep(plain);
    if (plain === "{") this.#braces.push(false);
    if (plain === "`" || (plain === "}" && this.#braces.pop() === true)) this.#template();
  }

  /** A quote right behind a letter, as in JSX's `don't`, opens nothing. */
  #string(): string {
    const isInWord = /[\w$]/.test(this.#source.charAt(this.#at - 1)) && !BEFORE_EXPRESSION.test(this.#before);
    return isInWord ? "" : this.#take(STRING);
  }

  #regularExpression(): string {
    return OPERAND_END.test(this.#before) && !BEFORE_EXPRESSION.test(this.#before) ? "" : this.#take(REGEXP);
  }

  #literal(part: string): void {
    this.#put(part.charAt(0) + blank(part.slice(1, -1)) + part.slice(1).slice(-1), part);
    this.#before = '"';
  }

  /** The text of a template up to its end or to the next `${`. */
  #template(): void {
    const part = this.#take(TEMPLATE_TEXT);
    this.#put(blank(part), part);
    const stop = this.#take(TEMPLATE_STOP);
    this.#keep(stop);
    if (stop === "${") this.#braces.push(true);
  }

  #keep(part: string): void {
    this.#put(part, part);
    this.#before = (this.#before + part).trimEnd().slice(-12);
  }

  #put(code: string, text: string): void {
    this.#code.push(code);
    this.#text.push(text);
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const part = pattern.exec(this.#source)?.[0] ?? "";
    this.#at += part.length;
    return part;
  }
}

function blank(text: string): string {
  return text.replaceAll(/[^\n]/g, " ");
}
