import type { KeyBy, KeyFn } from "../base/compare-rules.ts";
import { diff } from "../diff/diff.ts";
import { normalizeArrayForDiff, normalizeForDiff } from "../diff/normalize-for-diff.ts";
import { jsonOf } from "../base/canonical-json.ts";
import type { MatcherAnswer, MatcherContext } from "./context.ts";
import { diffLines } from "./words.ts";

/**
 * Passes for JSON values that are equal up to the order of keyed arrays. `keyBy` names the arrays by dot path, or is
 * the key of the elements when the value itself is an array.
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
): MatcherAnswer {
  const found = diff(keyed(expected, keyBy), keyed(received, keyBy));
  const message = (): string =>
    found.equal
      ? "toEqualByKey: expected a difference, found none"
      : `toEqualByKey: the values differ (expected → received)\n${diffLines(found.entries).join("\n")}`;
  return { pass: found.equal, message };
}

function keyed(value: unknown, keyBy: KeyBy | KeyFn): unknown {
  const data = jsonOf(value);
  if (typeof keyBy === "object") return normalizeForDiff(data, keyBy);
  return Array.isArray(data) ? normalizeArrayForDiff(data, keyBy) : data;
}
