import type { SecretField } from "./field-names.ts";

/** Tells what a name says about its value. */
export type FieldLookup = (name: string) => SecretField | undefined;

/** A name in a text that is followed by `:` or `=` and says that its value is a secret. */
export interface NamedField {
  readonly start: number;
  /** Exclusive; quotes around the name are no part of it. */
  readonly end: number;
  readonly field: SecretField;
}

const MAX_NAME = 64;
const COLON = 58;
const SPACE = 32;
const QUOTE = 34;
const APOSTROPHE = 39;
const BACKSLASH = 92;

const NAME_CODES = codesOf("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-");

/** Finds the names before each `:` and `=` that say that their value is a secret, in order. */
export function* namedFields(text: string, lookup: FieldLookup): Generator<NamedField> {
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
  // The letter of an escape is no part of a name: `\ntoken`.
  if (start > 0 && text.charCodeAt(start - 1) === BACKSLASH && end - start > 1) start += 1;
  if (start === end || end - start > MAX_NAME) return undefined;
  const name = text.slice(start, end);
  if (name === "sig")
    return /[?&]/.test(text[start - 1] ?? "")
      ? { start, end, field: { secrecy: "always", kind: "signature" } }
      : undefined;
  const field = lookup(name);
  return field === undefined ? undefined : { start, end, field };
}

/** Steps back over a few spaces and the name's closing quote with its backslashes. */
function nameEnd(text: string, separator: number): number {
  let end = separator;
  while (end > 0 && separator - end < 4 && text.charCodeAt(end - 1) === SPACE) end -= 1;
  const quote = text.charCodeAt(end - 1);
  if (quote !== QUOTE && quote !== APOSTROPHE) return end;
  end -= 1;
  while (end > 0 && text.charCodeAt(end - 1) === BACKSLASH) end -= 1;
  return end;
}

function isNameCode(code: number): boolean {
  return code < 128 && NAME_CODES[code] === 1;
}

function codesOf(characters: string): Uint8Array {
  const codes = new Uint8Array(128);
  for (const character of characters) codes[character.charCodeAt(0)] = 1;
  return codes;
}
