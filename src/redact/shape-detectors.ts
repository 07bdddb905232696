import { isCardNumber } from "./card-number.ts";
import { type Detector, LEFT, beginsToken, prefixed } from "./detector.ts";

// One that stands in a user's name or a password is taken whole: the colons in it part nothing.
const PLACEHOLDER = "«redacted:[a-z0-9-]{1,40}:[0-9a-f]{8}»";

const CARD =
  /(?:(?:4\d{3}|5[1-5]\d\d|2[2-7]\d\d|6\d{3}|35\d\d)([ -]?)\d{4}\1\d{4}\1\d{4}|3[47]\d\d([ -]?)\d{6}\2\d{5})(?![\w]|[.-]\d)/g;

/** Secrets known by their form, whoever issued them. */
export const SHAPE_DETECTORS: readonly Detector[] = [
  prefixed("jwt", "eyJ", String.raw`eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*`),
  {
    kind: "url-password",
    hint: /:\/\//,
    pattern: new RegExp(
      String.raw`://(?:${PLACEHOLDER}|(?!«redacted:)[^\s/?#:@"'<>\\]){0,256}:(?<secret>(?:${PLACEHOLDER}|(?!«redacted:)[^\s/?#@"'<>\\]){1,256})@`,
      "g",
    ),
  },
  {
    kind: "webhook-url",
    hint: /\/(?:hooks\.slack\.com|api\/webhooks)\//,
    pattern:
      /(?:hooks\.slack\.com\/(?:services|workflows|triggers)\/|discord(?:app)?\.com\/api\/webhooks\/)(?<secret>[\w/-]{20,})/g,
  },
  {
    kind: "bearer",
    hint: /earer|EARER/,
    pattern: new RegExp(String.raw`${LEFT}[Bb](?:earer|EARER)(?:\s{1,4}|%20|\+)(?<secret>[\w.~+/=-]{16,})`, "g"),
    // "the bearer responsibilities…" is no token.
    confirms: (secret) => /\d/.test(secret),
  },
  {
    kind: "basic",
    hint: /asic|ASIC/,
    pattern: new RegExp(
      String.raw`${LEFT}[Bb](?:asic|ASIC)(?:\s{1,4}|%20|\+)(?<secret>[A-Za-z0-9+/_-]{6,}={0,2})`,
      "g",
    ),
    confirms: (secret) => /^[\x20-\x7e]*:[\x20-\x7e]*$/.test(Buffer.from(secret, "base64").toString("latin1")),
  },
  {
    kind: "card-number",
    hint: /\d{4}[ -]?\d{4}/,
    pattern: CARD,
    confirms: (digits, before) => beginsToken(before) && isCardNumber(digits),
  },
];
