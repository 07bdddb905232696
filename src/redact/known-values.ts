import { isSecretVariable } from "./field-names.ts";
import { DIRECTORY, looksRandom } from "./secret-looks.ts";
import type { SecretSpan } from "./secret-spans.ts";

/** A secret whose text is known, such as the value of an environment variable. */
export interface KnownSecret {
  /** Name of the secret, for its placeholder: `OPENAI_API_KEY` becomes `env-openai-api-key`. */
  readonly name: string;
  readonly value: string;
}

// Shorter values ("1", "true", "admin") are in too many innocent texts.
const MIN_LENGTH = 6;

/** Shorter forms are found only as words: six digits are also a part of longer numbers. */
const MIN_INSIDE = 8;

/** So many forms, those of two values, are sought sooner one by one than by a pattern. */
const FEW = 24;

/**
 * Returns the variables of an environment (such as `process.env`) that are secrets by their names. Skips values that
 * are a path, a single word of small letters, or shorter than 6 characters.
 */
export function secretVariables(env: Readonly<Record<string, string | undefined>>): readonly KnownSecret[] {
  return Object.entries(env).flatMap(([name, value]) =>
    value !== undefined &&
    value.length >= MIN_LENGTH &&
    isSecretVariable(name) &&
    !/^[a-z]{1,15}$/.test(value) &&
    !isPath(value)
      ? [{ name, value }]
      : [],
  );
}

/** Returns true if a text is an absolute path of readable names: keys of base64 may begin with a slash, too. */
function isPath(text: string): boolean {
  return DIRECTORY.test(text) && !text.split("/").some(looksRandom);
}

/**
 * Creates a search for known secrets in every form: unchanged, escaped in JSON, encoded for a URL, and in base64,
 * inside a longer one too. Values under 6 characters are not searched for.
 */
function knownValueFinder(secrets: readonly KnownSecret[]): (text: string) => readonly SecretSpan[] {
  return finderOf(secrets.map(({ name, value }) => [value, kindOf(name)]));
}

/** The same for secrets whose kinds are known: pairs of a value and its kind. */
export function finderOf(
  secrets: Iterable<readonly [value: string, kind: string]>,
): (text: string) => readonly SecretSpan[] {
  const kinds = new Map<string, string>();
  for (const [value, kind] of secrets) {
    if (value.length < MIN_LENGTH) continue;
    for (const form of formsOf(value)) if (!kinds.has(form)) kinds.set(form, kind);
  }
  if (kinds.size === 0) return () => [];
  // Longest first, since an alternation takes the first that fits.
  const forms = [...kinds.keys()].toSorted((a, b) => b.length - a.length);
  const any = new RegExp(forms.map(patternOf).join("|"));
  const all = new RegExp(any, "g");
  // Most texts have none, and this is the quickest check: one by one if they are few.
  const mayHold =
    forms.length <= FEW
      ? (text: string): boolean => forms.some((form) => text.includes(form))
      : (text: string): boolean => any.test(text);
  return (text) => {
    if (!mayHold(text)) return [];
    return [...text.matchAll(all)].flatMap(({ index, 0: start }) => {
      const form = start.length < MAX_PATTERN ? start : forms.find((long) => text.startsWith(long, index));
      return form === undefined ? [] : [{ start: index, end: index + form.length, kind: kinds.get(form) ?? "env" }];
    });
  };
}

function kindOf(name: string): string {
  const words = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
  return `env-${words}`.slice(0, 40);
}

function formsOf(value: string): readonly string[] {
  const json = JSON.stringify(value).slice(1, -1);
  const texts = [value, json, JSON.stringify(json).slice(1, -1), formEncoded(value)];
  const percent = percentEncoded(value);
  const bytes = Buffer.from(value);
  const base64 = [0, 1, 2].flatMap((shift) => base64At(bytes, shift));
  const forms = [
    percent,
    percent.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    ...base64,
    bytes.toString("hex"),
  ];
  return [...texts, ...forms.filter((form) => form.length >= MIN_INSIDE)];
}

/** The characters of base64 that the bytes alone decide when they begin `shift` bytes into a group of three. */
function base64At(bytes: Buffer, shift: number): readonly string[] {
  const encoded = Buffer.concat([Buffer.alloc(shift), bytes]).toString("base64");
  const start = Math.ceil((shift * 8) / 6);
  const end = Math.floor(((shift + bytes.length) * 8) / 6);
  const inner = encoded.slice(start, end);
  return [inner, inner.replaceAll("+", "-").replaceAll("/", "_")];
}

function percentEncoded(value: string): string {
  return value.isWellFormed() ? encodeURIComponent(value) : value;
}

function formEncoded(value: string): string {
  return percentEncoded(value).replaceAll("%20", "+");
}

/** Number of characters of a form that the expression has: with all of a long one it would be too large to compile. */
const MAX_PATTERN = 300;

function patternOf(form: string): string {
  return form.length < MIN_INSIDE
    ? `(?<![A-Za-z0-9])${escapePattern(form)}(?![A-Za-z0-9])`
    : escapePattern(form.slice(0, MAX_PATTERN));
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}

/** Secrets that are known by their texts. */
export interface KnownTexts {
  readonly values?: readonly KnownSecret[] | undefined;
  readonly patterns?: readonly string[] | undefined;
  readonly custom?: readonly ((text: string) => readonly string[])[] | undefined;
}

/** Finds secrets by their texts: known values in every form, and what patterns and functions name. */
export function knownTextFinder({
  values = [],
  patterns = [],
  custom = [],
}: KnownTexts): (text: string) => readonly SecretSpan[] {
  const known = knownValueFinder(values);
  const finders = [...custom, ...patterns.map(matcherOf)];
  if (finders.length === 0) return known;
  return (text) => [
    ...known(text),
    ...finders.flatMap((find) => find(text)).flatMap((secret) => occurrences(text, secret)),
  ];
}

function matcherOf(pattern: string): (text: string) => readonly string[] {
  const expression = new RegExp(pattern, "gu");
  return (text) => text.match(expression) ?? [];
}

function occurrences(text: string, secret: string): readonly SecretSpan[] {
  const spans: SecretSpan[] = [];
  if (secret === "") return spans;
  for (let start = text.indexOf(secret); start !== -1; start = text.indexOf(secret, start + secret.length)) {
    spans.push({ start, end: start + secret.length, kind: "custom" });
  }
  return spans;
}
