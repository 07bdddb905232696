import { cpuUsage } from "node:process";
import { diff, normalizeForDiff, stableStringify } from "../../src/kernel.ts";
import type { BenchGroup, Metric, Row } from "../bench-group.ts";
import { type Document, documentOf, shuffled, withOneChange } from "../data/entities.ts";
import { withFactor } from "../machine-factor.ts";
import { type Timing, median } from "../timing.ts";

const SIZES = [1000, 10_000, 100_000] as const;
const ROUNDS = 5;
const DEPTH = 10_000;
const KEYS = { items: "id" };

type Compare = (before: Document, after: Document) => { readonly entries: readonly unknown[] };

const byIndex: Compare = (before, after) => diff(before, after);
const byKey: Compare = (before, after) => diff(before, after, KEYS);

/** Compares ever larger documents. */
export const growth: BenchGroup = {
  name: "growth",
  question: "How does the cost of a diff grow with the number of entities, and does depth overflow?",
  run: async () => {
    const inOrder = curve("in order, one field changed", { compare: byIndex, change: withOneChange, changes: 1 });
    const keyed = curve("in order, by key, one field changed", { compare: byKey, change: withOneChange, changes: 1 });
    const { result: mixed, factor } = await withFactor(() =>
      curve("shuffled, by key", { compare: byKey, change: shuffled, changes: 0 }),
    );
    const largest = median(mixed.timings.at(-1)?.rounds ?? []) / factor;
    return [
      inOrder,
      keyed,
      { ...mixed, metrics: [...mixed.metrics, { name: "reference time", value: largest, unit: "ms" }] },
      depth(),
    ];
  },
};

interface Curve {
  readonly compare: Compare;
  readonly change: (document: Document) => Document;
  readonly changes: number;
}

function curve(name: string, question: Curve): Row {
  const timings = SIZES.map((size) => timingAt(size, question));
  const [small = Number.NaN, , large = Number.NaN] = timings.map(({ rounds }) => median(rounds));
  const metrics: readonly Metric[] = [
    { name: "100k ÷ 1k", value: large / small, unit: "×" },
    { name: "exponent", value: Math.log(large / small) / Math.log(100), unit: "" },
  ];
  return { name, timings, metrics, notes: [] };
}

function timingAt(size: number, { compare, change, changes }: Curve): Timing {
  const before = documentOf(size);
  const after = change(before);
  const found = compare(before, after).entries.length;
  if (found !== changes) throw new Error(`growth: expected ${changes} changes at ${size}, found ${found}.`);
  // The small size is called often enough to be compiled and above the clock's steps.
  const calls = SIZES[2] / size;
  const round = (): number => {
    const started = cpuUsage();
    for (let call = 0; call < calls; call += 1) compare(before, after);
    const { user, system } = cpuUsage(started);
    return (user + system) / 1000 / calls;
  };
  return { name: `${size.toLocaleString("en")} entities`, rounds: Array.from({ length: ROUNDS }, round) };
}

function depth(): Row {
  const before = nested("a");
  const after = nested("b");
  const { entries } = diff(normalizeForDiff(before, KEYS), normalizeForDiff(after, KEYS));
  const right = entries.length === 1 && entries[0]?.path.length === DEPTH && stableStringify(before).length > DEPTH;
  if (!right) throw new Error(`growth: a value ${DEPTH} deep is compared wrongly.`);
  return {
    name: `depth ${DEPTH.toLocaleString("en")}`,
    timings: [],
    metrics: [],
    notes: ["diff and canonical JSON do not overflow"],
  };
}

function nested(leaf: string): unknown {
  let value: unknown = leaf;
  for (let level = 0; level < DEPTH; level += 1) value = level % 2 === 0 ? { inner: value } : [value];
  return value;
}
