import { isArray } from "../base/is-array.ts";
import { isPlainObject } from "../base/is-plain-object.ts";
import type { AdapterCall } from "./adapter-call.ts";

/** The call whose request differs from the given one in the fewest places; the earliest of equals. */
export function nearestCall(calls: readonly AdapterCall[], request: unknown): AdapterCall | undefined {
  let nearest: AdapterCall | undefined;
  let fewest = Infinity;
  for (const call of calls) {
    const differences = countDifferences(call.request, request);
    if (differences >= fewest) continue;
    nearest = call;
    fewest = differences;
  }
  return nearest;
}

function countDifferences(a: unknown, b: unknown): number {
  if (isArray(a) && isArray(b)) return countItems(a, b);
  if (isPlainObject(a) && isPlainObject(b)) return countFields(a, b);
  return Object.is(a, b) ? 0 : 1;
}

function countItems(a: readonly unknown[], b: readonly unknown[]): number {
  let count = 0;
  for (let index = 0; index < Math.max(a.length, b.length); index += 1) count += countDifferences(a[index], b[index]);
  return count;
}

function countFields(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): number {
  let count = 0;
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) count += countDifferences(a[key], b[key]);
  return count;
}
