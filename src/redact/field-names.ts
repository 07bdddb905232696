/** Certainty with which a field's name marks its value as a secret. */
type FieldSecrecy =
  /** Any text in it is a secret. */
  | "always"
  /** A text in it is a secret if it looks like a credential: `token` also names words of a language model. */
  | "by-look"
  /** A text in it is a secret if it looks random, which few texts do. */
  | "if-drawn"
  /** It contains secrets under their own names: `cookies`, `credentials`. */
  | "container";

/** Meaning of a field's name: its secrecy, and the kind its placeholder shows. */
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
  [/^(?:j|php|asp)sess(?:ion)?id$/, "session"],
];

const CONTAINERS: ReadonlySet<string> = new Set(["cookies", "credentials", "passwords", "secrets"]);

/** Purposes of keys that are secrets: `apiKey`, `secret_access_key`. Others (`primaryKey`, `sort_key`) are not. */
const KEYS: ReadonlySet<string> = new Set([
  "api",
  "access",
  "account",
  "auth",
  "encryption",
  "master",
  "private",
  "secret",
  "service",
  "shared",
  "signing",
  "subscription",
  "webhook",
]);

/** Purposes of keys that may be public: only a text that looks like a credential is a secret. */
const OPEN_KEYS: ReadonlySet<string> = new Set([
  "admin",
  "app",
  "application",
  "consumer",
  "function",
  "ingest",
  "insert",
  "integration",
  "license",
  "sdk",
  "server",
  "storage",
  "write",
]);

/** A variable of an environment with a secret word anywhere in its name: `KEY_OPENWEATHER`, `SMTP_PASS_2`. */
const VARIABLE = /^(?=.*_)[A-Z][A-Z0-9_]*$/;
const VARIABLE_WORDS: ReadonlySet<string> = new Set([
  "key",
  "apikey",
  "token",
  "secret",
  "password",
  "passwd",
  "pass",
  "pwd",
  "pat",
]);
const PLAIN_ENDS: ReadonlySet<string> = new Set(
  "id ids url uri path file dir name type count len length size limit ttl arn hash prefix policy version".split(" "),
);

/** Tokens that don't grant access: paging, and the units that language models read and write. */
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

/** Parts of which every name of a secret has one: most names have none, and need not be split. */
const TELLING = /pass|pwd|cv[vc]|auth|cookie|secret|key|token|jwt|sess|pat|connection|credential|bearer|signature/i;

/**
 * Returns the secrecy of a field by its name; undefined if the name isn't that of a secret. Names are compared as
 * words, whatever joins them: `apiKey`, `api_key`, `X-Api-Key`. `tokens`, `max_tokens`, `tokenCount`, `nextPageToken`
 * are not secrets.
 */
export function secretField(name: string): SecretField | undefined {
  if (!TELLING.test(name)) return undefined;
  const words = wordsOf(name);
  const last = words.at(-1) ?? "";
  const before = words.at(-2) ?? "";
  if (CONTAINERS.has(last)) return { secrecy: "container", kind: last };
  const end = ENDS.find(([pattern]) => pattern.test(last));
  if (end !== undefined) return { secrecy: "always", kind: end[1] };
  if (last === "key" && KEYS.has(before)) return { secrecy: "always", kind: "key" };
  if (last === "key" && OPEN_KEYS.has(before)) return { secrecy: "by-look", kind: "key" };
  if (last === "pass" || (last === "pat" && words.length > 1)) return { secrecy: "by-look", kind: "password" };
  if (last === "string" && before === "connection") return { secrecy: "by-look", kind: "connection-string" };
  if (last === "credential" || last === "bearer" || (last === "auth" && words.length <= 2))
    return { secrecy: "by-look", kind: last };
  if (last === "signature" && (before === "amz" || before === "goog")) return { secrecy: "always", kind: "signature" };
  return last === "token" ? tokenField(words) : variableField(name, words);
}

function variableField(name: string, words: readonly string[]): SecretField | undefined {
  if (!VARIABLE.test(name) || PLAIN_ENDS.has(words.at(-1) ?? "") || words.some((word) => PLAIN_TOKENS.has(word)))
    return undefined;
  if (/(?:PUBLIC|PRIMARY|FOREIGN|SORT|PARTITION)_KEY/.test(name)) return undefined;
  return words.some((word) => VARIABLE_WORDS.has(word)) ? { secrecy: "if-drawn", kind: "key" } : undefined;
}

function tokenField(words: readonly string[]): SecretField | undefined {
  if (words.length === 1) return { secrecy: "by-look", kind: "token" };
  return words.some((word) => PLAIN_TOKENS.has(word)) ? undefined : { secrecy: "always", kind: "token" };
}

/** The words of a name in lower case: `xApiKey`, `X-API-Key` and `x_api_key` all give x, api, key. */
export function wordsOf(name: string): readonly string[] {
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

/** Returns the secrecy of a field by its name. */
export type FieldLookup = (name: string) => SecretField | undefined;

/** Rules with a lookup of field names. */
export interface NameRules {
  readonly lookup: FieldLookup;
}

/** Makes the lookup of field names: added names, kept names, and the built-in meaning of names. */
export function fieldRules(added: readonly string[], kept: readonly string[]): FieldLookup {
  const isAdded = nameSet(added);
  const isKept = nameSet(kept);
  const known = new Map<string, SecretField | false>();
  return (name) => {
    const cached = known.get(name);
    if (cached !== undefined) return cached === false ? undefined : cached;
    const own = isAdded(name) ? CUSTOM : secretField(name);
    const field = own !== undefined && isKept(name) ? undefined : own;
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(name, field ?? false);
    return field;
  };
}

/** Returns a test for a list of names, however their words are joined. */
function nameSet(names: readonly string[]): (name: string) => boolean {
  if (names.length === 0) return () => false;
  const joined = new Set(names.map((name) => wordsOf(name).join("")));
  return (name) => joined.has(wordsOf(name).join(""));
}

const SCHEME = /^(?:Bearer|Basic|Digest|Token(?: token=)?|ApiKey|SSWS|Negotiate|AWS4-HMAC-SHA256)\s+|^base64:/i;

// `5e-324` has a letter and digits, too.
const NUMBER = /^[+-]?(?:[\d._]+(?:e[+-]?\d+)?n?|0x[\da-f]+)$/i;

// Forms of variables and placeholders in code and explanations.
const REFERENCE = /^(?:process\.|import\.meta|os\.|env[.[]|\$|<|=|%[A-Za-z_]+%$|\{\{|…|\.\.\.|\*\*|urn:)/;
const DOTTED = /^[A-Za-z_$#]+\d{0,3}[A-Za-z_$]*(?:\$\d)*(?:\.[A-Za-z_$]+\d{0,3}[A-Za-z_$]*)+$/;
const TYPES = "Credential|Token|Password|Secret|Key|Schema|Array|Type|Options|Header|Provider|Error";
const TYPE_NAME = new RegExp(String.raw`^[A-Za-z]{1,60}\d{0,4}[A-Za-z]{0,40}?(?:${TYPES})(?:\$\d)*$`);

/** Text that replaces a value is short; and a long text must not be tested at length. */
const MAX_CODE = 80;

/** Returns true if a text is an expression for a value: `${token}`, `<key>`, `zod_v1.string`, `X509Token`. */
export function isCode(text: string): boolean {
  return REFERENCE.test(text) || (text.length <= MAX_CODE && (DOTTED.test(text) || TYPE_NAME.test(text)));
}

// Texts of forms that weren't filled in, and versions of packages that are named after passwords.
const MESSAGE = /^[A-Z][^\n]{0,120}\b(?:required|invalid|missing|must|incorrect|expired|cannot|Invalid|Missing)\b/;
const WRONG = /^(?:Invalid|Missing|Incorrect|Wrong|Enter|Please) /;
const TEMPLATE = /^(?:\$\{[^}]*\}|\{\{[^}]*\}\}|<[\w -]+>|%\w+%|\*+|…|\.{3}.{0,3})$/;
const DIRECTORY = /^(?:\/[\w.-]+){2,}\/?$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d[\d:.]*(?:Z|[+-]\d\d:\d\d)$/;
const EMOJI = /^[^\0-\u00ff]{1,2}$/;
const RELEASE = /^[\^~]?\d{1,3}\.\d{1,3}\.\d{1,3}$/;

/** Returns true if a text under the name of a secret isn't one, by its content. */
function hasNoMeaning(text: string): boolean {
  return (
    TEMPLATE.test(text) ||
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

/** Returns true if the text of a field with this secrecy is a secret. */
export function isSecretText({ secrecy, kind }: SecretField, text: string): boolean {
  // A scheme without a credential.
  if (secretStart(text) === text.length) return false;
  // Cookies are also baked.
  if (kind === "cookie") return text.includes("=");
  // Connections without a password: `postgres://localhost/main`.
  if (kind === "connection-string" && /^[\w+]+:\/\/[^:@]*(?:@|$|:\d)/.test(text)) return false;
  if (secrecy === "by-look") return looksLikeCredential(text);
  return secrecy === "if-drawn" ? text.length >= 16 && looksRandom(text) : !hasNoMeaning(text);
}

/** Index at which the secret begins in a field's text: after the scheme of an `Authorization` header, or 0. */
export function secretStart(text: string): number {
  return SCHEME.exec(text)?.[0].length ?? 0;
}

/**
 * Meaning of the name before an item: names and values of headers also are lists, `["cookie", "a=b"]`. If the name may
 * not be a header's, the value must look like a credential: lists of words name secrets, too.
 */
export function headerField(items: readonly unknown[], index: number, { lookup }: NameRules): SecretField | undefined {
  const name = index % 2 === 1 ? items[index - 1] : undefined;
  if (typeof name !== "string" || name.length > 72) return undefined;
  if (/^[\w.-]{0,64}(?:authorization|cookie|-key|-token|-secret)$/i.test(name)) return lookup(name);
  const item = items[index];
  const atLeast = items.length === 2 ? 8 : 12;
  return typeof item === "string" &&
    (looksLikeCredential(item, atLeast) || item.includes("«redacted:")) &&
    /^[\w.-]{1,64}$/.test(name)
    ? lookup(name)
    : undefined;
}

/** The private parts of a JSON Web Key, which `kty` marks. */
export const KEY_PARTS: ReadonlySet<string> = new Set(["d", "p", "q", "dp", "dq", "qi", "k"]);

/** Names that have a meaning only next to certain others. */
export const BESIDE_OTHERS: ReadonlySet<string> = new Set([...KEY_PARTS, "value", "Value", "data", "stringData"]);

/** The name next to a value, as in lists of headers, variables and cookies: `{ name: "Authorization", value: "…" }`. */
export function pairName(fields: Readonly<Record<string, unknown>>, key: string): unknown {
  if (key === "value") return fields["name"] ?? fields["key"];
  return key === "Value" ? (fields["Name"] ?? fields["Key"]) : undefined;
}

/**
 * The field of a name, of `{ name: "Authorization", value: "…" }`, which is how some formats write headers, or of the
 * private part of a JSON Web Key.
 */
export function namedField(
  fields: Readonly<Record<string, unknown>>,
  { key, item }: { readonly key: string; readonly item: unknown },
  rules: NameRules,
): SecretField | undefined {
  if (key.length <= 2 && KEY_PARTS.has(key) && typeof fields["kty"] === "string" && typeof item === "string")
    return { secrecy: "always", kind: "key" };
  // A Secret of Kubernetes, whatever the names in it.
  if (/^(?:data|stringData)$/.test(key) && fields["kind"] === "Secret") return { secrecy: "container", kind: "secret" };
  const name = pairName(fields, key);
  return fieldOf(typeof name === "string" && /^[\w.-]{1,64}$/.test(name) ? name : key, item, rules);
}

/** Meaning of a name for its text, list or object. */
export function fieldOf(name: unknown, item: unknown, { lookup }: NameRules): SecretField | undefined {
  // A name doesn't make numbers and flags secret: `tokens: 12`, `secret: true`.
  return typeof name === "string" && (typeof item === "string" || typeof item === "object") ? lookup(name) : undefined;
}
