import { type FieldLookup, type SecretField, isSecretText } from "./field-names.ts";
import { type NamedField, mayNameSecret, namedFields, queryFields } from "./key-words.ts";
import { findInLines } from "./marked-lines.ts";
import {
  isCode,
  looksLikeCredential,
  looksLikeName,
  looksMadeUp,
  looksRandom,
  secretStart,
  withoutAttributes,
} from "./secret-looks.ts";
import { type SecretSpan, outside } from "./secret-spans.ts";
import { findInTables } from "./find-in-tables.ts";
import { type Certainty, type ValueForm, formsBefore } from "./named-value-forms.ts";

/** Finds secrets that a name or a form of line in the text marks: `"apiKey": "…"`, `?token=…`, `--password …`. */
export function findNamed(text: string, lookup: FieldLookup): readonly SecretSpan[] {
  const hasKeyWord = mayNameSecret(text, lookup);
  const inLines = findInLines(text, hasKeyWord);
  if (!hasKeyWord) return /=|"\s{0,8}:/.test(text) ? [...valuesOf(text, queryFields(text)), ...inLines] : inLines;
  const names = namedFields(text, lookup);
  const inQueries = valuesOf(text, queryFields(text));
  const ranges = inQueries.map(({ start, end }) => [start, end] as const);
  return [
    ...inQueries,
    ...withoutContaining(inQueries, valuesOf(text, outside(names, ranges))),
    ...inLines,
    ...findInTables(text, names, lookup),
  ];
}

/** Leaves out the spans that contain a more exact one: `POST /token code=…`. A cookie is hidden as one. */
function withoutContaining(exact: readonly SecretSpan[], spans: readonly SecretSpan[]): readonly SecretSpan[] {
  let next = 0;
  return spans.filter(({ start, end, kind }) => {
    while ((exact[next]?.end ?? Infinity) <= start) next += 1;
    return kind === "cookie" || end <= (exact[next]?.start ?? Infinity);
  });
}

function valuesOf(text: string, names: readonly NamedField[]): readonly SecretSpan[] {
  const spans: SecretSpan[] = [];
  let end = 0;
  for (const name of names) {
    // A name inside a secret is a part of it.
    if (name.start < end) continue;
    const span = findValue(text, name);
    if (span === undefined) continue;
    spans.push(span);
    end = span.end;
  }
  return spans;
}

/** Returns true if any name in a text marks a value as a secret. */
export function namesField(text: string, lookup: FieldLookup): boolean {
  return text.includes('"kty') || (mayNameSecret(text, lookup) && namedFields(text, lookup).length > 0);
}

interface Range {
  readonly start: number;
  readonly end: number;
}

function findValue(text: string, name: NamedField): SecretSpan | undefined {
  const { field, start, end } = name;
  if (field.secrecy === "container") return undefined;
  const json = jsonValue(text, name);
  // A JSON field is judged as the field it is, and not by the looser forms too.
  if (json !== undefined) return spanOf(text, json, { field, certainty: "data" });
  const header = headerValue(text, name);
  if (header !== undefined || field.kind === "cookie") return header;
  const forms = formsBefore(text[end] ?? "\n");
  if (forms.length === 0) return undefined;
  const before = text.slice(Math.max(0, start - MAX_BEFORE), start);
  const sure = field.kind === "password" && USER_BEFORE.test(before) ? { ...field, secrecy: "always" as const } : field;
  for (const form of forms) {
    const span = valueIn(text, { form, before, name: { ...name, field: sure } });
    if (span !== undefined) return span;
  }
  return undefined;
}

/** A user's name before `pass`, which also is a result of tests. */
const USER_BEFORE = /\b(?:user(?:_?name)?|login|e-?mail|account)\b["']?\s?[:= ]\s?[^\n:=]{1,64}$/i;

/** Number of characters before a name that decide on its form. */
const MAX_BEFORE = 700;

interface FormAt {
  readonly form: ValueForm;
  readonly before: string;
  readonly name: NamedField;
}

function valueIn(text: string, { form, before, name }: FormAt): SecretSpan | undefined {
  const { after, certainty } = form;
  const prior = form.before?.exec(before);
  if (form.before !== undefined && prior === null) return undefined;
  if (after !== undefined) after.lastIndex = name.end;
  const match = after?.exec(text);
  if (match === null) return undefined;
  const groups = match?.indices?.groups;
  const [start, end] = groups?.["secret"] ?? groups?.["bare"] ?? [];
  if (start !== undefined && end !== undefined) return spanOf(text, { start, end }, { field: name.field, certainty });
  const [from = 0, to = 0] = prior?.indices?.groups?.["secret"] ?? [];
  const offset = name.start - before.length;
  return spanOf(text, { start: offset + from, end: offset + to }, { field: name.field, certainty });
}

function spanOf(
  text: string,
  { start, end }: Range,
  { field, certainty }: { readonly field: SecretField; readonly certainty: Certainty },
): SecretSpan | undefined {
  const value = text.slice(start, end).trimEnd();
  const from = secretStart(value);
  if (from === value.length || !counts(value.slice(from), field, certainty)) return undefined;
  return { start: start + from, end: start + value.length, kind: field.kind };
}

function counts(value: string, field: SecretField, certainty: Certainty): boolean {
  if (certainty === "data") return isSecretText(field, value);
  if (isCode(value) || (field.secrecy === "if-drawn" && !(value.length >= 16 && looksRandom(value)))) return false;
  if (/^\w{2,16}:\/\//.test(value)) return false;
  // The path that `PWD` names.
  if (field.kind === "password" && /^(?:\/|[A-Z]:[\\/])/.test(value)) return false;
  if (field.secrecy === "by-look" && looksLikeName(value)) return false;
  switch (certainty) {
    case "look":
      return looksLikeCredential(value, 6);
    case "line":
      return looksLikeCredential(value.replace(/[{}[\]<>,;]/g, "."), 6) && !/\w\(/.test(value);
    case "stated":
      return looksStated(value, field);
    case "random":
      return looksGenerated(value);
  }
}

function looksStated(value: string, { secrecy, kind }: SecretField): boolean {
  if (looksGenerated(value) || secrecy !== "always" || kind === "secret") return looksGenerated(value);
  return looksMadeUp(value) || (kind === "password" && looksLikeCredential(value, 6) && !looksLikeName(value));
}

function looksGenerated(value: string): boolean {
  return looksLikeCredential(value) && looksRandom(value) && !looksLikeName(value);
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

const HEADER = /\\*["'`]?\]?[ \t]{0,4}(?:=>|[:=,]|(?=[ \t]))[ \t]{0,4}\[?\\*["'`]?(?<value>[^\r\n«»]{1,4096})/dy;
const SCHEMED = /^(?<scheme>[A-Za-z][A-Za-z0-9-]{2,24})(?:\s+|%20|:\s*|\s*token=)["']?(?<credential>[^\s,;"'\\\]})]+)/;
const KNOWN_SCHEME = /^(?:Bearer|Basic|Digest|Token|ApiKey|SSWS|Negotiate)$/i;
/** Schemes whose credential is a list of parameters in quotes. */
const LISTED = /^(?:Digest|OAuth|Hawk|MAC|Signature|AWS4-HMAC-SHA256|Escher)\s/i;
const COOKIE = /=([^;\s"'\\]{8,})/g;

/** `Authorization: Bearer …` and `Cookie: a=b; c=d`, to the end of the line or of the quotes. */
function headerValue(text: string, { start, end, field }: NamedField): SecretSpan | undefined {
  if (field.kind !== "authorization" && field.kind !== "cookie") return undefined;
  HEADER.lastIndex = end;
  const [from, to] = HEADER.exec(text)?.indices?.groups?.["value"] ?? [];
  if (from === undefined || to === undefined) return undefined;
  const line = text.slice(from, to);
  const opened = /["'`]/.exec(text[from - 1] ?? "")?.[0] ?? /["'`]/.exec(text[start - 1] ?? "")?.[0];
  const value = LISTED.test(line) ? upTo(line, opened) : (/^[^"'\\]*/.exec(line)?.[0] ?? "");
  if (field.kind === "cookie") {
    const isCookie = [...value.matchAll(COOKIE)].some(
      ([, cookie = ""]) => looksRandom(cookie) || looksLikeCredential(cookie),
    );
    const cookie = /^set/i.test(text.slice(start, end)) ? withoutAttributes(value) : value;
    return isCookie ? { start: from, end: from + cookie.trimEnd().length, kind: field.kind } : undefined;
  }
  return schemedValue(value, from, field);
}

function upTo(line: string, quote: string | undefined): string {
  const end = quote === undefined ? -1 : line.indexOf(quote);
  return end === -1 ? line : line.slice(0, end).replace(/\\+$/, "");
}

function schemedValue(value: string, from: number, field: SecretField): SecretSpan | undefined {
  const match = SCHEMED.exec(value);
  const { scheme = "", credential = "" } = match?.groups ?? {};
  if (match === null || isCode(credential)) return undefined;
  const start = match[0].length - credential.length;
  if (LISTED.test(value))
    return /="[^"\s]{8,}"|=[\w+/=-]{8,}/.test(value)
      ? { start: from + start, end: from + value.trimEnd().length, kind: field.kind }
      : undefined;
  // Explanations write `Bearer <key>`.
  const isOne = KNOWN_SCHEME.test(scheme)
    ? credential.length >= 20 || looksLikeCredential(credential, 6)
    : looksLikeCredential(credential) && !looksLikeName(credential);
  return isOne ? { start: from + start, end: from + match[0].length, kind: field.kind } : undefined;
}
