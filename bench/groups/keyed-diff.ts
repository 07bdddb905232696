import type { Contender, Role } from "../bench-case.ts";
import type { BenchGroup, Row } from "../bench-group.ts";
import { loadDiffer } from "../contenders/differs.ts";
import { type Document, documentOf, shuffled, withOneChange } from "../data/entities.ts";
import { loadPeer } from "../load-peer.ts";
import { measureRow } from "../measure.ts";
import { runScript } from "../run-script.ts";
import { medianOf } from "../timing.ts";

/** 1 MB as JSON. */
const MEGABYTE = 4900;
const MANY = 10_000;
const LIMIT = "fast-deep-equal, equal values";
const CAP_SECONDS = 30;

interface Question {
  readonly before: Document;
  readonly after: Document;
  readonly changes: number;
}

/** Compares documents whose array is keyed by `id`, where an order or a field changed. */
export const keyedDiff: BenchGroup = {
  name: "keyed-diff",
  question: "What changed in a document whose array is keyed by id: nothing, one field, or only the order?",
  run: async () => {
    const large = documentOf(MEGABYTE);
    return [
      await measureRow({
        name: "1 MB, equal",
        contenders: await contenders(["veritest, by index", "veritest", "microdiff"], {
          before: large,
          after: structuredClone(large),
          changes: 0,
        }),
        rounds: 9,
      }),
      await oneChange(large),
      await measureRow({
        name: "1,000 entities, one field changed",
        contenders: await contenders(["veritest", "jest-diff"], question(1000, withOneChange, 1)),
        rounds: 5,
      }),
      await shuffle(),
    ];
  },
};

async function oneChange(large: Document): Promise<Row> {
  const names = [
    "veritest",
    "veritest, normalized",
    "veritest, by index",
    "fast-json-patch",
    "microdiff",
    "jsondiffpatch",
    "json-diff-ts",
  ];
  return measureRow({
    name: "1 MB, one field changed",
    contenders: await contenders(names, { before: large, after: withOneChange(large), changes: 1 }),
    rounds: 7,
  });
}

async function shuffle(): Promise<Row> {
  const row = await measureRow({
    name: "10,000 entities, shuffled",
    contenders: await contenders(["veritest", "json-diff-ts"], question(MANY, shuffled, 0)),
    rounds: 7,
  });
  // Only of ours is the memory looked at: a small young generation would slow the peer.
  const ours = await diffOnce("veritest", ["--max-semi-space-size=1"]);
  const peer = await diffOnce("jsondiffpatch", []);
  const peerTime = peer?.["milliseconds"] ?? CAP_SECONDS * 1000;
  const metrics = [
    ...row.metrics,
    { name: "÷ jsondiffpatch", value: medianOf(row.timings, "veritest") / peerTime, unit: "×" },
    { name: "heap growth", value: ours?.["heapMegabytes"] ?? Number.NaN, unit: "MB" },
  ];
  const peerSays =
    peer === undefined
      ? `stopped after ${CAP_SECONDS} s`
      : `${peerTime.toFixed(0)} ms, ${(peer["changes"] ?? 0).toFixed(0)} moves, ${(peer["peakMegabytes"] ?? 0).toFixed(0)} MB`;
  return { ...row, metrics, notes: [`jsondiffpatch, one call in a process of its own: ${peerSays}`] };
}

/**
 * One comparison in a process of its own, where what it leaves in memory can be told; undefined when it was stopped.
 */
async function diffOnce(
  differ: string,
  flags: readonly string[],
): Promise<Readonly<Record<string, number>> | undefined> {
  return runScript({
    script: "diff-once.ts",
    args: [differ, String(MANY)],
    flags: ["--expose-gc", ...flags],
    capSeconds: CAP_SECONDS,
  });
}

function question(count: number, change: (document: Document) => Document, changes: number): Question {
  const before = documentOf(count);
  return { before, after: change(before), changes };
}

async function contenders(
  names: readonly string[],
  { before, after, changes }: Question,
): Promise<readonly Contender[]> {
  const all: Contender[] = [];
  for (const name of names) {
    const { compare, count } = await loadDiffer(name);
    const role: Role = name.startsWith("veritest") ? "ours" : "peer";
    const problemOf = (result: unknown): string | undefined =>
      count(result) === changes ? undefined : `expected ${changes} changes, found ${count(result)}`;
    all.push({ name, role, run: () => compare(before, after), problemOf });
  }
  return [...all, await limit(before)];
}

/** The least a differ must do: walk both values once. On equal values, for it stops at the first difference. */
async function limit(document: Document): Promise<Contender> {
  const deepEqual = await loadPeer("fast-deep-equal", "default");
  const copy = structuredClone(document);
  return {
    name: LIMIT,
    role: "limit",
    run: () => deepEqual(document, copy),
    problemOf: (result) => (result === true ? undefined : `expected true, found ${String(result)}`),
  };
}
