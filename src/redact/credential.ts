import type { SecretField } from "./field-names.ts";

const SCHEME = /^(?:Bearer|Basic|Digest|Token|ApiKey|Negotiate|AWS4-HMAC-SHA256)\s+/i;

// `5e-324` has a letter and digits, too.
const NUMBER = /^[+-]?[\d._]+(?:e[+-]?\d+)?n?$/i;

// What code says where a value would stand.
const REFERENCE = /^(?:process\.|import\.meta|os\.|env[.[]|\$|<|%[A-Za-z_]+%$)/;

// Credentials hold neither white space, quotes and brackets nor placeholders.
const CREDENTIAL = /^[^\s"'`{}[\]()<>«»,;\\]+$/;

/** Tells whether a text looks like a credential: one run of at least 8 characters, with letters and digits. */
export function looksLikeCredential(text: string, atLeast: number = 8): boolean {
  return (
    text.length >= atLeast &&
    CREDENTIAL.test(text) &&
    /[A-Za-z]/.test(text) &&
    /[0-9]/.test(text) &&
    !REFERENCE.test(text) &&
    !NUMBER.test(text)
  );
}

/** Tells whether the text of a field with this secrecy is a secret. */
export function isSecretText({ secrecy, kind }: SecretField, text: string): boolean {
  if (text === "") return false;
  // Cookies are also baked.
  if (kind === "cookie") return text.includes("=");
  return secrecy === "by-look" ? looksLikeCredential(text) : true;
}

/** Where the secret begins in a field's text: after the scheme of an `Authorization` header, else at its start. */
export function secretStart(text: string): number {
  return SCHEME.exec(text)?.[0].length ?? 0;
}
