import { isDeepStrictEqual } from "node:util";
import { isArray, isPlainObject } from "../../kernel/json/plain-data.ts";
import { stableStringify } from "../../kernel/json/canonical-json.ts";
import { sharedPart } from "../../kernel/text.ts";
import type { AdapterCall } from "../adapter-call.ts";

/**
 * Returns the call whose request differs least from the given one: in the fewest values, and in strings by the shared
 * part. Returns the earliest of equal calls. An HTTP request to the same address with the same method comes first, then
 * one to the same address.
 */
export function nearestCall(calls: readonly AdapterCall[], request: unknown): AdapterCall | undefined {
  const target = targetOf(request);
  const distances = calls.map((call) => distance(targetOf(call.request), target));
  // Only these are compared: requests are long.
  const closest = distances.reduce((least, other) => Math.min(least, other), Infinity);
  const candidates = calls.filter((_call, index) => distances[index] === closest);
  if (candidates.length <= 1) return candidates[0];
  let nearest: AdapterCall | undefined;
  let fewest = Infinity;
  for (const call of candidates) {
    const differences = countDifferences(call.request, request);
    if (differences >= fewest) continue;
    nearest = call;
    fewest = differences;
  }
  return nearest;
}

/** Method and address of an HTTP request; undefined for other requests. */
interface Target {
  readonly method: string;
  readonly address: string;
}

function targetOf(request: unknown): Target | undefined {
  const [first] = isArray(request) ? request : [];
  if (!isPlainObject(first)) return undefined;
  const { method, origin, path } = first;
  return typeof method === "string" && typeof path === "string"
    ? { method, address: `${String(origin)}${path}` }
    : undefined;
}

/** Returns true if a request isn't an HTTP request to another address, or with another method, than another one. */
export function hasSameTarget(a: unknown, b: unknown): boolean {
  return distance(targetOf(a), targetOf(b)) === 0;
}

/** The address counts more than the method. */
const OTHER_ADDRESS = 2;
const OTHER_METHOD = 1;

function distance(a: Target | undefined, b: Target | undefined): number {
  if (a === undefined || b === undefined) return 0;
  return (a.address === b.address ? 0 : OTHER_ADDRESS) + (a.method === b.method ? 0 : OTHER_METHOD);
}

function countDifferences(a: unknown, b: unknown): number {
  if (isArray(a) && isArray(b)) return countItems(a, b);
  if (isPlainObject(a) && isPlainObject(b)) return countFields(a, b);
  if (Object.is(a, b)) return 0;
  // If several requests differ in one value, the shared part decides which prompt was changed.
  return typeof a === "string" && typeof b === "string" ? 1 - sharedPart(a, b) / 2 : 1;
}

/** Elements that both lists have aren't compared by index: one in front, or one less, doesn't change the rest. */
function countItems(a: readonly unknown[], b: readonly unknown[]): number {
  const shared = Math.min(a.length, b.length);
  let start = 0;
  while (start < shared && isDeepStrictEqual(a[start], b[start])) start += 1;
  const [removed, added] = withoutShared(a.slice(start), b.slice(start));
  let count = 0;
  for (let index = 0; index < Math.max(removed.length, added.length); index += 1)
    count += countDifferences(removed[index], added[index]);
  return count;
}

function withoutShared(
  a: readonly unknown[],
  b: readonly unknown[],
): readonly [a: readonly unknown[], b: readonly unknown[]] {
  // They differ, and writing long ones as JSON takes longer than the search.
  if (a.length === 0 || b.length === 0 || (a.length === 1 && b.length === 1)) return [a, b];
  const left = Map.groupBy(b.keys(), (index) => textOf(b[index]));
  const removed = a.filter((item) => left.get(textOf(item))?.pop() === undefined);
  const added = new Set([...left.values()].flat());
  return [removed, b.filter((_item, index) => added.has(index))];
}

/** Texts of elements: each request is compared with each recorded one, and a long one takes long to write. */
const texts = new WeakMap<object, string>();

function textOf(item: unknown): string {
  if (typeof item !== "object" || item === null) return stableStringify(item);
  const known = texts.get(item);
  if (known !== undefined) return known;
  const text = stableStringify(item);
  texts.set(item, text);
  return text;
}

function countFields(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): number {
  let count = 0;
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) count += countDifferences(a[key], b[key]);
  return count;
}
