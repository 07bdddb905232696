import { typeName } from "../base/plain-data.ts";
import { truncate } from "../base/text.ts";
import { formatValue } from "./format-value.ts";
import { toldApart } from "./look-alikes.ts";

/** Characters of what both sides have in common that are shown before the first difference. */
const AROUND = 30;

/**
 * Writes the two sides of a change for people, each of at most about `maxLength` UTF-16 code units, so that they never
 * read the same: long ones from a little before where they differ, those that look alike with their code points, and a
 * Date and its ISO text with what they are. Never throws.
 */
export function formatSides(
  before: unknown,
  after: unknown,
  maxLength: number = Infinity,
): readonly [before: string, after: string] {
  const [was, is] = [formatValue(before), formatValue(after)];
  if (was === is) {
    const [left, right] = [truncate(was, maxLength), truncate(is, maxLength)];
    const [old, now] = [typeName(before), typeName(after)];
    return old === now ? [left, right] : [`${left} (${old})`, `${right} (${now})`];
  }
  const start = startOf(was, is, maxLength);
  const [left, right] = toldApart(was.slice(start), is.slice(start));
  const lead = start === 0 ? "" : `(+${start} characters) …`;
  return [`${lead}${truncate(left, maxLength)}`, `${lead}${truncate(right, maxLength)}`];
}

/** Where both are shown from: their beginning, unless nothing of the difference would be seen. */
function startOf(was: string, is: string, maxLength: number): number {
  if (Math.max(was.length, is.length) <= maxLength) return 0;
  const shared = sharedLength(was, is);
  if (shared < maxLength * 0.75) return 0;
  const start = Math.max(0, shared - Math.min(AROUND, Math.trunc(maxLength / 4)));
  // Not within a surrogate pair, nor within an escape.
  const text = was.slice(start, shared);
  return start + (/^(?:[\udc00-\udfff]|u?[0-9a-f]{1,4}(?=\\))/.exec(text)?.[0].length ?? 0);
}

function sharedLength(was: string, is: string): number {
  const end = Math.min(was.length, is.length);
  let shared = 0;
  while (shared < end && was.charCodeAt(shared) === is.charCodeAt(shared)) shared += 1;
  return shared;
}
