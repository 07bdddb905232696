import { diff, normalizeForDiff } from "../../src/index.ts";
import type { BenchCase, Contender } from "../bench-case.ts";
import { loadPeer } from "../load-peer.ts";
import { type Document, documentOf, shuffled, withOneChange } from "./entities.ts";

/** 1 MB as JSON. */
const MEGABYTE = 4900;
const MANY = 10_000;

/** Compares documents whose array is keyed by `id`, where an order or a field changed. */
export async function keyedDiff(): Promise<readonly BenchCase[]> {
  const deepEqual = await loadPeer("fast-deep-equal", "default");
  const peerDiff = await loadPeer("json-diff-ts", "diff");
  const contenders = (before: Document, after: Document, changes: number): readonly Contender[] => [
    ours(before, after, changes),
    peer(peerDiff, { before, after, changes }),
    limit(deepEqual, before),
  ];
  const large = documentOf(MEGABYTE);
  const many = documentOf(MANY);
  return [
    { name: `1 MB (${MEGABYTE} entities), one field changed`, contenders: contenders(large, withOneChange(large), 1) },
    { name: `${MANY} entities, shuffled`, contenders: contenders(many, shuffled(many), 0) },
  ];
}

function ours(before: Document, after: Document, changes: number): Contender {
  const keyBy = { items: "id" };
  return {
    name: "veritest",
    run: () => diff(normalizeForDiff(before, keyBy), normalizeForDiff(after, keyBy)),
    problemOf: (result) => {
      const entries: unknown = typeof result === "object" && result !== null ? Reflect.get(result, "entries") : undefined;
      const found = Array.isArray(entries) ? entries.length : Number.NaN;
      return found === changes ? undefined : `expected ${changes} changes, found ${found}`;
    },
  };
}

function peer(peerDiff: (...args: readonly unknown[]) => unknown, question: { readonly before: Document; readonly after: Document; readonly changes: number }): Contender {
  const { before, after, changes } = question;
  return {
    name: "json-diff-ts",
    run: () => peerDiff(before, after, { embeddedObjKeys: { items: "id" } }),
    problemOf: (result) => {
      const found = countLeaves(result);
      return found === changes ? undefined : `expected ${changes} changes, found ${found}`;
    },
  };
}

/** The least a differ must do: walk both values once. On equal values, for it stops at the first difference. */
function limit(deepEqual: (...args: readonly unknown[]) => unknown, document: Document): Contender {
  const copy = structuredClone(document);
  return {
    name: "limit: fast-deep-equal, equal values",
    run: () => deepEqual(document, copy),
    problemOf: (result) => (result === true ? undefined : `expected true, found ${String(result)}`),
  };
}

/** Counts the changes at the ends of a changeset of json-diff-ts, which nests them as the values are nested. */
function countLeaves(changes: unknown): number {
  if (!Array.isArray(changes)) return Number.NaN;
  return changes.reduce<number>((total, change: unknown) => {
    const inner: unknown = typeof change === "object" && change !== null ? Reflect.get(change, "changes") : undefined;
    return total + (inner === undefined ? 1 : countLeaves(inner));
  }, 0);
}
