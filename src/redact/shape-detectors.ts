import { wordSet, wordsOf } from "./words-of.ts";
import { looksRandom } from "./secret-looks.ts";
import { PLACEHOLDER } from "./placeholder.ts";

/**
 * Characters that may precede a token: none of a token's own, except as the end of an escape: `\n`, `\u000a`, `%3D`.
 */
const LEFT: string = String.raw`(?:(?<![A-Za-z0-9_-])|(?<=\\[bfnrt]|\\u[0-9a-fA-F]{4}|%[0-9a-fA-F]{2}))`;

/** Recognises one kind of secret by its shape. */
export interface Detector {
  /** Lower-case words joined by hyphens; part of the placeholder. */
  readonly kind: string;
  /**
   * Global. Linear: one run of characters is tried from one position only. The group `secret` is the secret, or the
   * complete match.
   */
  readonly pattern: RegExp;
  /** Confirms a match that the pattern alone cannot. */
  readonly confirms?: (secret: string, before: string) => boolean;
}

/** Number of characters before a secret that `confirms` gets. */
export const CONTEXT_BEFORE = 48;

/** Returns true if a token begins here, by the characters before it: a look-behind in the pattern would be too slow. */
function beginsToken(before: string): boolean {
  return (
    before === "" || !/[A-Za-z0-9_.+-]$/.test(before) || /(?:\\[bfnrt]|\\u[0-9a-fA-F]{4}|%[0-9a-fA-F]{2})$/.test(before)
  );
}

const ISSUERS: readonly RegExp[] = [
  /^4\d{15}$/, // Visa
  /^(?:5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12})$/, // Mastercard
  /^6(?:011|4[4-9]\d|5\d\d)\d{12}$/, // Discover
  /^35\d{14}$/, // JCB
  /^3[47]\d{13}$/, // American Express
  /^62\d{17}$/, // UnionPay of 19 digits
];

// Their 14 digits look like timestamps: only with a word for a card near them.
const DINERS = /^3(?:0[0-5]|[68]\d)\d{11}$/;

/** Nearly all numbers are smaller, and need not be written out. */
const SMALLEST_CARD = 300_000_000_000_000;

/** Returns true if a number is that of a payment card. */
export function isCard(value: number | bigint): boolean {
  return value >= SMALLEST_CARD && isCardNumber(String(value));
}

/**
 * Returns true if digits, in groups or not, are a payment card's number: a known issuer, and a right check digit
 * (Luhn).
 */
export function isCardNumber(text: string): boolean {
  const digits = text.replace(/[ -]/g, "");
  return ISSUERS.some((issuer) => issuer.test(digits)) && luhnSum(digits) % 10 === 0;
}

function isDiners(text: string): boolean {
  const digits = text.replaceAll(" ", "");
  return DINERS.test(digits) && luhnSum(digits) % 10 === 0;
}

const NUMBERED = /(?:(?:^|[^a-z])(?:id|order|invoice|tracking|ref|isbn|imei|ts)|[a-z](?:Id|_id))["']?/.source;
const ORDINAL = new RegExp(`${NUMBERED}(?: ?(?:no\\.?|number|#))? ?[:=#]? ?["']?$`, "i");

const NAME_BEFORE = /(?<name>[\w.-]{2,40})\\*["']?\s?[:=]\s?\\*["']?$/;

/** Returns true if the text before a number shows that it is an identifier: `"orderId":`, `tracking no. `. */
function isNumbered(before: string): boolean {
  return (
    !/card/i.test(before) && (ORDINAL.test(before) || isNumberName(NAME_BEFORE.exec(before)?.groups?.["name"] ?? ""))
  );
}

const CARD_WORDS =
  /card|visa|master|amex|american express|discover|jcb|union ?pay|\b(?:pan|cc)\b|credit|debit|charge|pa(?:id|y)/i;
const IN_DATA = /(?:^|["\\[,])\s{0,8}(?:\\*"\s{0,8}:\s{0,8})?\\*["']?$/;

/**
 * Returns true if digits are written as on a card, in groups, are a value of data, or follow a word for a card: of long
 * numbers in logs one in fifty has a right check digit.
 */
function isOfCard(digits: string, before: string): boolean {
  return /[ -]/.test(digits) || IN_DATA.test(before) || CARD_WORDS.test(before);
}

/** Words that are numbers already; a `line` or a `record` may contain one of a card. */
const NUMBERS = wordSet(
  "barcode booking ean epoch gtin id ids imei invoice isbn nonce offset order parcel ref reference seq sequence " +
    "serial shipment sku ticket timestamp tracking transaction ts upc",
);
/** Things with a number: `policyNumber`. A number of an account or a member may be that of a card. */
const NUMBERED_THINGS = wordSet("batch case claim contract customer document job line policy purchase receipt record");

/** Returns true if a field's name shows that its digits aren't those of a card: `id`, `orderNumber`, `tracking_no`. */
export function isNumberName(name: string): boolean {
  const words = wordsOf(name);
  if (words.some((word) => /^(?:pan|cc)$|card|credit|debit/.test(word))) return false;
  const last = words.at(-1) ?? "";
  if (NUMBERS.has(last)) return true;
  const before = words.at(-2) ?? "";
  return /^(?:number|numbers|num|no|nr)$/.test(last) && (NUMBERS.has(before) || NUMBERED_THINGS.has(before));
}

function luhnSum(digits: string): number {
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const digit = Number(digits[digits.length - 1 - index]);
    const doubled = index % 2 === 0 ? digit : digit * 2;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum;
}

// A placeholder in a user's name or a password is matched completely: its colons don't separate.
const USER = String.raw`(?:[^\s/?#:@"'<>\\«]|${PLACEHOLDER}|«(?!redacted:)){0,256}`;
const PASSWORD = String.raw`(?:[^\s/?#@"'<>\\«]|${PLACEHOLDER}|«(?!redacted:)){1,256}`;

const SIXTEEN_DIGITS = String.raw`(?:4\d{3}|5[1-5]\d\d|2[2-7]\d\d|6\d{3}|35\d\d)([ -]?)\d{4}\1\d{4}\1\d{4}`;
const FIFTEEN_DIGITS = String.raw`3[47]\d\d([ -]?)\d{6}\2\d{5}`;
const OTHER_DIGITS = String.raw`62\d{17}|3(?:0[0-5]|[68]\d)\d{11}|3(?:0[0-5]|[68]\d)\d ?\d{6} ?\d{4}`;
const CARD = new RegExp(String.raw`(?:${SIXTEEN_DIGITS}|${FIFTEEN_DIGITS}|${OTHER_DIGITS})(?![\w]|[.-]\d)`, "g");

/** Example passwords in explanations of a URL. */
const DUMMY = new RegExp(
  `^(?:${[
    "(?:some|my|your)?[-_]?(?:pass(?:word|wd)?|pwd|pw|secret|token)",
    String.raw`\$(?:\w{1,24}_)?(?:pass(?:word|wd)?|pwd|pw|token)`,
    "xyz|abc|foo|bar|baz|user|test|example|changeme|123|[a-z]|x{2,}",
    String.raw`\*+|\.{2,}|…|\$\{.*|\{\{?.*|\[.*|%.*%|%[sdv]`,
  ].join("|")})$`,
  "i",
);

// One length, so that the search can skip.
const CARD_DIGITS = /\d\d\d\d[ \-\d]\d\d\d/;

/**
 * Secrets known by their form, whoever issued them, by a test that every text with one of them passes. Keys of known
 * services are in key-detectors.ts.
 */
export const SHAPE_DETECTORS: readonly {
  readonly mayMatch: (text: string) => boolean;
  readonly detectors: readonly Detector[];
}[] = [
  {
    mayMatch: (text) => text.includes("://"),
    detectors: [
      {
        kind: "url-password",
        pattern: new RegExp(`://${USER}:(?<secret>${PASSWORD})@`, "g"),
        confirms: (secret) => !DUMMY.test(secret),
      },
      // A token as the user: `https://…@git.example.org`.
      { kind: "url-token", pattern: /:\/\/(?<secret>[\w-]{20,512})@/g, confirms: looksRandom },
    ],
  },
  {
    // Natively: a pattern takes three times as long.
    mayMatch: (text) =>
      text.includes("bearer") ||
      text.includes("basic") ||
      text.includes("Bearer") ||
      text.includes("Basic") ||
      text.includes("BEARER") ||
      text.includes("BASIC"),
    detectors: [
      {
        kind: "bearer",
        pattern: new RegExp(String.raw`${LEFT}[Bb](?:earer|EARER)(?:\s{1,4}|%20|\+)(?<secret>[\w.~+/=-]{16,})`, "g"),
        // "the bearer responsibilities…" isn't a token.
        confirms: (secret) => /\d/.test(secret),
      },
      {
        kind: "basic",
        pattern: new RegExp(
          String.raw`${LEFT}[Bb](?:asic|ASIC)(?:\s{1,4}|%20|\+)(?<secret>[A-Za-z0-9+/_-]{6,}={0,2})`,
          "g",
        ),
        confirms: (secret) => /^[\x20-\x7e]*:[\x20-\x7e]*$/.test(Buffer.from(secret, "base64").toString("latin1")),
      },
    ],
  },
  {
    // Times have as many digits as the search looks for, and events of streams have times.
    mayMatch: (text) =>
      CARD_DIGITS.test(text) && [...text.matchAll(CARD)].some(([digits]) => isCardNumber(digits) || isDiners(digits)),
    detectors: [
      {
        kind: "card-number",
        pattern: CARD,
        confirms: (digits, before) =>
          beginsToken(before) &&
          (isCardNumber(digits)
            ? isOfCard(digits, before) && !isNumbered(before)
            : isDiners(digits) && /card|diners/i.test(before)),
      },
    ],
  },
];
