import type { Tolerance } from "../base/compare-rules.ts";
import { stableStringify } from "../base/canonical-json.ts";
import { formatValue } from "./format-value.ts";

/** Characters of a value in a rule's name. */
const MAX_VALUE = 40;

/**
 * Tolerates a number that differs by at most `distance`. Throws a TypeError for a distance that is no number from 0.
 *
 * @example
 * defineStep({ …, compare: { "claims.confidence": within(0.05) } });
 */
export function within(distance: number): Tolerance {
  if (!(distance >= 0)) throw new TypeError(`within: the distance must be a number from 0, got ${String(distance)}.`);
  return {
    label: `within ${distance}`,
    tolerates: (before, after) => {
      if (typeof before !== "number" || typeof after !== "number") return false;
      // The slack of binary fractions: 0.85 and 0.9 are written 0.05 apart, and stored a little more.
      const slack = 4 * Number.EPSILON * Math.max(Math.abs(before), Math.abs(after));
      return Math.abs(after - before) <= distance + slack;
    },
  };
}

/** Tolerates any difference, also a value that came or went. */
export function ignore(): Tolerance {
  return { label: "ignored", tolerates: () => true };
}

/** Tolerates a new value that is one of these, compared as JSON. Throws a TypeError for no values. */
export function oneOf(...values: readonly unknown[]): Tolerance {
  if (values.length === 0) throw new TypeError("oneOf: give the values that may stand there.");
  const known = new Set(values.map(stableStringify));
  return {
    label: `one of ${values.map((value) => formatValue(value, MAX_VALUE)).join(", ")}`,
    tolerates: (_before, after) => after !== undefined && known.has(stableStringify(after)),
  };
}

/** Tolerates a new text that matches. */
export function matches(pattern: RegExp): Tolerance {
  // A sticky or global pattern keeps a place between calls: the answer must not depend on what was asked before.
  const own = new RegExp(pattern.source, pattern.flags.replaceAll(/[gy]/g, ""));
  return {
    label: `matches ${String(pattern)}`,
    tolerates: (_before, after) => typeof after === "string" && own.test(after),
  };
}
