import * as fc from "fast-check";
import { type SchemaCheck, checksOf, type SchemaDef } from "./schema-node.ts";

/** Texts that a schema of texts is about; what its other checks refuse is for the caller to leave out. */
export function textArbitrary(def: SchemaDef): fc.Arbitrary<string> {
  const checks = checksOf(def);
  const formats = checks.filter(({ check }) => check === "string_format");
  const named = formats.find(({ format }) => Object.hasOwn(FORMATS, String(format)));
  const length = lengthOf(checks);
  const special = named === undefined ? undefined : FORMATS[String(named["format"])]?.();
  const pattern = special === undefined ? formats.find(isPattern) : undefined;
  const text = special ?? (pattern === undefined ? anyText(length) : matching(pattern.pattern, length));
  // Parts that are added first may end up anywhere but at the ends.
  const frames = formats.toSorted((a, b) => Number("includes" in b) - Number("includes" in a));
  return frames.reduce(framed, text).map((arbitrary) => cased(arbitrary, formats));
}

interface Length {
  readonly minLength: number;
  readonly maxLength: number;
}

/** Length of a text without a bound: generated texts are short. */
const USUAL_LENGTH = 12;

function lengthOf(checks: readonly SchemaCheck[]): Length {
  const [exact] = numbersOf(checks, "length_equals", "length");
  const minLength = exact ?? Math.max(0, ...numbersOf(checks, "min_length", "minimum"));
  const most = Math.min(...numbersOf(checks, "max_length", "maximum"), Number.POSITIVE_INFINITY);
  return { minLength, maxLength: exact ?? Math.max(minLength, Math.min(most, minLength + USUAL_LENGTH)) };
}

/** The numbers of the checks of one kind. */
export function numbersOf(checks: readonly SchemaCheck[], kind: string, field: string): readonly number[] {
  return checks
    .filter(({ check }) => check === kind)
    .flatMap((check) => (typeof check[field] === "number" ? [check[field]] : []));
}

/** A pattern that fast-check cannot read, as with a lookahead, may still be met by chance. */
function matching(pattern: RegExp, length: Length): fc.Arbitrary<string> {
  try {
    return fc.stringMatching(pattern);
  } catch {
    return anyText(length);
  }
}

/** Generates mostly plain texts, and sometimes pasted ones: accents, emoji, spaces, but never half of a character. */
function anyText(length: Length): fc.Arbitrary<string> {
  const wide = fc
    .string({ ...length, unit: "grapheme" })
    .filter((text) => text.length >= length.minLength && text.length <= length.maxLength);
  return fc.oneof({ weight: 4, arbitrary: fc.string(length) }, { weight: 1, arbitrary: wide });
}

function isPattern(check: SchemaCheck): check is SchemaCheck & { readonly pattern: RegExp } {
  return check["pattern"] instanceof RegExp && !FRAMES.has(String(check["format"]));
}

const FRAMES: ReadonlySet<string> = new Set(["starts_with", "ends_with", "includes", "lowercase", "uppercase"]);

/** Puts before, behind and into a text what a schema wants there. */
function framed(text: fc.Arbitrary<string>, { prefix, suffix, includes }: SchemaCheck): fc.Arbitrary<string> {
  if (typeof prefix === "string") return text.map((body) => (body.startsWith(prefix) ? body : prefix + body));
  if (typeof suffix === "string") return text.map((body) => (body.endsWith(suffix) ? body : body + suffix));
  if (typeof includes !== "string") return text;
  return text.map((body) => (body.includes(includes) ? body : body + includes));
}

function cased(text: string, formats: readonly SchemaCheck[]): string {
  if (formats.some(({ format }) => format === "lowercase")) return text.toLowerCase();
  return formats.some(({ format }) => format === "uppercase") ? text.toUpperCase() : text;
}

/** Formats whose pattern is less strict than zod, or which fast-check cannot read. All others have a usable pattern. */
const FORMATS: Readonly<Record<string, () => fc.Arbitrary<string>>> = {
  email: () => fc.emailAddress(),
  url: () => fc.webUrl(),
  hostname: () => fc.domain(),
  emoji: () =>
    fc
      .array(fc.constantFrom("😀", "👍🏽", "🇳🇴", "👩‍👧"), { minLength: 1, maxLength: 3 })
      .map((parts) => parts.join("")),
  base64: () => fc.base64String(),
  base64url: () => fc.uint8Array({ maxLength: 16 }).map((bytes) => Buffer.from(bytes).toString("base64url")),
  jwt: () => fc.dictionary(fc.string(), fc.integer()).map(jwtOf),
  json_string: () => fc.json(),
  duration: () =>
    fc
      .tuple(fc.nat({ max: 99 }), fc.nat({ max: 11 }), fc.nat({ max: 30 }), fc.nat({ max: 23 }), fc.nat({ max: 59 }))
      .map(([years, months, days, hours, minutes]) => `P${years}Y${months}M${days}DT${hours}H${minutes}M`),
};

function jwtOf(claims: object): string {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${part({ alg: "HS256", typ: "JWT" })}.${part(claims)}.${part("signature")}`;
}
