import { FOREIGN_WORD, type FieldLookup, type SecretField, TELLING_WORDS } from "./field-names.ts";

/** A name in a text that marks a value near it as a secret. */
export interface NamedField {
  readonly start: number;
  /** Exclusive; quotes around the name are not part of it. */
  readonly end: number;
  readonly field: SecretField;
}

/** The words of which every name of a secret has one, `pat` only as a word alone. */
const WORD = `${TELLING_WORDS}|(?<=[_-])pat(?![a-z])`;
const WORDS = new RegExp(WORD, "gi");
const ANY_WORD = new RegExp(WORD, "i");

const FOREIGN_WORDS = new RegExp(FOREIGN_WORD, "giu");

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

/** A shorter text is searched sooner by a pattern than by many native searches. */
const SHORT = 256;

/** Returns true if a text has a part of a key word: one that begins with a rare letter, if there is one. */
function hasKeyWord(text: string): boolean {
  if (text.length < SHORT) return ANY_WORD.test(text) || hasForeignWord(text);
  const lower = text.toLowerCase();
  return (
    lower.includes("key") ||
    lower.includes("ken") ||
    lower.includes("pass") ||
    lower.includes("kie") ||
    lower.includes("jwt") ||
    lower.includes("vv") ||
    lower.includes("vc") ||
    lower.includes("_pat") ||
    lower.includes("-pat") ||
    lower.includes("gnature") ||
    lower.includes("uth") ||
    lower.includes("bearer") ||
    lower.includes("pw") ||
    lower.includes("psk") ||
    lower.includes("kennwort") ||
    lower.includes("cre") ||
    lower.includes("nnection") ||
    lower.includes("sessid") ||
    lower.includes("sessionid") ||
    lower.includes("otp") ||
    lower.includes("mdp") ||
    lower.includes("senha") ||
    lower.includes("heslo") ||
    lower.includes("wachtw") ||
    lower.includes("haslo") ||
    lower.includes("contrase") ||
    lower.includes("salasan") ||
    lower.includes("adgangs") ||
    hasForeignWord(text)
  );
}

function hasForeignWord(text: string): boolean {
  return /[^\0-\u00ff]|[ñöÑÖ]/.test(text) && FOREIGN_WORD.test(text);
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
const QUERY_ENDS = ["key=", "sig=", "code=", "ure=", "fier="];
const QUERY_NAME = /(?<=[?&])(?:sig|[Ss]ignature|key|code|code_verifier)(?==)/g;

/** Finds the names in the query of URLs that have a meaning only there. */
export function queryFields(text: string): readonly NamedField[] {
  if (!QUERY_ENDS.some((end) => text.includes(end))) return [];
  return [...text.matchAll(QUERY_NAME)].flatMap(({ index, 0: name }) => {
    const field = QUERY_FIELDS.get(name);
    return field === undefined ? [] : [{ start: index, end: index + name.length, field }];
  });
}

/** Finds the names in a text that mark their value as a secret, in order of their key words. */
export function namedFields(text: string, lookup: FieldLookup): readonly NamedField[] {
  const names: NamedField[] = [];
  for (const words of lookup.added === undefined ? [WORDS] : [lookup.added, WORDS]) {
    words.lastIndex = 0;
    for (let match = words.exec(text); match !== null; match = words.exec(text)) {
      const end = match.index + match[0].length;
      const named = nameAround(text, [match.index, end], lookup);
      words.lastIndex = named?.end ?? end;
      if (named?.field !== undefined) names.push({ ...named, field: named.field });
    }
  }
  if (hasForeignWord(text))
    for (const { index, 0: word } of text.matchAll(FOREIGN_WORDS)) {
      const field = lookup(word);
      if (field !== undefined) names.push({ start: index, end: index + word.length, field });
    }
  return names;
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
