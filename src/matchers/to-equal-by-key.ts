import type { KeyBy, KeyFn } from "../kernel/diff/compare-rules.ts";
import { diff } from "../kernel/diff/diff.ts";
import type { DiffResult } from "../kernel/diff/entries.ts";
import { formatDiff } from "../kernel/diff/format-diff.ts";
import { entriesWithoutKeys, normalizeArrayForDiff, normalizeForDiff } from "../kernel/diff/keyed-lists.ts";
import { lossyPart } from "../kernel/json/stored-json.ts";
import { jsonOf } from "../kernel/json/canonical-json.ts";
import type { MatcherResult, MatcherContext } from "./matcher-context.ts";
import { bounded } from "./matcher-text.ts";

/** Changes before the rest is only counted, and characters of one value. */
const LIMITS = { maxEntries: 10, maxValueLength: 160 };

/**
 * Passes if two JSON values are equal, ignoring the order of keyed arrays. `keyBy` sets the key of each array by dot
 * path. If the value itself is an array, `keyBy` is the key of its elements.
 *
 * @example
 * expect(claims).toEqualByKey(expected, "id");
 * expect(output).toEqualByKey(expected, { claims: "id" });
 */
export function toEqualByKey(
  this: MatcherContext,
  received: unknown,
  expected: unknown,
  keyBy: KeyBy | KeyFn,
): MatcherResult {
  const values = [plain("expected", expected), plain("received", received)] as const;
  const diff = difference(...values, keyBy);
  if (this.isNot === true && !diff.equal) refuseIdleKeys(values, keyBy);
  const message = (): string => {
    if (diff.equal) return "toEqualByKey: expected a difference, got none";
    const lines = formatDiff(entriesWithoutKeys(diff), LIMITS).split("\n").map(bounded);
    return `toEqualByKey: the values differ (expected → received)\n${lines.join("\n")}`;
  };
  return { pass: diff.equal, message };
}

/** Returns a value as JSON data. Throws a TypeError for a value that JSON can't represent or would silently change. */
function plain(side: string, value: unknown): unknown {
  const data = jsonOf(value);
  const part = lossyPart(value);
  if (part !== undefined) throw new TypeError(`toEqualByKey: ${side} has ${part}, so it can't be compared`);
  return data;
}

/** Under `.not`, values would differ because of a key that names no list. */
function refuseIdleKeys(values: readonly unknown[], keyBy: KeyBy | KeyFn): void {
  const isIdle =
    typeof keyBy === "object"
      ? Object.keys(keyBy).length > 0 && values.every((value) => normalizeForDiff(value, keyBy) === value)
      : !values.some(Array.isArray);
  if (!isIdle) return;
  throw new TypeError(
    'toEqualByKey: under .not, keyBy must name a list of these values by its path, such as { claims: "id" }. ' +
      'For lists themselves, pass the key: toEqualByKey(expected, "id").',
  );
}

function difference(expected: unknown, received: unknown, keyBy: KeyBy | KeyFn): DiffResult {
  if (typeof keyBy === "object") return diff(expected, received, keyBy);
  // One alone is not keyed: it would equal the record that the other is.
  if (!Array.isArray(expected) || !Array.isArray(received)) return diff(expected, received);
  return diff(normalizeArrayForDiff(expected, keyBy), normalizeArrayForDiff(received, keyBy));
}
