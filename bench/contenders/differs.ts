import { diff, normalizeForDiff } from "../../src/kernel.ts";
import type { Document } from "../data/entities.ts";
import { loadPeer, member, methodOf } from "../load-peer.ts";

/** One way to compare two documents whose array is keyed by `id`. */
export interface Differ {
  readonly compare: (before: Document, after: Document) => unknown;
  /** How many changes a result lists; NaN when it is no result. */
  readonly count: (result: unknown) => number;
}

/** What can compare documents, by name. Each loads its library only when asked for. */
const DIFFERS: Readonly<Record<string, () => Promise<Differ>>> = {
  veritest: async () => ({
    compare: (before, after) => diff(before, after, { items: "id" }),
    count: (result) => lengthOf(member(result, "entries")),
  }),
  "veritest, normalized": async () => ({
    compare: (before, after) =>
      diff(normalizeForDiff(before, { items: "id" }), normalizeForDiff(after, { items: "id" })),
    count: (result) => lengthOf(member(result, "entries")),
  }),
  "veritest, by index": async () => ({ compare: diff, count: (result) => lengthOf(member(result, "entries")) }),
  "json-diff-ts": async () => {
    const peer = await loadPeer("json-diff-ts", "diff");
    return {
      compare: (before, after) => peer(before, after, { embeddedObjKeys: { items: "id" } }),
      count: countNested,
    };
  },
  jsondiffpatch: async () => {
    const create = await loadPeer("jsondiffpatch", "create");
    const compare = methodOf(create({ objectHash: (item: unknown) => member(item, "id") }), "diff");
    return { compare, count: countDelta };
  },
  "fast-json-patch": async () => ({ compare: await loadPeer("fast-json-patch", "compare"), count: lengthOf }),
  microdiff: async () => ({ compare: await loadPeer("microdiff", "default"), count: lengthOf }),
  "jest-diff": async () => ({ compare: await loadPeer("jest-diff", "diff"), count: countLines }),
};

/** Loads a differ by name. */
export async function loadDiffer(name: string): Promise<Differ> {
  const load = DIFFERS[name];
  if (load === undefined)
    throw new Error(`No differ is called ${name}. Available: ${Object.keys(DIFFERS).join(", ")}.`);
  return load();
}

function lengthOf(list: unknown): number {
  return Array.isArray(list) ? list.length : Number.NaN;
}

/** Counts the changes at the ends of a changeset of json-diff-ts, which nests them as the values are nested. */
function countNested(changes: unknown): number {
  if (!Array.isArray(changes)) return Number.NaN;
  return changes.reduce<number>((total, change: unknown) => {
    const inner = member(change, "changes");
    return total + (inner === undefined ? 1 : countNested(inner));
  }, 0);
}

/** Counts the leaves of a jsondiffpatch delta, which are arrays; moves count. */
function countDelta(delta: unknown): number {
  if (delta === undefined) return 0;
  if (Array.isArray(delta)) return 1;
  if (typeof delta !== "object" || delta === null) return 0;
  return Object.values(delta).reduce<number>((total, inner: unknown) => total + countDelta(inner), 0);
}

/** jest-diff prints a removed and an added line for a changed field. */
function countLines(text: unknown): number {
  if (typeof text !== "string") return Number.NaN;
  return text.split("\n").filter((line) => /^(?:\u001B\[\d+m)?\+ {2}/.test(line)).length;
}
