import { wordsOf } from "./words-of.ts";

const SCHEME = /^(?:Bearer|Basic|Digest|Token(?: token=)?|ApiKey|SSWS|Negotiate|AWS4-HMAC-SHA256)\s+|^base64:/i;

// `5e-324` and the colour `#d8dee9` have a letter and digits, too.
const NUMBER = /^(?:[+-]?(?:[\d._]+(?:e[+-]?\d+)?n?|0x[\da-f]+)|#[\da-f]{3,8})$/i;

// Forms of variables and placeholders in code and explanations.
const REFERENCE = new RegExp(
  String.raw`^(?:process\.|import\.meta|os\.|env[.[]|\$|<|=|%[A-Za-z_]+%$|\{\{|…|\.\.\.|\*\*|urn:|s?cram-|` +
    String.raw`your[-_]\w{0,32}(?:key|token|secret|pass|pw|id))`,
  "i",
);
const DOTTED = /^[A-Za-z_$#]+\d{0,3}[A-Za-z_$]*(?:\$\d)*(?:\.[A-Za-z_$]+\d{0,3}[A-Za-z_$]*)+$/;
const TYPES = "Credential|Token|Password|Secret|Key|Schema|Array|Type|Options|Header|Provider|Error";
const TYPE_NAME = new RegExp(String.raw`^[A-Za-z]{1,60}\d{0,4}[A-Za-z]{0,40}?(?:${TYPES})(?:\$\d)*$`);

/** Names of encodings, hashes and protocols, which are written as a password of a word and a number is. */
const ENCODING =
  /^(?:base|utf|sha|md|bcrypt|argon|latin|oauth|pbkdf|ripemd|blake|chacha|windows-|curve|rsa|aes|http|tls)[-_]?\d/i;

/** Text that replaces a value is short; and a long text must not be tested at length. */
const MAX_CODE = 80;
const MAX_ENCODING = 20;

/** Returns true if a text is an expression for a value: `${token}`, `<key>`, `zod_v1.string`, `X509Token`. */
export function isCode(text: string): boolean {
  return (
    REFERENCE.test(text) ||
    (text.length <= MAX_CODE && ((DOTTED.test(text) && !isScrambled(text)) || TYPE_NAME.test(text))) ||
    (text.length <= MAX_ENCODING && ENCODING.test(text))
  );
}

/** Returns true if a part of a dotted name isn't made of words: `ozY.z0VNVvP`, unlike `config.s3Key`. */
function isScrambled(text: string): boolean {
  return text.split(".").some((part) => {
    const letters = part.replace(/[^A-Za-z]/g, "").length;
    return letters >= 3 && letters < (letters < 5 ? 2 : 2.5) * wordsOf(part).length;
  });
}

// Texts of forms that weren't filled in, and versions of packages that are named after passwords.
const MESSAGE = /^[A-Z][^\n]{0,120}\b(?:required|invalid|missing|must|incorrect|expired|cannot|Invalid|Missing)\b/;
const WRONG = /^(?:Invalid|Missing|Incorrect|Wrong|Enter|Please) /;
const TEMPLATE =
  /^(?:[[<(]?(?:redacted|filtered|masked|hidden)[\])>]?|\$\{[^}]*\}|\{\{[^}]*\}\}|<[\w -]+>|%\w+%|\*+|…|\.{3}.{0,3})$/i;
/** A variable of a shell: a password that begins with a dollar sign isn't all in capitals. */
const SHELL_VARIABLE = /^\$[A-Z][A-Z_]{2,}\d?$/;
/** An absolute path of at least two names. */
export const DIRECTORY: RegExp = /^(?:\/[\w.-]+){2,}\/?$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d[\d:.]*(?:Z|[+-]\d\d:\d\d)$/;
const EMOJI = /^[^\0-\u00ff]{1,2}$/;
const RELEASE = /^[\^~]?\d{1,3}\.\d{1,3}\.\d{1,3}$/;

/** Returns true if a text under the name of a secret isn't one, by its content. */
export function hasNoMeaning(text: string): boolean {
  return (
    TEMPLATE.test(text) ||
    SHELL_VARIABLE.test(text) ||
    RELEASE.test(text) ||
    DIRECTORY.test(text) ||
    EMOJI.test(text) ||
    INSTANT.test(text) ||
    (text.includes(" ") && (MESSAGE.test(text) || WRONG.test(text)))
  );
}

const RUN = /[A-Za-z0-9]{12,}/g;

/**
 * Returns true if a text looks random, so that it doesn't appear by chance: of at least 8 characters three of capitals,
 * small letters, digits and other signs, or a run of 12 letters and digits with both.
 */
export function looksRandom(text: string): boolean {
  if (text.length < 8 || /\s/.test(text) || isCode(text) || NUMBER.test(text)) return false;
  const classes = [/[a-z]/, /[A-Z]/, /[0-9]/, /[^\w.:/%-]/].filter((pattern) => pattern.test(text)).length;
  return classes >= 3 || (text.match(RUN) ?? []).some((run) => /[0-9].*[0-9]/.test(run) && /[A-Za-z]/.test(run));
}

// Credentials have neither white space, quotes and brackets nor placeholders.
const CREDENTIAL = /^[^\s"'`{}[\]()<>«»,;\\]+$/;

// A sentence of a script that writes no spaces.
const WIDE = /[^\0-\u00ff]/;

/** Returns true if a text looks like a credential: one run of at least 8 characters, with letters and digits. */
export function looksLikeCredential(text: string, atLeast: number = 8): boolean {
  return (
    text.length >= atLeast &&
    CREDENTIAL.test(text) &&
    !WIDE.test(text) &&
    /[A-Za-z]/.test(text) &&
    /[0-9]/.test(text) &&
    !isCode(text) &&
    !NUMBER.test(text)
  );
}

const WORD_AND_NUMBER = /^[A-Za-z]*\d{0,4}$/;

/**
 * Returns true if a text is made of words and short numbers, as names in programs are: `TestParse2`, `oauth2`,
 * `step-12`. Passwords that people make up may be, too.
 */
export function looksLikeName(text: string): boolean {
  return text.split(/[^A-Za-z0-9]+/).every((part) => {
    const letters = part.replace(/\d+$/, "");
    return (
      WORD_AND_NUMBER.test(part) &&
      (part.length <= 2 || letters === "" || letters.length >= 3 * wordsOf(letters).length)
    );
  });
}

const WORD_WITH_NUMBER = /^[A-Za-z]{4,16}\d{2,4}[!?$*]?$/;

/**
 * Returns true if a text is like a password that a person makes up of words, signs and digits: `blue-kettle-42`,
 * `kettle42`.
 */
export function looksMadeUp(text: string): boolean {
  return (
    (/^[A-Za-z]{2,}(?:[^A-Za-z0-9/.:]\w{2,}){1,4}(?:[^\w\s/.:-]\d)?$/.test(text) || WORD_WITH_NUMBER.test(text)) &&
    !isCode(text) &&
    looksLikeCredential(text, 6)
  );
}

/** Index at which the secret begins in a field's text: after the scheme of an `Authorization` header, or 0. */
export function secretStart(text: string): number {
  return SCHEME.exec(text)?.[0].length ?? 0;
}

/** Attributes of a cookie, which follow its value: an expression. */
export const COOKIE_ATTRIBUTES = "(?:domain|expires|max-age|path|priority|samesite)";

const ONLY_ATTRIBUTES = new RegExp(
  String.raw`(?:;\s{0,4}(?:${COOKIE_ATTRIBUTES}=[^;=]{0,200}|httponly|secure|partitioned)){1,9};?\s*$`,
  "i",
);

/** The text of a `Set-Cookie` header without the attributes of its cookie; other cookies can follow them. */
export function withoutAttributes(text: string): string {
  return text.replace(ONLY_ATTRIBUTES, "");
}

const NO_VALUE_OF_COOKIE = new RegExp(
  String.raw`[^\s=;,]+=[\\"]*«redacted:[^»]*»|[;,]\s*${COOKIE_ATTRIBUTES}=[^;]*`,
  "gi",
);

/** Returns true if a text has a value of a cookie: a redacted cookie keeps its name and attributes. */
export function hasCookieValue(text: string): boolean {
  return text.replaceAll(NO_VALUE_OF_COOKIE, "").includes("=");
}
