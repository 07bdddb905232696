/** How much a field's name says about its value. */
type FieldSecrecy =
  /** Any text in it is a secret. */
  | "always"
  /** A text in it is a secret if it looks like a credential: `token` also names words of a language model. */
  | "by-look"
  /** It holds secrets under names of its own: `cookies`, `credentials`. */
  | "container";

/** What a field's name says: its secrecy, and the kind its placeholder shows. */
export interface SecretField {
  readonly secrecy: FieldSecrecy;
  readonly kind: string;
}

/**
 * The ends of names that say enough by themselves, also where words run together (`PGPASSWORD`), and the kind of each.
 */
const ENDS: readonly (readonly [end: RegExp, kind: string])[] = [
  [/(?:password|passwd|passphrase|passcode)$|^(?:pwd|cvv|cvc)$/, "password"],
  [/^authorization$/, "authorization"],
  [/^cookie$/, "cookie"],
  [/secret$/, "secret"],
  [/(?:api|access|private|secret)key$/, "key"],
  [/(?:api|access|auth|refresh|session|bearer)token$|^jwt$/, "token"],
];

const CONTAINERS: ReadonlySet<string> = new Set(["cookies", "credentials", "passwords", "secrets"]);

/** What a key is for, when it is a secret: `apiKey`, `secret_access_key`. Others (`primaryKey`, `sort_key`) are not. */
const KEYS: ReadonlySet<string> = new Set([
  "api",
  "access",
  "account",
  "auth",
  "encryption",
  "license",
  "master",
  "private",
  "secret",
  "service",
  "shared",
  "signing",
  "subscription",
  "webhook",
]);

/** What a token is of, when it is none that lets anybody in: paging, and what language models read and write. */
const PLAIN_TOKENS: ReadonlySet<string> = new Set([
  "bos",
  "cls",
  "completion",
  "continuation",
  "cursor",
  "delta",
  "end",
  "eos",
  "eot",
  "first",
  "image",
  "input",
  "last",
  "mask",
  "max",
  "min",
  "next",
  "output",
  "pad",
  "page",
  "per",
  "prompt",
  "sep",
  "special",
  "start",
  "stop",
  "sync",
  "text",
  "top",
  "unk",
  "word",
]);

/**
 * Tells what a field's name says about its value; undefined when nothing. Names are compared as words, whatever joins
 * them: `apiKey`, `api_key`, `X-Api-Key`. `tokens`, `max_tokens`, `tokenCount`, `nextPageToken` are no secrets.
 */
export function secretField(name: string): SecretField | undefined {
  const words = wordsOf(name);
  const last = words.at(-1) ?? "";
  const before = words.at(-2) ?? "";
  if (CONTAINERS.has(last)) return { secrecy: "container", kind: last };
  const end = ENDS.find(([pattern]) => pattern.test(last));
  if (end !== undefined) return { secrecy: "always", kind: end[1] };
  if (last === "key") return KEYS.has(before) ? { secrecy: "always", kind: "key" } : undefined;
  if (last === "string" && before === "connection") return { secrecy: "by-look", kind: "connection-string" };
  if (last === "credential" || last === "bearer" || (last === "auth" && words.length <= 2))
    return { secrecy: "by-look", kind: last };
  if (last === "signature" && (before === "amz" || before === "goog")) return { secrecy: "always", kind: "signature" };
  return last === "token" ? tokenField(words) : undefined;
}

function tokenField(words: readonly string[]): SecretField | undefined {
  if (words.length === 1) return { secrecy: "by-look", kind: "token" };
  return words.some((word) => PLAIN_TOKENS.has(word)) ? undefined : { secrecy: "always", kind: "token" };
}

/** The words of a name in lower case: `xApiKey`, `X-API-Key` and `x_api_key` all give x, api, key. */
function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}

const CUSTOM: SecretField = { secrecy: "always", kind: "field" };

// A run meets few names; a step over data that is keyed by ids must not keep them all.
const MAX_KNOWN = 2000;

/** Tells what a name says about its value. */
export type FieldLookup = (name: string) => SecretField | undefined;

/** Rules that know what a field's name says. */
export interface NameRules {
  readonly lookup: FieldLookup;
}

/** Makes the lookup of field names: names added, names kept, and else what every name says by itself. */
export function fieldRules(added: readonly string[], kept: readonly string[]): FieldLookup {
  const isAdded = nameSet(added);
  const isKept = nameSet(kept);
  const known = new Map<string, SecretField | false>();
  return (name) => {
    const found = known.get(name);
    if (found !== undefined) return found === false ? undefined : found;
    const joined = wordsOf(name).join("");
    const own = isAdded.has(joined) ? CUSTOM : secretField(name);
    const field = isKept.has(joined) ? undefined : own;
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(name, field ?? false);
    return field;
  };
}

function nameSet(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.map((name) => wordsOf(name).join("")));
}

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

/** What the name before an item says of it: names and values of headers also come as lists, `["cookie", "a=b"]`. */
export function headerField(items: readonly unknown[], index: number, { lookup }: NameRules): SecretField | undefined {
  const name = index % 2 === 1 ? items[index - 1] : undefined;
  if (typeof name !== "string" || !/^[\w.-]{0,64}(?:authorization|cookie|-key|-token|-secret)$/i.test(name))
    return undefined;
  return lookup(name);
}

/** The field of a name, or of `{ name: "Authorization", value: "…" }`, which is how some formats write headers. */
export function namedField(
  fields: Readonly<Record<string, unknown>>,
  { key, item }: { readonly key: string; readonly item: unknown },
  rules: NameRules,
): SecretField | undefined {
  const name = key === "value" ? (fields["name"] ?? fields["key"]) : undefined;
  return fieldOf(typeof name === "string" && /^[\w.-]{1,64}$/.test(name) ? name : key, item, rules);
}

/** What a name says of the text, list or object that stands under it. */
export function fieldOf(name: unknown, item: unknown, { lookup }: NameRules): SecretField | undefined {
  // Numbers and flags are no secrets by their name: `tokens: 12`, `secret: true`.
  return typeof name === "string" && (typeof item === "string" || typeof item === "object") ? lookup(name) : undefined;
}
