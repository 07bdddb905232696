import { stableStringify } from "../kernel/json/canonical-json.ts";
import { hashText } from "../kernel/json/hash.ts";
import { isObject } from "../kernel/json/plain-data.ts";
import { inOrderOfSecrets } from "../redact/placeholder.ts";
import type { PlaceholderNumbers } from "../redact/placeholder-numbers.ts";

/** Keys that distinguish requests within one process. */
export interface RequestKeys {
  /** Equal only for the same request, in any order of its fields. */
  readonly own: string;
  /** Equal also for requests that differ only in hidden secrets, as `requestIdentity` is. */
  readonly alike: string;
  /** False if the request can't have a placeholder of a secret. */
  readonly mayHideSecrets: boolean;
}

// A longer key would store the request in memory a second time.
const MAX_KEY_LENGTH = 1000;

interface KnownKeys extends RequestKeys {
  readonly adapter: string;
}

/** Keys of long requests without secrets: each is looked up, compared and explained by them. */
const knownKeys = new WeakMap<object, KnownKeys>();

/**
 * Returns the keys of a request. They are strings, because hashing a short one takes three times as long as writing it.
 * The request must not change later. With `numbers`, placeholders have the numbers of the recording.
 */
export function requestKeys(adapter: string, request: unknown, numbers?: PlaceholderNumbers): RequestKeys {
  const known = isObject(request) ? knownKeys.get(request) : undefined;
  if (known?.adapter === adapter) return known;
  const serialized = stableStringify([adapter, request]);
  const mayHideSecrets = serialized.includes("redacted") || serialized.includes("base64");
  if (!mayHideSecrets) {
    const key = keyOf(serialized);
    const keys = { adapter, own: key, alike: key, mayHideSecrets };
    if (key !== serialized && isObject(request)) knownKeys.set(request, keys);
    return keys;
  }
  const text = numbers?.resolvedText(serialized) ?? serialized;
  const alike = inOrderOfSecrets(text);
  const own = keyOf(text);
  return { own, alike: alike === text ? own : keyOf(alike), mayHideSecrets };
}

/**
 * Identifies a request across recordings: the hash of the adapter's path and its encoded arguments, in which
 * placeholders of hidden secrets count by the order in which they appear in it, since each recording numbers its own.
 * The request must not change later.
 */
export function requestIdentity(adapter: string, request: unknown): string {
  const { alike } = requestKeys(adapter, request);
  return isText(alike) ? hashText(alike) : alike;
}

function keyOf(text: string): string {
  return text.length > MAX_KEY_LENGTH ? hashText(text) : text;
}

/** Returns true for a key that is the request as JSON, not its hash. */
function isText(key: string): boolean {
  return key.startsWith("[");
}
