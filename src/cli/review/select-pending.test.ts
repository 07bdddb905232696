import { join } from "node:path";
import { expect, test } from "vitest";
import type { PendingChange } from "../../updates/pending/pending-change.ts";
import { chooseChanges } from "./select-pending.ts";

const ROOT = join("/", "project");

function change(key: string, target: string): PendingChange {
  const rest = {
    root: "",
    group: "",
    intent: "review",
    verdict: "missing",
    shown: [],
    before: null,
    after: null,
    testFile: "",
    test: "",
    passed: false,
    contradicted: false,
    run: "",
    at: "",
    text: undefined,
  } as const;
  return { version: 1, key, kind: "add", target, ...rest };
}

const A = change("aaaa00000001", "src/__baselines__/extract/one-01234567.json");
const B = change("aabb00000002", "src/__baselines__/extract/two-01234567.json");
const C = change("cccc00000003", "src/__baselines__/other/one-01234567.json");
const ALL = [A, B, C];

function choose(names: readonly string[], cwd: string = ROOT): unknown {
  const chosen = chooseChanges(ALL, names, { root: ROOT, cwd });
  return chosen.ok ? chosen.value.map(({ key }) => key) : chosen.error;
}

test.each<[string[], PendingChange[]]>([
  [["aaaa00000001"], [A]],
  [["aaa"], [A]],
  [["c"], [C]],
  [
    ["c", "aaa"],
    [A, C],
  ],
  [["aaa", "aaaa00000001"], [A]],
  [[A.target], [A]],
  [["*/extract/*"], [A, B]],
  [["*one*"], [A, C]],
  [["*"], [A, B, C]],
])("%j selects its updates, each once in the listed order", (names, found) => {
  expect(choose(names)).toStrictEqual(found.map(({ key }) => key));
});

test("accepts a path relative to the working directory", () => {
  expect(choose(["extract/one-01234567.json"], join(ROOT, "src", "__baselines__"))).toStrictEqual([A.key]);
  expect(choose(["../other/one-01234567.json"], join(ROOT, "src", "__baselines__", "extract"))).toStrictEqual([C.key]);
});

test("refuses an ambiguous start of keys, and lists them", () => {
  expect(choose(["aa"])).toBe(
    `"aa" matches several keys: ${A.key} (${A.target}), ${B.key} (${B.target}). Pass more characters.`,
  );
});

test("refuses an unknown name, and lists the nearest", () => {
  expect(choose(["src/__baselines__/extract/tow-01234567.json"])).toBe(
    `No change matches "src/__baselines__/extract/tow-01234567.json". The nearest are: ${B.key} (${B.target}), ${A.key} (${A.target}), ${C.key} (${C.target}). See: veritest pending`,
  );
});

test("one unknown name selects no update at all", () => {
  expect(choose(["aaaa", "zz"])).toMatch(/^No change matches "zz"\./);
});

test("an empty name selects no update", () => {
  expect(choose([""])).toMatch(/^No change matches ""\./);
});

test("quotes and escapes a name", () => {
  expect(choose(["\u001b[2J"])).toMatch(/^No change matches "\\u001b\[2J"\./);
});

test("reports if no update is pending", () => {
  expect(chooseChanges([], ["aaaa"], { root: ROOT, cwd: ROOT })).toStrictEqual({
    ok: false,
    error: 'No change matches "aaaa", because no change is pending.',
  });
});

test("names only five of many", () => {
  const many = Array.from({ length: 8 }, (_, index) => change(`aaaa0000000${index}`, `t${index}`));
  expect(chooseChanges(many, ["aaaa"], { root: ROOT, cwd: ROOT })).toStrictEqual({
    ok: false,
    error:
      '"aaaa" matches several keys: aaaa00000000 (t0), aaaa00000001 (t1), aaaa00000002 (t2), aaaa00000003 (t3), aaaa00000004 (t4) and 3 more. Pass more characters.',
  });
});
