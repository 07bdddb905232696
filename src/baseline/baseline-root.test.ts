import { join } from "node:path";
import { expect, test } from "vitest";
import { baselineRoot } from "./baseline-root.ts";

test("baselines lie beside the runner's snapshot directory", () => {
  expect(baselineRoot(join("/app", "steps", "__snapshots__", "a.test.ts.snap"))).toBe(
    join("/app", "steps", "__baselines__"),
  );
});

test("a resolver that puts snapshots beside the test puts baselines there too", () => {
  expect(baselineRoot(join("/app", "steps", "a.test.ts.snap"))).toBe(join("/app", "steps", "__baselines__"));
});

test("a resolver with a directory of its own keeps baselines below it", () => {
  expect(baselineRoot(join("/app", "snapshots", "steps", "a.snap"))).toBe(
    join("/app", "snapshots", "steps", "__baselines__"),
  );
});

test("a directory that only sounds like the snapshot directory is none", () => {
  expect(baselineRoot(join("/app", "my__snapshots__", "a.snap"))).toBe(
    join("/app", "my__snapshots__", "__baselines__"),
  );
});
