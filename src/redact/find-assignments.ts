import {
  type FieldLookup,
  KEY_PARTS,
  type SecretField,
  isCode,
  isSecretText,
  looksRandom,
  looksLikeCredential,
  secretStart,
} from "./field-names.ts";
import type { SecretSpan } from "./secret-spans.ts";

/**
 * Finds secrets that a name in the text marks: `"apiKey": "…"` (JSON, also escaped inside JSON texts), `?token=…`,
 * `Authorization: Bearer …`, `PASSWORD=…`, `apiKey: "…"`.
 */
export function findAssignments(text: string, lookup: FieldLookup): readonly SecretSpan[] {
  const spans: SecretSpan[] = [];
  let isNaming = false;
  for (const name of namedFields(text, lookup)) {
    isNaming = true;
    // A name inside a secret is a part of it.
    if (name.start < (spans.at(-1)?.end ?? 0)) continue;
    const span = findValue(text, name, name.field);
    if (span !== undefined) spans.push(span);
  }
  if (!isNaming) silent.set(lookup, text);
  return spans;
}

/** The last text without names of secrets: it is often checked again at once. */
const silent = new WeakMap<FieldLookup, string>();

/** Returns true if any name in a text marks its value as a secret. */
export function namesField(text: string, lookup: FieldLookup): boolean {
  return silent.get(lookup) !== text && namedFields(text, lookup).next().done !== true;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

function findValue(text: string, name: Range, field: SecretField): SecretSpan | undefined {
  if (field.secrecy === "container") return undefined;
  const json = jsonValue(text, name);
  // A JSON field is judged as the field it is, and not by the looser forms too.
  if (json !== undefined) return hidden(text, json, field);
  const match = queryValue(text, name, field) ?? headerValue(text, name, field);
  if (match !== undefined || field.kind === "cookie") return match;
  return otherValue(text, name, field) ?? blockValue(text, name, field);
}

const JSON_BETWEEN = /(\\*)"\s{0,8}:\s{0,8}(\\*)"/y;

/** `"name": "value"`, where each quote has as many backslashes as its depth of JSON texts in JSON texts requires. */
function jsonValue(text: string, { start, end }: Range): Range | undefined {
  if (text[start - 1] !== '"') return undefined;
  const depth = backslashesBefore(text, start - 1);
  JSON_BETWEEN.lastIndex = end;
  const [between, close, open] = JSON_BETWEEN.exec(text) ?? [];
  if (between === undefined || close?.length !== depth || open?.length !== depth) return undefined;
  return { start: end + between.length, end: closingQuote(text, end + between.length, depth) };
}

/**
 * The end of a JSON text that began after a quote with some backslashes before it; the text's end when it is cut off.
 */
function closingQuote(text: string, from: number, depth: number): number {
  for (let quote = text.indexOf('"', from); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    const count = Math.min(backslashesBefore(text, quote), quote - from);
    // Each level doubles the backslashes of the one inside it, so a quote of this level has `depth` beyond complete
    // pairs.
    if (count % (2 * (depth + 1)) === depth || count < depth) return quote - Math.min(depth, count);
  }
  return text.length;
}

function backslashesBefore(text: string, index: number): number {
  let start = index;
  while (start > 0 && text[start - 1] === "\\") start -= 1;
  return index - start;
}

const QUERY = /=([^&#\s"'<>\\«»]{1,4096})/y;

/** `?name=value` and `&name=value`, and the first of a form's body. */
function queryValue(text: string, { start, end }: Range, field: SecretField): SecretSpan | undefined {
  if (!/[?&]/.test(text[start - 1] ?? "&")) return undefined;
  QUERY.lastIndex = end;
  const value = QUERY.exec(text)?.[1];
  // `a &&token==b` and `&&token=f(x)` are code.
  if (value === undefined || isCode(value.split(/[(){}`,;]/, 1)[0] ?? "")) return undefined;
  return hidden(text, { start: end + 1, end: end + 1 + value.length }, field);
}

const HEADER = /["']?\s{0,4}[:=]\s{0,4}["']?([^"'\r\n\\«»]{1,8192})/y;
const SCHEMED = /^(?:(?:Bearer|Basic|Digest|Token(?: token=)?|ApiKey|SSWS|Negotiate)\s*)([^\s,;]+)/i;
const COOKIE = /=([^;\s]{8,})/g;

/** `Authorization: Bearer …` and `Cookie: a=b; c=d`, to the end of the line or of the quotes. */
function headerValue(text: string, { end }: Range, field: SecretField): SecretSpan | undefined {
  if (field.kind !== "authorization" && field.kind !== "cookie") return undefined;
  HEADER.lastIndex = end;
  const [whole, value = ""] = HEADER.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const start = end + whole.length - value.length;
  const [schemed, credential = ""] = SCHEMED.exec(value) ?? [];
  if (schemed !== undefined) {
    // Explanations write `Bearer <key>`.
    const isOne = !isCode(credential) && (credential.length >= 20 || looksLikeCredential(credential, 6));
    return isOne ? hidden(text, { start, end: start + schemed.length }, field) : undefined;
  }
  const isCookie =
    field.kind === "cookie" &&
    [...value.matchAll(COOKIE)].some(([, cookie = ""]) => looksRandom(cookie) || looksLikeCredential(cookie));
  return isCookie ? hidden(text, { start, end: start + value.trimEnd().length }, field) : undefined;
}

const OTHER =
  /\\*["']?\]?\s{0,4}(?:=>|[:=])\s{0,4}(?:(\\{0,7}["'`])([^"'`\s\\«»]{6,512})\1|([^\s"'`,;&<>(){}[\]\\«»|]{6,512}))/y;

const BLOCK = /["']?: ?[|>][+-]?[ \t]*(?:\r?\n|\\+n)[ \t]{1,20}([^\s"'\\«»]{6,4096})/y;

/** A name and, on the next line, its value, as YAML writes long ones. */
function blockValue(text: string, { end }: Range, { kind }: SecretField): SecretSpan | undefined {
  BLOCK.lastIndex = end;
  const [whole, value = ""] = BLOCK.exec(text) ?? [];
  if (whole === undefined || !looksLikeCredential(value, 6)) return undefined;
  return { start: end + whole.length - value.length, end: end + whole.length, kind };
}

/** `name = value` as programs, settings and sentences write it: only what looks like a credential. */
function otherValue(text: string, { end }: Range, { kind, secrecy }: SecretField): SecretSpan | undefined {
  OTHER.lastIndex = end;
  const [whole, quote = "", quoted, bare] = OTHER.exec(text) ?? [];
  const value = quoted ?? bare;
  if (whole === undefined || value === undefined || !looksLikeCredential(value, 6)) return undefined;
  if (secretStart(value) === value.length) return undefined;
  if (secrecy === "if-drawn" && !(value.length >= 16 && looksRandom(value))) return undefined;
  // The path that `PWD` names.
  if (kind === "password" && /^(?:\/|[A-Z]:[\\/])/.test(value)) return undefined;
  const start = end + whole.length - quote.length - value.length;
  return { start: start + secretStart(value), end: start + value.length, kind };
}

function hidden(text: string, { start, end }: Range, field: SecretField): SecretSpan | undefined {
  const value = text.slice(start, end);
  if (!isSecretText(field, value)) return undefined;
  return { start: start + secretStart(value), end, kind: field.kind };
}

/** A name in a text that is followed by `:` or `=` and marks its value as a secret. */
interface NamedField {
  readonly start: number;
  /** Exclusive; quotes around the name are not part of it. */
  readonly end: number;
  readonly field: SecretField;
}

const MAX_NAME = 64;
const COLON = 58;
const SPACE = 32;
const BRACKET = 93;
const QUOTE = 34;
const APOSTROPHE = 39;
const BACKSLASH = 92;
const QUESTION = 63;
const AMPERSAND = 38;

const NAME_CODES = codesOf("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-");

// Names that have a meaning only in the query of a URL.
const QUERY_FIELDS: ReadonlyMap<string, SecretField> = new Map([
  ["sig", { secrecy: "always", kind: "signature" }],
  ["Signature", { secrecy: "if-drawn", kind: "signature" }],
  ["key", { secrecy: "if-drawn", kind: "key" }],
  ["code", { secrecy: "if-drawn", kind: "key" }],
  ["code_verifier", { secrecy: "if-drawn", kind: "key" }],
]);

const PRIVATE_PART: SecretField = { secrecy: "if-drawn", kind: "key" };

/** Finds the names before each `:` and `=` that say that their value is a secret, in order. */
function* namedFields(text: string, lookup: FieldLookup): Generator<NamedField> {
  let colon = text.indexOf(":");
  let equals = text.indexOf("=");
  while (colon !== -1 || equals !== -1) {
    const separator = colon === -1 || (equals !== -1 && equals < colon) ? equals : colon;
    const named = nameBefore(text, separator, lookup);
    if (named !== undefined) yield named;
    if (text.charCodeAt(separator) === COLON) colon = text.indexOf(":", separator + 1);
    else equals = text.indexOf("=", separator + 1);
  }
}

function nameBefore(text: string, separator: number, lookup: FieldLookup): NamedField | undefined {
  const end = nameEnd(text, separator);
  let start = end;
  while (start > 0 && end - start <= MAX_NAME && isNameCode(text.charCodeAt(start - 1))) start -= 1;
  // The letter of an escape is not part of a name: `\ntoken`.
  if (start > 0 && text.charCodeAt(start - 1) === BACKSLASH && end - start > 1) start += 1;
  if (start === end || end - start > MAX_NAME) return undefined;
  const name = text.slice(start, end);
  const before = text.charCodeAt(start - 1);
  const inQuery = before === QUESTION || before === AMPERSAND ? QUERY_FIELDS.get(name) : undefined;
  if (inQuery !== undefined) return { start, end, field: inQuery };
  if (KEY_PARTS.has(name)) return text.includes('"kty') ? { start, end, field: PRIVATE_PART } : undefined;
  const field = lookup(name);
  return field === undefined || isUser(text, start, end) ? undefined : { start, end, field };
}

const USER_END = /:[^\s/?#@"'<>\\]{1,256}@/y;

/** Returns true if a name is that of the user in a URL: `https://x-access-token:…@host`. */
function isUser(text: string, start: number, end: number): boolean {
  USER_END.lastIndex = end;
  return text.startsWith("//", start - 2) && USER_END.test(text);
}

/** Steps back over a few spaces and the name's closing quote with its backslashes. */
function nameEnd(text: string, separator: number): number {
  let end = separator;
  while (end > 0 && separator - end < 4 && text.charCodeAt(end - 1) === SPACE) end -= 1;
  if (text.charCodeAt(end - 1) === BRACKET && isQuote(text.charCodeAt(end - 2))) end -= 1;
  if (!isQuote(text.charCodeAt(end - 1))) return end;
  end -= 1;
  while (end > 0 && text.charCodeAt(end - 1) === BACKSLASH) end -= 1;
  return end;
}

function isQuote(code: number): boolean {
  return code === QUOTE || code === APOSTROPHE;
}

function isNameCode(code: number): boolean {
  return code < 128 && NAME_CODES[code] === 1;
}

function codesOf(characters: string): Uint8Array {
  const codes = new Uint8Array(128);
  for (const character of characters) codes[character.charCodeAt(0)] = 1;
  return codes;
}
