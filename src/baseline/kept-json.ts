import { type HashedContent, hashWithContentSync } from "../base/hash.ts";
import { hideSecrets } from "./hide-secrets.ts";

/** What a file holds of a value: data with its keys in order, and the hash of its canonical JSON. */
export interface KeptJson extends Pick<HashedContent, "hash"> {
  readonly data: unknown;
}

/**
 * A value as a file may hold it, without its secrets. `known` is what was written and hashed of it when it was
 * compared: where that holds no secret it is what is kept, and nothing is written or hashed twice. Throws a TypeError
 * for a value JSON cannot hold.
 */
export function keptJson(value: unknown, known?: HashedContent): KeptJson {
  const hidden = hideSecrets(value, "value");
  if (known !== undefined && hidden === value) {
    const data: unknown = JSON.parse(known.content);
    // Both are searched: JSON may write as numbers what is a secret as bytes, and since the value was compared a test
    // may have changed it.
    if (hideSecrets(data, "value") === data) return { hash: known.hash, data };
  }
  const { hash, content } = hashWithContentSync(hidden);
  return { hash, data: JSON.parse(content) };
}
