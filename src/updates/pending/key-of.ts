import { hashText } from "../../kernel/json/hash.ts";
import type { PendingChange } from "./pending-change.ts";

/** Number of digits of a key, and of its beginning, which depends on the content of the change. */
const KEY = 12;
const OF_CONTENT = 8;

/**
 * Returns the key of a change on the command line. A later run may replace a change, which is stored by its target and
 * its test, with another result of them. So the beginning of a key is a hash of what accepting writes, and no beginning
 * of a key that was shown names another result. The last digits are those of the target and the test.
 */
export function keyOf({ key, before, after, replaces }: KeyedChange): string {
  const content = hashText(JSON.stringify([key, before, after, replaces ?? null])).replace("sha256:", "");
  return content.slice(0, OF_CONTENT) + key.slice(0, KEY - OF_CONTENT);
}

/** Fields of a change that its key depends on. */
type KeyedChange = Pick<PendingChange, "key" | "before" | "after" | "replaces">;

/** Returns true if a text is the key of an earlier change of the same target and test. */
export function isEarlierKey(text: string, change: KeyedChange): boolean {
  return text.length === KEY && text.slice(OF_CONTENT) === keyOf(change).slice(OF_CONTENT);
}
