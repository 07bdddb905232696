import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ChangeShape, ShapeLine } from "../check/update/change-shape.ts";
import { permutationOf } from "../../test-support/arbitraries.ts";
import { runModels } from "../../test-support/run-models.ts";
import { sampleCase } from "../../test-support/sample-run.ts";
import { type ShapedChange, exampleGroup, groupChanges, isGroupName } from "./change-groups.ts";
import { lineKey, shapeOf } from "./shape-of-case.ts";
import { groupText, shapeText } from "./group-lines.ts";
import { NO_FINDINGS, type ReportCase, type ReportChange } from "./report-case.ts";
import { runCount } from "../../test-support/run-count.ts";

function changed(path: string, before: unknown, after: unknown): ReportChange<unknown> {
  return { part: "output", path, before, after, cut: false };
}

function shaped(changes: readonly ReportChange<unknown>[], baseline = "__baselines__/ask/a.json"): ShapedChange {
  const shape = shapeOf({ kind: "value_changed", findings: { ...NO_FINDINGS, changes } });
  return { baseline, step: "ask", shape };
}

function grouped(changes: readonly ShapedChange[]): ReturnType<typeof groupChanges<ShapedChange>> {
  return groupChanges(changes, (one) => one);
}

function shapedOf({ baseline, step, kind, findings }: ReportCase): ShapedChange {
  return { baseline, step, shape: shapeOf({ kind, findings }) };
}

function keyOf({ baseline, shape: { kind, cause, lines } }: ShapedChange): string {
  return JSON.stringify([baseline.split("/").at(-2) ?? "", kind, cause, lines.map(lineKey)]);
}

/** Changes of a few shapes, so that groups have several members. */
function changesOfFewShapes(): fc.Arbitrary<ShapedChange[]> {
  const value = fc.constantFrom<unknown>(null, true, false, 1, 2, "a", "b", "two words", undefined);
  const change = fc
    .tuple(fc.constantFrom("a", "b", "lines[0].b", "lines[7].b"), value, value)
    .map(([path, before, after]) => changed(path, before, after));
  const few = fc
    .tuple(fc.array(change, { maxLength: 3 }), fc.constantFrom("one", "two"), fc.nat(99))
    .map(([changes, step, at]) => shaped(changes, `__baselines__/${step}/${at}.json`));
  return fc.oneof(
    fc.array(few, { maxLength: 30 }),
    runModels().map(({ cases }) => cases.map(shapedOf)),
  );
}

test("a group of texts that look the same shows their difference", () => {
  const wordsOf = (before: string, after: string): string => shapeText(shaped([changed("name", before, after)]).shape);
  expect(wordsOf("LINDEN", "LIND\u0415N")).toBe('name: "LINDEN" → "LIND\\u0415N"');
  expect(wordsOf("a b", "a\u00a0b")).toBe('name: "a b" → "a\\u00a0b"');
  expect(wordsOf("É", "E\u0301")).toBe('name: "\\u00c9" → "E\\u0301"');
});

test("a group of calls names added and removed writes, and changed arguments", () => {
  const call = { role: "write", times: 1, movedTo: null } as const;
  const calls: readonly ReportChange<unknown>[] = [
    { part: "calls", path: "tools.mail", after: { order: 7, to: "a" }, cut: false, call: { ...call, kind: "added" } },
    { part: "calls", path: "tools.pay", before: { id: 1 }, cut: false, call: { ...call, kind: "removed" } },
    { part: "calls", path: "db.find: id", after: 2, cut: false, call: { ...call, role: "read", kind: "changed" } },
    { part: "calls", path: "db.get", after: "k", cut: false, call: { ...call, role: "read", kind: "added" } },
  ];
  const wordsOf = (changes: readonly ReportChange<unknown>[]): string[] =>
    changes.map((change) =>
      shapeText(shapeOf({ kind: "calls_changed", findings: { ...NO_FINDINGS, changes: [change] } })),
    );
  expect(wordsOf(calls)).toStrictEqual([
    "calls_changed: new write: tools.mail({ order, to })",
    "calls_changed: dropped write: tools.pay({ id })",
    "calls_changed: + db.find: id: 2",
    'calls_changed: new call: db.get("k")',
  ]);
});

test("a group of moved writes says which moved and where to, unless the cases differ", () => {
  const moved = (path: string, movedTo: string): ShapedChange => {
    const call = { kind: "moved", role: "write", times: 1, movedTo } as const;
    const sides = { before: "after tools.pay", after: "before tools.pay" };
    const changes = [{ part: "calls", path, general: "tools.pay", ...sides, cut: false, call } as const];
    const shape = shapeOf({ kind: "calls_changed", findings: { ...NO_FINDINGS, changes } });
    return { baseline: "a/__baselines__/s/c.json", step: "s", shape };
  };
  const textsOf = (...changes: readonly ShapedChange[]): string[] =>
    groupChanges(changes, (change) => change).map((group) => groupText(group));
  const [first, second] = ['{"order":"B"}', '{"order":"C"}'].map((order) =>
    moved(`tools.pay(${order})`, 'before tools.pay({"order":"A"})'),
  );
  if (first === undefined || second === undefined) return expect.fail();
  expect(textsOf(first, first)).toStrictEqual([
    '2 × calls_changed: tools.pay({"order":"B"}) moved before tools.pay({"order":"A"})',
  ]);
  expect(textsOf(first, second)).toStrictEqual(['2 × calls_changed: tools.pay moved before tools.pay({"order":"A"})']);
  expect(textsOf(first, moved("tools.pay", "after mail"))).toStrictEqual(["2 × calls_changed: tools.pay moved"]);
  expect(textsOf(moved("tools.pay", "after mail"))).toStrictEqual(["1 × calls_changed: tools.pay moved after mail"]);
  const side = (value: string) => ({ kind: "string", value }) as const;
  const line = { part: "calls", path: "tools.pay (moved)", risk: "writes" } as const;
  const earlier = { ...line, before: side('"after tools.pay"'), after: side('"before tools.pay"') };
  expect(shapeText({ kind: "calls_changed", lines: [earlier], cause: null })).toBe(
    "calls_changed: tools.pay moved before tools.pay",
  );
});

test("a group of commands says which is new or dropped, a part of one keeps its path", () => {
  const command = (path: string, before: unknown, after: unknown): ReportChange<unknown> => ({
    part: "commands",
    path,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
    cut: false,
    general: path.replace(/^\["[^"]*"\]/, "*"),
  });
  const emit = { type: "emit", topic: "account.closed", payload: { account: 7 } };
  const review = { type: "review", reason: "a reason that is too long to be kept in a line of a group" };
  const wordsOf = (change: ReportChange<unknown>): string =>
    shapeText(shapeOf({ kind: "commands_changed", findings: { ...NO_FINDINGS, changes: [change] } }));
  expect(
    [
      command('["emit account.closed"]', undefined, emit),
      command("review", review, undefined),
      command("[1]", undefined, { type: "invoke", step: "pay", input: { id: 1 } }),
      command('["emit a.b"].payload', undefined, emit),
      command("[0].payload", { a: 1 }, { a: 2 }),
    ].map(wordsOf),
  ).toStrictEqual([
    'commands_changed: new command emit("account.closed")',
    "commands_changed: dropped command review",
    'commands_changed: new command invoke("pay")',
    "commands_changed: + commands.*.payload: object",
    "commands_changed: commands[0].payload changed",
  ]);
});

test("a text or a number with other values in each case is said to have changed, not by its type", () => {
  const groups = grouped([
    ...["x", "y"].map((text) => shaped([changed("reply", `A long reply, ${text}`, `Another reply, ${text}`)])),
    ...[1, 2].map((total) => shaped([changed("total", total, total + 5)])),
    ...[1, 2].map((total) => shaped([changed("due", String(total), null)])),
    shaped([changed("tags", ["a"], ["b"])]),
  ]);
  expect(groups.map(shapeText).toSorted()).toStrictEqual([
    "due: string → null",
    "reply changed",
    "tags changed",
    "total changed",
  ]);
});

test("a new write comes before changed ones, in a group's lines and among groups of any size", () => {
  const call = { role: "write", times: 1, movedTo: null } as const;
  const mail = { part: "calls", path: "tools.mail: text", before: "a b", after: "b c", cut: false } as const;
  const refund = { part: "calls", path: "tools.refund", after: { order: 1 }, cut: false } as const;
  const of = (...changes: readonly ReportChange[]): ShapedChange =>
    shapedOf(
      sampleCase("s", "__baselines__/s/a.json", { kind: "calls_changed", findings: { ...NO_FINDINGS, changes } }),
    );
  const changedMail = { ...mail, call: { ...call, kind: "changed" } } as const;
  const newRefund = { ...refund, call: { ...call, kind: "added" } } as const;
  const groups = grouped([of(changedMail), of(changedMail), of(changedMail, newRefund)]);
  expect(groups.map(({ count }) => count)).toEqual([1, 2]);
  expect(groups.map(shapeText)).toEqual([
    'calls_changed: new write: tools.refund({ order }), tools.mail: text: "a b" → "b c"',
    'calls_changed: tools.mail: text: "a b" → "b c"',
  ]);
});

test("puts each change in one group: equal shapes together, different ones apart", { tags: "deep" }, () => {
  fc.assert(
    fc.property(changesOfFewShapes(), (changes) => {
      const groups = grouped(changes);
      const members = groups.flatMap((group) => group.members);
      expect(members).toHaveLength(changes.length);
      expect(new Set(members)).toEqual(new Set(changes));
      expect(groups.map(({ count }) => count)).toEqual(groups.map((group) => group.members.length));
      expect(new Set(groups.map(({ id }) => id)).size).toBe(groups.length);
      const keys = groups.map((group) => new Set(group.members.map(keyOf)));
      expect(keys.map(({ size }) => size)).toEqual(groups.map(() => 1));
      expect(new Set(keys.flatMap((of) => [...of])).size).toBe(groups.length);
    }),
    { numRuns: runCount(1000) },
  );
});

test("groups changes independently of their order", { tags: "deep" }, () => {
  const shuffled = changesOfFewShapes().chain((changes) => fc.tuple(fc.constant(changes), permutationOf(changes)));
  fc.assert(
    fc.property(shuffled, ([changes, others]) => {
      const told = (of: readonly ShapedChange[]): unknown =>
        grouped(of).map(({ members, ...group }) => ({ ...group, members: new Set(members) }));
      expect(told(others)).toEqual(told(changes));
    }),
    { numRuns: runCount(1000) },
  );
});

test("keeps its id when another change joins, and replaces a differing value by its type", () => {
  const first = grouped([shaped([changed("licence", "MIT", null)])]);
  const second = grouped([shaped([changed("licence", "MIT", null)]), shaped([changed("licence", "GPL", null)])]);
  expect(first.map(({ id }) => id)).toEqual(second.map(({ id }) => id));
  expect([first, second].map(([group]) => group?.lines)).toEqual([
    [
      {
        part: "output",
        path: "licence",
        before: { kind: "string", value: '"MIT"' },
        after: { kind: "null" },
        risk: "label",
      },
    ],
    [{ part: "output", path: "licence", before: { kind: "string" }, after: { kind: "null" }, risk: "label" }],
  ]);
});

test("ignores indexes, keys and names from data in a shape, but no other names", () => {
  const ids = (...paths: readonly string[]): number =>
    grouped(paths.map((path) => shaped([changed(path, 1, 2)]))).length;
  expect(ids("lines[0].quantity", "lines[12].quantity")).toBe(1);
  expect(ids("first", "second")).toBe(2);
});

test("a group of several lines names the groups that have one of its lines", () => {
  const licence = changed("licence", "MIT", null);
  const due = changed("due", null, "");
  const groups = grouped([shaped([licence]), shaped([due]), shaped([licence, due]), shaped([licence])]);
  const [alone, ...rest] = groups;
  expect(groups.map(({ count }) => count)).toEqual([2, 1, 1]);
  const both = rest.find(({ lines }) => lines.length === 2);
  const other = rest.find(({ lines }) => lines.length === 1);
  expect(both?.others).toEqual([alone?.id ?? "", other?.id ?? ""].toSorted((a, b) => (a < b ? -1 : 1)));
  expect([alone?.others, other?.others]).toEqual([[], []]);
});

test("orders groups by risk: writes and commands first, prose after numbers", () => {
  const of = (kind: ReportCase["kind"], changes: readonly ReportChange[] = []): ShapedChange =>
    shapedOf(sampleCase("s", "__baselines__/s/a.json", { kind, findings: { ...NO_FINDINGS, changes } }));
  const one = (
    part: ReportChange["part"],
    before: string | number | boolean,
    after: string | number | boolean,
  ): ReportChange => ({
    part,
    path: `p${part}${String(before).length}`,
    before,
    after,
    cut: false,
  });
  const call = { kind: "added", role: "write", times: 1, movedTo: null } as const;
  const changes = [
    of("obsolete"),
    of("missing"),
    of("events_changed", [one("events", 1, 2)]),
    of("value_changed", [one("output", "It rained all day.", "It snowed all day.")]),
    of("value_changed", [one("output", 1, 2)]),
    of("value_changed", [one("output", "12.00", "13.00")]),
    of("value_changed", [one("output", "approved", "denied")]),
    of("commands_changed", [one("commands", "a", "b")]),
    of("calls_changed", [{ ...one("calls", "a", "b"), call }]),
    of("request_changed"),
    of("failed"),
    of("schema_violation"),
    of("broken"),
  ];
  expect(grouped(changes).map(({ risk }) => risk)).toEqual([
    "writes",
    "commands",
    "broken",
    "schema",
    "failed",
    "request",
    "label",
    "number",
    "number",
    "prose",
    "events",
    "missing",
    "obsolete",
  ]);
});

describe("ids", () => {
  const many = Array.from({ length: 20_000 }, (_, at) => shaped([changed(`field_${at}x`, 1, 2)]));

  test("are longer if two shapes begin alike, and don't depend on the order", { tags: "deep" }, () => {
    const groups = grouped(many);
    const ids = groups.map(({ id }) => id);
    expect(new Set(ids).size).toBe(20_000);
    const longer = ids.filter((id) => id.length > 8);
    expect(longer.length).toBeGreaterThan(0);
    for (const id of longer)
      expect(longer.filter((other) => other.slice(0, 8) === id.slice(0, 8)).length).toBeGreaterThan(1);
    expect(grouped(many.toReversed()).map(({ id }) => id)).toEqual(ids);
    expect(ids.every(isGroupName)).toBe(true);
  });
});

test.each(["g-3fa9c", "3fa9c1", "g-3FA9C1", "g-3fa9c1 ", "g-", ""])("%j isn't a group name", (name) => {
  expect(isGroupName(name)).toBe(false);
});

test("a shape has each line once, independently of the order of the changes", () => {
  const changes = [changed("b", 1, 2), changed("a[0]", 1, 2), changed("a[1]", 1, 3), changed("a[2]", null, 3)];
  const lines = (of: readonly ReportChange<unknown>[]): readonly ShapeLine[] => shaped(of).shape.lines;
  expect(lines(changes)).toEqual(lines(changes.toReversed()));
  expect(lines(changes).map(({ path, before, after }) => [path, before, after])).toEqual([
    ["a[*]", { kind: "null" }, { kind: "number", value: "3" }],
    ["a[*]", { kind: "number", value: "1" }, { kind: "number" }],
    ["b", { kind: "number", value: "1" }, { kind: "number", value: "2" }],
  ]);
});

test("a shape without findings has its class only", () => {
  expect(shapeOf({ kind: "missing", findings: null })).toEqual<ChangeShape>({
    kind: "missing",
    cause: null,
    lines: [],
  });
});

test("the example of a group to accept is the least risky one, never the riskiest and never a new write", () => {
  const call = { kind: "added", role: "write", times: 1, movedTo: null } as const;
  const mailed: ReportChange<unknown> = { part: "calls", path: "tools.mail", after: { order: 7 }, cut: false, call };
  const [write, label, prose] = [[mailed], [changed("team", "a", "b")], [changed("note", "two words", "one word")]];
  const idOf = (changes: readonly (readonly ReportChange<unknown>[])[], isPending = true): string | undefined =>
    exampleGroup(grouped(changes.map((one) => shaped(one))), () => isPending)?.id;
  const [noteGroup] = grouped([shaped(prose)]);
  expect(idOf([write, label, prose])).toBe(noteGroup?.id);
  expect(idOf([prose])).toBe(noteGroup?.id);
  expect(idOf([write])).toBeUndefined();
  expect(idOf([write, [...write, ...label]])).toBeUndefined();
  expect(idOf([write, label, prose], false)).toBeUndefined();
});

test("only the riskiest group is pending: it isn't offered", () => {
  const groups = grouped([shaped([changed("team", "a", "b")]), shaped([changed("note", "two words", "one word")])]);
  expect(exampleGroup(groups, (group) => group === groups[0])).toBeUndefined();
  expect(exampleGroup(groups, (group) => group === groups[1])).toBe(groups[1]);
});

test("names that look the same differ in the line of a group", () => {
  const { shape } = shaped([changed("a", 1, undefined), changed("\u0430", undefined, 1)]);
  expect(shapeText(shape)).toBe("- a: 1, + \\u0430: 1");
});
