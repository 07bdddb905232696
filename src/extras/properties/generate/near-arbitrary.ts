import { listIn } from "../../../kernel/json/read-data.ts";
import * as fc from "fast-check";
import { isArray, isPlainObject } from "../../../kernel/json/plain-data.ts";

/** Change of one value. */
type Change = (value: unknown) => unknown;

/** Changes that real inputs have sooner or later; each leaves values of other types unchanged. */
const CHANGES: readonly Change[] = [
  (value) => value,
  (value) => (isArray(value) ? value.slice(1) : value),
  (value) => (isArray(value) ? value.toReversed() : value),
  (value) => (isArray(value) ? [...value, ...value.slice(-1)] : value),
  (value) => (isArray(value) ? [] : emptyOf(value)),
  (value) => (typeof value === "number" ? -value : value),
  (value) => (typeof value === "number" ? value * 1e9 : value),
  (value) => (typeof value === "number" ? value + 0.1 : value),
  (value) => (typeof value === "string" ? `${value} ` : value),
  (value) => (typeof value === "string" ? `e\u0301 👩‍👧 \u202e${value}` : value),
  (value) => (typeof value === "string" ? value.repeat(50) : value),
  (value) => (typeof value === "boolean" ? !value : value),
  (value) => (isPlainObject(value) ? Object.fromEntries(Object.entries(value).slice(1)) : value),
  (value) => (isPlainObject(value) ? Object.fromEntries(Object.entries(value).toReversed()) : value),
  () => null,
];

function emptyOf(value: unknown): unknown {
  if (typeof value === "string") return "";
  return typeof value === "number" ? 0 : value;
}

/** Numbers that choose one position: one of the values, one of its positions, one change. */
type Choice = readonly [value: number, place: number, change: number];

/**
 * Generates real values and values near them, mixed with those of an arbitrary: real inputs find more than random ones.
 * A change that doesn't pass the filter isn't used. Shrinks to the real value itself.
 */
export function nearArbitrary(
  random: fc.Arbitrary<unknown>,
  real: readonly unknown[],
  passes: (value: unknown) => boolean,
): fc.Arbitrary<unknown> {
  const fitting = real.filter(passes);
  if (fitting.length === 0) return random;
  const choice = fc.tuple(
    fc.nat({ max: fitting.length - 1 }),
    fc.nat({ max: 200 }),
    fc.nat({ max: CHANGES.length - 1 }),
  );
  const near = choice.map((chosen) => changed(chosen, fitting, passes));
  return fc.oneof({ weight: 1, arbitrary: random }, { weight: 2, arbitrary: near });
}

function changed(
  [value, position, change]: Choice,
  real: readonly unknown[],
  passes: (value: unknown) => boolean,
): unknown {
  const whole = structuredClone(real[value]);
  const positions = countPositions(whole);
  const changed = changeAt(whole, { left: position % positions }, CHANGES[change] ?? ((same) => same));
  return passes(changed) ? changed : whole;
}

function countPositions(value: unknown): number {
  const inner = isPlainObject(value) ? Object.values(value) : listIn(value);
  return inner.reduce<number>((sum, member) => sum + countPositions(member), 1);
}

/** Changes the value that is `left` positions further; the ones before it are counted down. */
function changeAt(value: unknown, count: { left: number }, change: Change): unknown {
  if (count.left === 0) {
    count.left -= 1;
    return change(value);
  }
  count.left -= 1;
  if (isArray(value)) return value.map((member) => changeAt(member, count, change));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, changeAt(member, count, change)]));
}
