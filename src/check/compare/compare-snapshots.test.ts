import { expect, test } from "vitest";
import {
  type Snapshot,
  captureArtifactSync,
  createSnapshot,
  kernelArtifacts,
  storedParts,
} from "../../record/snapshot.ts";
import { type Command, emit, invoke } from "../../kernel/step/command.ts";
import { compareSnapshots } from "./compare-snapshots.ts";

const same = { equal: true, entries: [] };
const claims = [
  { id: "e1", confidence: 0.9 },
  { id: "e2", confidence: 0.8 },
];

async function snapshotOf(input: unknown, output: object, commands: readonly Command[] = []): Promise<Snapshot> {
  const artifacts = kernelArtifacts(storedParts({ output, events: [], commands }));
  return createSnapshot({ workflowId: "w", workflowVersion: "1", stepName: "s", input, artifacts });
}

test("equal snapshots don't differ, whenever they were made", async () => {
  const before = await snapshotOf({ a: 1 }, { claims }, [emit("found", 1)]);
  const after = { ...(await snapshotOf({ a: 1 }, { claims }, [emit("found", 1)])), capturedAt: 0 };
  expect(compareSnapshots(before, after)).toStrictEqual({ inputDiff: same, outputDiff: same, commandsDiff: same });
});

test("distinguishes what differs of input, output and commands", async () => {
  const before = await snapshotOf({ a: 1 }, { n: 1 }, [emit("found", 1), invoke("verify", 1)]);
  const after = await snapshotOf({ a: 2 }, { n: 1, m: 2 }, [invoke("verify", 1)]);
  expect(compareSnapshots(before, after)).toStrictEqual({
    inputDiff: { equal: false, entries: [{ path: ["a"], before: 1, after: 2 }] },
    outputDiff: { equal: false, entries: [{ path: ["m"], before: undefined, after: 2 }] },
    commandsDiff: { equal: false, entries: [{ path: ["emit found"], before: emit("found", 1), after: undefined }] },
  });
});

test("compares elements by their key if keyBy has one, otherwise by content", async () => {
  const [before, after] = [await snapshotOf({}, { claims }), await snapshotOf({}, { claims: claims.toReversed() })];
  expect(compareSnapshots(before, after, { keyBy: { claims: "id" } }).outputDiff).toStrictEqual(same);
  expect(compareSnapshots(before, after).outputDiff?.entries).toHaveLength(2);
});

test("throws for a missing key", async () => {
  const snapshot = await snapshotOf({}, { claims });
  expect(() => compareSnapshots(snapshot, snapshot, { keyBy: { claims: "name" } })).toThrow(
    new TypeError('keyBy: element at claims[0] has no field "name"'),
  );
});

test("an input equals its stored text, but an output doesn't", async () => {
  const when = new Date(0);
  const [before, after] = [
    await snapshotOf({ when }, { when }),
    await snapshotOf({ when: when.toISOString() }, { when: when.toISOString() }),
  ];
  const outputDiff = { equal: false, entries: [{ path: ["when"], before: when, after: when.toISOString() }] };
  expect(compareSnapshots(before, after)).toStrictEqual({ inputDiff: same, outputDiff, commandsDiff: same });
});

test("ignores parts that one of them doesn't have", async () => {
  const whole = await snapshotOf({}, { n: 1 }, [emit("found", 1)]);
  const hashed = { ...whole, artifacts: whole.artifacts.map(({ hash, kind }) => ({ hash, kind })) };
  const empty = { ...whole, artifacts: [captureArtifactSync("note", 1)] };
  for (const bare of [hashed, empty]) {
    const expected = { inputDiff: same, outputDiff: undefined, commandsDiff: undefined };
    expect([compareSnapshots(whole, bare), compareSnapshots(bare, whole)]).toStrictEqual([expected, expected]);
  }
});
