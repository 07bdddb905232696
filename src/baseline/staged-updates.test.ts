import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { BaselineUpdate } from "./baseline.ts";
import { StagedUpdates } from "./staged-updates.ts";
import { runCount } from "../../test-support/run-count.ts";

const DIRECTORY = "/p/__baselines__/step";

function updateOf(name: string, after: string): BaselineUpdate {
  return { kind: "add", root: "/p/__baselines__", path: pathOf(name), group: "step", before: undefined, after };
}

function pathOf(name: string): string {
  return `${DIRECTORY}/${name}`;
}

/** Names that a test sees in the directory, in order. */
function namesIn(updates: StagedUpdates): readonly string[] {
  const names = updates.indexesOf(DIRECTORY).flatMap((index) => index.names);
  return [...new Set(names)].filter((name) => updates.has(pathOf(name))).toSorted();
}

const NAMES = ["a", "b", "c", "__proto__", "constructor", "7", "\ud800", "a-hidden-0a1b2c3d.json"];

const change = fc.record({
  kind: fc.constantFrom("set", "get", "has"),
  name: fc.constantFrom(...NAMES),
  after: fc.string({ maxLength: 3 }),
});

test("has the updates of other tests, and the own test's", () => {
  const entries = fc.array(fc.tuple(fc.constantFrom(...NAMES), fc.string({ maxLength: 3 })), { maxLength: 8 });
  fc.assert(
    fc.property(entries, fc.array(change, { maxLength: 12 }), (staged, changes) => {
      const others = new StagedUpdates();
      for (const [name, after] of staged) others.set(pathOf(name), updateOf(name, after));
      const before = NAMES.map((name) => others.get(pathOf(name)));
      const plain = new Map(
        NAMES.flatMap((name) => {
          const update = others.get(pathOf(name));
          return update === undefined ? [] : [[name, update]];
        }),
      );
      const view = new StagedUpdates(others);
      for (const { kind, name, after } of changes) {
        const own = updateOf(name, after);
        if (kind === "set") {
          plain.set(name, own);
          view.set(pathOf(name), own);
        } else if (kind === "get") expect(view.get(pathOf(name))).toBe(plain.get(name));
        else expect(view.has(pathOf(name))).toBe(plain.has(name));
      }
      expect(NAMES.map((name) => view.get(pathOf(name)))).toStrictEqual(NAMES.map((name) => plain.get(name)));
      expect(namesIn(view)).toStrictEqual([...plain.keys()].toSorted());
      expect(NAMES.map((name) => others.get(pathOf(name)))).toStrictEqual(before);
    }),
    { numRuns: runCount(10_000) },
  );
});

test("a path keeps its first value, whatever other tests stage later", () => {
  const others = new StagedUpdates();
  const stageAll = (names: readonly string[], after: string): void => {
    for (const name of names) others.set(pathOf(name), updateOf(name, after));
  };
  stageAll(["seen", "not seen"], "1");
  const view = new StagedUpdates(others);
  const afterOf = (name: string): string | undefined => view.get(pathOf(name))?.after;
  expect([afterOf("seen"), afterOf("new")]).toStrictEqual(["1", undefined]);
  stageAll(["seen", "not seen", "new", "newer"], "2");
  expect(["seen", "not seen", "new", "newer"].map(afterOf)).toStrictEqual(["1", "2", undefined, "2"]);
  expect(namesIn(view)).toStrictEqual(["newer", "not seen", "seen"]);
  view.set(pathOf("new"), updateOf("new", "own"));
  expect([namesIn(view), afterOf("new")]).toStrictEqual([["new", "newer", "not seen", "seen"], "own"]);
});

test("indexes names by directory and hash", () => {
  const updates = new StagedUpdates();
  for (const name of ["b-0a1b2c3d.json", "a-hidden-0a1b2c3d.json", "b-0a1b2c3d.json"])
    updates.set(pathOf(name), updateOf(name, "{}"));
  expect(updates.indexesOf("/p/__baselines__/other")).toStrictEqual([]);
  expect(
    updates.indexesOf(DIRECTORY).map(({ names, byHash, redacted }) => [names, [...byHash], redacted]),
  ).toStrictEqual([
    [
      ["b-0a1b2c3d.json", "a-hidden-0a1b2c3d.json"],
      [["0a1b2c3d", ["b-0a1b2c3d.json", "a-hidden-0a1b2c3d.json"]]],
      ["a-hidden-0a1b2c3d.json"],
    ],
  ]);
});
