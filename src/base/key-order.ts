import { sortKeys, stringJson } from "./json-leaf.ts";

/**
 * The fields of objects of one shape in canonical order: each name as it is, as it stands in JSON when it comes first
 * (`{"a":`) and when it comes later (`,"a":`).
 */
export interface KeyOrder {
  readonly names: readonly string[];
  readonly openings: readonly string[];
  readonly prefixes: readonly string[];
}

interface KnownOrder extends KeyOrder {
  readonly listed: readonly string[];
}

// Records keyed by id have a shape of their own each; remembering those would only cost memory.
const MAX_NAMES = 32;
const MAX_BUCKETS = 256;
const MAX_PER_BUCKET = 8;

// Workflow data repeats few shapes, and sorting and quoting the names anew is what makes canonical writers slow.
const known = new Map<string, KnownOrder[]>();

/** Puts the keys of an object (`Object.keys`, left untouched) in canonical order; shapes met before are looked up. */
export function keyOrder(listed: readonly string[]): KeyOrder {
  const first = listed[0];
  if (first === undefined || listed.length > MAX_NAMES) return computeOrder(listed);
  const bucket = bucketOf(first);
  for (const order of bucket) if (sameNames(order.listed, listed)) return order;
  const order = computeOrder(listed);
  if (bucket.length === MAX_PER_BUCKET) bucket.length = 0;
  bucket.push(order);
  return order;
}

function bucketOf(first: string): KnownOrder[] {
  const found = known.get(first);
  if (found !== undefined) return found;
  if (known.size === MAX_BUCKETS) known.clear();
  const created: KnownOrder[] = [];
  known.set(first, created);
  return created;
}

function sameNames(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  // From the end: lists in one bucket begin alike.
  for (let index = a.length - 1; index >= 0; index -= 1) if (a[index] !== b[index]) return false;
  return true;
}

function computeOrder(listed: readonly string[]): KnownOrder {
  const names = sortKeys([...listed]);
  const quoted = names.map(stringJson);
  return {
    listed,
    names,
    openings: quoted.map((name) => `{${name}:`),
    prefixes: quoted.map((name) => `,${name}:`),
  };
}
