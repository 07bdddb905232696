import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { BaselineUpdate } from "../../baseline/baseline.ts";
import { StagedUpdates } from "./attempt.ts";
import { runCount } from "../../../test-support/run-count.ts";

function proposal(path: string, after: string): BaselineUpdate {
  return { kind: "add", root: "/p/__baselines__", path, group: "step", before: undefined, after };
}

const PATHS = ["a", "b", "c", "__proto__", "constructor", "7", "\ud800", ""];

const change = fc.record({
  kind: fc.constantFrom("set", "get", "has"),
  path: fc.constantFrom(...PATHS),
  after: fc.string({ maxLength: 3 }),
});

test("has the updates of other tests, and the own test's", () => {
  const entries = fc.array(fc.tuple(fc.constantFrom(...PATHS), fc.string({ maxLength: 3 })), { maxLength: 8 });
  fc.assert(
    fc.property(entries, fc.array(change, { maxLength: 12 }), (staged, changes) => {
      const others = new Map(staged.map(([path, after]) => [path, proposal(path, after)]));
      const [plain, view] = [new Map(others), new StagedUpdates(others)];
      for (const { kind, path, after } of changes) {
        const own = proposal(path, after);
        if (kind === "set") for (const map of [plain, view]) map.set(path, own);
        else if (kind === "get") expect(view.get(path)).toBe(plain.get(path));
        else expect(view.has(path)).toBe(plain.has(path));
      }
      expect([...view]).toStrictEqual([...plain]);
      expect([[...view.keys()], [...view.values()], view.size]).toStrictEqual([
        [...plain.keys()],
        [...plain.values()],
        plain.size,
      ]);
      const [visited, visitedOfPlain] = [Array<unknown>(), Array<unknown>()];
      view.forEach((value, path) => visited.push([path, value]));
      plain.forEach((value, path) => visitedOfPlain.push([path, value]));
      expect(visited).toStrictEqual(visitedOfPlain);
      expect([...others].map(([path, { after }]) => [path, after])).toStrictEqual([...new Map(staged)]);
    }),
    { numRuns: runCount(10_000) },
  );
});

test("a path keeps its first value, whatever other tests stage later", () => {
  const others = new Map([
    ["seen", proposal("seen", "1")],
    ["not seen", proposal("not seen", "1")],
  ]);
  const view = new StagedUpdates(others);
  expect([view.get("seen")?.after, view.get("new")?.after]).toStrictEqual(["1", undefined]);
  for (const path of ["seen", "not seen", "new", "newer"]) others.set(path, proposal(path, "2"));
  expect(["seen", "not seen", "new", "newer"].map((path) => view.get(path)?.after)).toStrictEqual([
    "1",
    "2",
    undefined,
    "2",
  ]);
  expect([...view].map(([path, { after }]) => `${path} ${after}`)).toStrictEqual(["seen 1", "not seen 2", "newer 2"]);
  view.set("new", proposal("new", "own"));
  expect([...view.keys()]).toStrictEqual(["seen", "not seen", "new", "newer"]);
  others.clear();
  expect([...view.keys()]).toStrictEqual(["seen", "not seen", "newer", "new"]);
});
