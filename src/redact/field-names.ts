/** How much a field's name says about its value. */
export type FieldSecrecy =
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
export function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}
