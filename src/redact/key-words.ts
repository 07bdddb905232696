import { PartSearch } from "./part-search.ts";
import { FOREIGN_KEY, FOREIGN_WORD, type FieldLookup, type SecretField, TELLING_WORDS } from "./field-names.ts";

/** A name in a text that marks a value near it as a secret. */
export interface NamedField {
  readonly start: number;
  /** Exclusive; quotes around the name are not part of it. */
  readonly end: number;
  readonly field: SecretField;
}

/** The words of which every name of a secret has one, `pat` only as a word alone. */
const WORD = `${TELLING_WORDS}|(?<=[_-])pat(?![a-z])`;
/** A key word at an index, and `pat` in camelCase: `azureExtPat`. */
const WORDS_HERE = [new RegExp(WORD, "iy"), /(?<=[a-z0-9])Pat(?![a-z])/y];

/** The words' first letters, which a search finds in a tenth of the time of the expression. */
const STARTS = new PartSearch(WORD.split("|").flatMap((word) => /[a-z]{2,}/.exec(word) ?? []));

const FOREIGN = new RegExp(`${FOREIGN_WORD.source}|${FOREIGN_KEY.source}`, "iu");
/** A letter that Western Europe doesn't have: all foreign words but those of `WESTERN` have one. */
const OTHER_LETTER = /[\u0100-\u1fff\u3040-\ud7ff]/;
const SPECIAL_LETTER = /[\u00c0-\ud7ff]/;
/** Many texts have their letters, and a search without `u` is faster. */
const WESTERN = /contraseñ|lösenord|jelszó|clé|schlüssel|nøgle/i;
/** With the ending of the word, and whose secret it is: `пароль пользователя ada:`. */
const FOREIGN_NAMES = new RegExp(
  String.raw`(?:${FOREIGN.source})[a-z\u00df-\u024f\u0400-\u04ff]{0,8}(?:(?: [\p{L}\d'’._@-]{1,30}){1,4}(?=\s?[:=]))?`,
  "giu",
);

let silent = "";

/**
 * Returns true if a text may have a name of a secret with its value; false is certain. A search that ignores case takes
 * twice as long, and the same text is often checked again at once.
 */
export function mayNameSecret(text: string, { added }: FieldLookup): boolean {
  if (added !== undefined) return true;
  if (silent === text) return false;
  if (isStructured(text) ? hasKeyWord(text) : hasNamedRun(text)) return true;
  silent = text;
  return false;
}

function hasKeyWord(text: string): boolean {
  return wordAt(text, 0) !== undefined || hasForeignWord(text);
}

interface Word {
  readonly start: number;
  /** End of the span, exclusive. */
  readonly end: number;
}

/** The next key word from an index on. */
function wordAt(text: string, from: number): Word | undefined {
  for (let index = STARTS.next(text, from); index < text.length; index = STARTS.next(text, index + 1)) {
    // The start of a word has two or three letters.
    for (let start = Math.max(from, index - 2); start < index; start += 1) {
      const end = endOfWord(text, start);
      if (end !== undefined) return { start, end };
    }
  }
  return undefined;
}

/** The end of a key word that begins at an index. */
function endOfWord(text: string, start: number): number | undefined {
  for (const word of WORDS_HERE) {
    word.lastIndex = start;
    if (word.test(text)) return word.lastIndex;
  }
  return undefined;
}

function hasForeignWord(text: string): boolean {
  return SPECIAL_LETTER.test(text) && (WESTERN.test(text) || (OTHER_LETTER.test(text) && FOREIGN.test(text)));
}

/** Returns true if a text has a sign of data, of which any value may be a secret, or of a table in columns. */
function isStructured(text: string): boolean {
  return (
    text.includes("=") ||
    text.includes("<") ||
    text.includes("|") ||
    text.includes("\t") ||
    text.includes('":') ||
    text.includes('" :') ||
    text.includes('\\"')
  );
}

const DIGIT = /[0-9]/g;

/** Distance up to which a name without a sign of data is before its value. */
const WINDOW = 400;

const MIN_VALUE = 6;

/** Returns true if a text has a run with letters and digits near a key word: few sentences do. */
function hasNamedRun(text: string): boolean {
  DIGIT.lastIndex = 0;
  let from = 0;
  let looked = 0;
  while (DIGIT.test(text)) {
    let start = DIGIT.lastIndex - 1;
    while (start > from && text.charCodeAt(start - 1) > SPACE) start -= 1;
    // Ends as it begins, at a character up to SPACE: at another white space the search would begin again at this run.
    from = DIGIT.lastIndex;
    while (from < text.length && text.charCodeAt(from) > SPACE) from += 1;
    DIGIT.lastIndex = from;
    if (from - start < MIN_VALUE) continue;
    const run = text.slice(start, from);
    if (!/[A-Za-z]/.test(run) || /^[("'`]?«redacted:[^»]*»[^«]{0,2}$/.test(run)) continue;
    // A row of values in columns: their names may be far above.
    if (/[,;]./.test(run) && hasKeyWord(text)) return true;
    if (hasKeyWord(text.slice(Math.max(looked, start - WINDOW), from + MAX_NAME))) return true;
    looked = from;
  }
  return false;
}

const MAX_NAME = 64;
const SPACE = 32;
const BACKSLASH = 92;
const PERCENT = 37;

const NAME_CODES = new Uint8Array(128);
for (const character of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-")
  NAME_CODES[character.charCodeAt(0)] = 1;

// Names that have a meaning only in the query of a URL.
const QUERY_FIELDS: ReadonlyMap<string, SecretField> = new Map([
  ["sig", { secrecy: "always", kind: "signature" }],
  ["signature", { secrecy: "if-drawn", kind: "signature" }],
  ["Signature", { secrecy: "if-drawn", kind: "signature" }],
  ["key", { secrecy: "if-drawn", kind: "key" }],
  ["code", { secrecy: "if-drawn", kind: "key" }],
  ["code_verifier", { secrecy: "if-drawn", kind: "key" }],
]);
/** Meaning of a parameter's name in a query or a form; undefined if it has none there. */
export function queryField(name: string): SecretField | undefined {
  return QUERY_FIELDS.get(name);
}

const QUERY_ENDS = ["key=", "sig=", "code=", "ure=", "fier="];
const QUERY_NAME = /(?<=[?&])(?:sig|[Ss]ignature|key|code|code_verifier)(?==)/g;

/** Finds the names in the query of URLs, and in recorded queries and forms, that have a meaning only there. */
export function queryFields(text: string): readonly NamedField[] {
  const inUrls = QUERY_ENDS.some((end) => text.includes(end)) ? [...text.matchAll(QUERY_NAME)] : [];
  const fields = [...inUrls, ...parametersIn(text)].flatMap(({ index, 0: name }) => {
    const field = QUERY_FIELDS.get(name);
    return field === undefined ? [] : [{ start: index, end: index + name.length, field }];
  });
  return fields.toSorted((a, b) => a.start - b.start);
}

const PARAMETERS = /"(?:query|form)"\s{0,8}:\s{0,8}\{/g;
const JSON_TOKEN = /"(?<name>(?:[^"\\]|\\.)*)"(?<colon>\s{0,8}:)?|[{}]|[^"{}]+/y;

/** The names of the parameters in JSON: `"query": { "sig": "…" }`. */
function parametersIn(text: string): readonly { readonly index: number; readonly 0: string }[] {
  if (!text.includes('"query"') && !text.includes('"form"')) return [];
  const names: { readonly index: number; readonly 0: string }[] = [];
  let at = 0;
  for (const { index, 0: head } of text.matchAll(PARAMETERS)) {
    // One inside another was read with it.
    if (index < at) continue;
    at = index + head.length;
    for (let depth = 1; depth > 0; ) {
      JSON_TOKEN.lastIndex = at;
      const { 0: token, groups: { name, colon } = {} } = JSON_TOKEN.exec(text) ?? {};
      if (token === undefined) return names;
      if (token === "{") depth += 1;
      if (token === "}") depth -= 1;
      if (depth === 1 && name !== undefined && colon !== undefined) names.push({ index: at + 1, 0: name });
      at += token.length;
    }
  }
  return names;
}

/** Finds the names in a text that mark their value as a secret, in order. */
export function namedFields(text: string, lookup: FieldLookup): readonly NamedField[] {
  const names: NamedField[] = [];
  for (const next of lookup.added === undefined ? [wordAt] : [addedWord(lookup.added), wordAt]) {
    let from = 0;
    for (let word = next(text, from); word !== undefined; word = next(text, from)) {
      const named = nameAround(text, [word.start, word.end], lookup);
      from = named?.end ?? word.end;
      if (named?.field !== undefined) names.push({ ...named, field: named.field });
    }
  }
  if (hasForeignWord(text))
    for (const { index, 0: word } of text.matchAll(FOREIGN_NAMES)) {
      const field = lookup(word);
      if (field !== undefined) names.push({ start: index, end: index + word.length, field });
    }
  return names.toSorted((a, b) => a.start - b.start);
}

/** Returns the search for the next added name. */
function addedWord(added: RegExp): typeof wordAt {
  return (text, from) => {
    added.lastIndex = from;
    const match = added.exec(text);
    return match === null ? undefined : { start: match.index, end: match.index + match[0].length };
  };
}

/** The name around a key word, and its meaning: with the words before it if it says nothing alone, as "API key". */
function nameAround(
  text: string,
  [index, after]: readonly [number, number],
  lookup: FieldLookup,
): (Omit<NamedField, "field"> & { readonly field: SecretField | undefined }) | undefined {
  let start = nameStart(text, index);
  // The dashes of an option aren't part of its name.
  while (start < index && text[start] === "-") start += 1;
  let end = after;
  while (end - start <= MAX_NAME && isNameCode(text.charCodeAt(end))) end += 1;
  if (end - start > MAX_NAME) return undefined;
  const full = end;
  while (end > after && /[.-]/.test(text[end - 1] ?? "")) end -= 1;
  const field = lookup(text.slice(start, end));
  if (isUser(text, start, full)) return { start, end: full, field: undefined };
  if ((field !== undefined && field.secrecy !== "by-look") || text.charCodeAt(start - 1) !== SPACE)
    return { start, end, field };
  const joined = nameStart(text, start - 1);
  const phrase = joined === start - 1 ? undefined : lookup(text.slice(joined, end));
  return { start: phrase === undefined ? start : joined, end, field: phrase ?? field };
}

function nameStart(text: string, from: number): number {
  let start = from;
  while (start > 0 && from - start <= MAX_NAME && isNameCode(text.charCodeAt(start - 1))) start -= 1;
  // The rest of an escape is not part of a name: `\ntoken`, `%5Btoken`.
  const escape = start > 0 && start < from ? text.charCodeAt(start - 1) : 0;
  if (escape === BACKSLASH) return start + 1;
  return escape === PERCENT ? Math.min(start + 2, from) : start;
}

const USER_END = /:[^\s/?#@"'<>\\]{1,256}@/y;

/** Returns true if a name is that of the user in a URL: `https://x-access-token:…@host`. */
function isUser(text: string, start: number, end: number): boolean {
  if (!text.startsWith("//", start - 2)) return false;
  USER_END.lastIndex = end;
  return USER_END.test(text);
}

function isNameCode(code: number): boolean {
  return code < 128 && NAME_CODES[code] === 1;
}
