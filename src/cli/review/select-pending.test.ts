import { join } from "node:path";
import { expect, test } from "vitest";
import { keyOf } from "../../updates/pending/key-of.ts";
import type { PendingChange } from "../../updates/pending/pending-change.ts";
import { chooseChanges } from "./select-pending.ts";

const ROOT = join("/", "project");

function change(key: string, target: string, after: string | null = null): PendingChange {
  const rest = {
    root: "",
    group: "",
    intent: "review",
    verdict: "missing",
    shown: [],
    before: null,
    after,
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
const START_OF_A = keyOf(A).slice(0, 4);

function choose(names: readonly string[], cwd: string = ROOT): unknown {
  const chosen = chooseChanges(ALL, names, { root: ROOT, cwd });
  return chosen.ok ? chosen.value.map(({ key }) => key) : chosen.error;
}

test.each<[string[], PendingChange[]]>([
  [[keyOf(A)], [A]],
  [[START_OF_A], [A]],
  [
    [keyOf(C), START_OF_A],
    [A, C],
  ],
  [[START_OF_A, keyOf(A)], [A]],
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
  const many = Array.from({ length: 200 }, (_, index) => change("aaaa00000000", `t${index}`, String(index)));
  const start = keyOf(many[0] ?? A).slice(0, 1);
  const keys = many.filter((each) => keyOf(each).startsWith(start)).map((each) => `${keyOf(each)} (${each.target})`);
  expect(chooseChanges(many, [start], { root: ROOT, cwd: ROOT })).toStrictEqual({
    ok: false,
    error: `"${start}" matches several keys: ${keys.slice(0, 5).join(", ")} and ${keys.length - 5} more. Pass more characters.`,
  });
});

test("refuses an unknown name, and lists the nearest", () => {
  expect(choose(["src/__baselines__/extract/tow-01234567.json"])).toBe(
    `No pending change matches "src/__baselines__/extract/tow-01234567.json". Similar: ${keyOf(B)} (${B.target}), ${keyOf(A)} (${A.target}), ${keyOf(C)} (${C.target}). To list all keys, run: npx veritest pending`,
  );
});

test("one unknown name selects no update at all", () => {
  expect(choose([START_OF_A, "zz"])).toMatch(/^No pending change matches "zz"\./);
});

test("an empty name selects no update", () => {
  expect(choose([""])).toMatch(/^No pending change matches ""\./);
});

test("quotes and escapes a name", () => {
  expect(choose(["\u001b[2J"])).toMatch(/^No pending change matches "\\u001b\[2J"\./);
});

test("reports if no update is pending", () => {
  expect(chooseChanges([], ["aaaa"], { root: ROOT, cwd: ROOT })).toStrictEqual({
    ok: false,
    error: 'No change matches "aaaa", because no change is pending.',
  });
});

test("a key is of one content: that of an earlier one names the later one, and selects nothing", () => {
  const earlier = change("aaaa00000001", A.target, "sha256:1");
  const later = { ...earlier, after: "sha256:2" };
  const other = change("bbbb00000002", B.target);
  const chosen = (name: string): unknown => chooseChanges([other, later], [name], { root: ROOT, cwd: ROOT });
  expect(chosen(keyOf(later))).toStrictEqual({ ok: true, value: [later] });
  expect(keyOf({ ...later, before: "sha256:1" })).not.toBe(keyOf(later));
  expect(keyOf({ ...later, replaces: "two-01234567.json" })).not.toBe(keyOf(later));
  expect(chosen(keyOf(earlier))).toStrictEqual({
    ok: false,
    error:
      `"${keyOf(earlier)}" isn't pending: a later result of the same test replaced it. Its key is ${keyOf(later)} ` +
      `(${A.target}). To see it, run: npx veritest review ${keyOf(later)}`,
  });
  expect(chooseChanges([later], [keyOf(earlier)], { root: ROOT, cwd: ROOT, from: "state.zip" })).toMatchObject({
    error: expect.stringMatching(/npx veritest review [0-9a-f]{12} --from state\.zip$/),
  });
  expect(chosen(keyOf(earlier).slice(0, 8))).toMatchObject({
    ok: false,
    error: expect.stringMatching(
      /^No pending change matches "[0-9a-f]{8}"\. Similar: .* If a later run has a different result, it has a different key\. To list all keys, run: npx veritest pending$/,
    ),
  });
});
