import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CompareBy, KeyBy } from "./compare-rules.ts";
import { diff } from "./diff.ts";
import { anything, matches, oneOf, similar, within } from "./tolerances.ts";
import { type TolerantDiff, tolerate } from "./tolerate.ts";
import { runCount } from "../../../test-support/run-count.ts";

function compareWith(compare: CompareBy, before: unknown, after: unknown, keyBy: KeyBy = {}): TolerantDiff {
  return tolerate(diff(before, after, keyBy), { before, after, keyBy, compare });
}

/** The paths that stay changes, and those that are tolerated with the rule that does. */
function told({ diff, tolerated }: TolerantDiff): unknown {
  return {
    changed: diff.entries.map(({ path }) => path.join(".")),
    tolerated: tolerated.map(({ entry, rule, label }) => `${entry.path.join(".")} by ${rule} (${label})`),
  };
}

test("tolerates and names a difference within a rule, and keeps others as changes", () => {
  const found = compareWith({ score: within(0.05) }, { score: 0.85, total: 1 }, { score: 0.9, total: 2 });
  expect(told(found)).toStrictEqual({ changed: ["total"], tolerated: ["score by score (within 0.05)"] });
  expect(found.diff.equal).toBe(false);
});

test("makes the diff equal if everything is tolerated", () => {
  expect(compareWith({ score: within(0.05) }, { score: 0.85 }, { score: 0.9 }).diff).toStrictEqual({
    equal: true,
    entries: [],
  });
});

test("applies a rule to keyed arrays by the field only, or by one key", () => {
  const before = {
    lines: [
      { sku: "A", price: 1 },
      { sku: "B", price: 1 },
    ],
  };
  const after = {
    lines: [
      { sku: "B", price: 1.01 },
      { sku: "A", price: 1.01 },
    ],
  };
  const keyBy = { lines: "sku" };
  expect(told(compareWith({ "lines.price": within(0.01) }, before, after, keyBy))).toMatchObject({ changed: [] });
  expect(told(compareWith({ "lines.A.price": within(0.01) }, before, after, keyBy))).toMatchObject({
    changed: ["lines.B.price"],
  });
});

test("applies a rule with a key to that element, and never to a field there", () => {
  const before = { lines: [{ sku: "A", cost: { price: 1 } }] };
  const after = { lines: [{ sku: "A", cost: { price: 2 } }] };
  expect(told(compareWith({ "lines.price": anything() }, before, after, { lines: "sku" }))).toMatchObject({
    changed: ["lines.A.cost.price"],
  });
});

test("applies a rule to each element of plain lists", () => {
  const found = compareWith(
    { scores: within(0.1), "items.at": anything() },
    { scores: [1, 2], items: [{ at: 1 }] },
    { scores: [1.05, 3], items: [{ at: 2 }] },
  );
  expect(told(found)).toStrictEqual({
    changed: ["scores.1"],
    tolerated: ["items.0.at by items.at (ignored)", "scores.0 by scores (within 0.1)"],
  });
});

test("passes the values at its own path to a rule, which covers everything below", () => {
  const seen: unknown[] = [];
  const box = (before: unknown, after: unknown): boolean => {
    seen.push([before, after]);
    return true;
  };
  const found = compareWith({ box }, { box: { x: 1, y: 2 } }, { box: { x: 3, y: 4 } });
  expect(told(found)).toStrictEqual({
    changed: [],
    tolerated: ["box.x by box (a function)", "box.y by box (a function)"],
  });
  expect(seen).toStrictEqual([
    [
      { x: 1, y: 2 },
      { x: 3, y: 4 },
    ],
  ]);
});

test("doesn't apply a rule to a change above its path", () => {
  expect(told(compareWith({ "box.x": anything() }, { box: { x: 1 } }, { box: 1 }))).toMatchObject({ changed: ["box"] });
});

test("tolerates an added or removed element with ignore only", () => {
  const [before, after] = [{ scores: [1] }, { scores: [1, 1] }];
  expect(told(compareWith({ scores: within(9) }, before, after))).toMatchObject({ changed: ["scores.1"] });
  expect(told(compareWith({ scores: anything() }, before, after))).toMatchObject({ changed: [] });
});

test.each<[string, CompareBy["x"], unknown, unknown, boolean]>([
  ["within", within(0.05), 0.85, 0.9, true],
  ["beyond", within(0.05), 0.85, 0.91, false],
  ["no number", within(1), 1, "1", false],
  ["at the distance, in whole numbers", within(1), 1_700_000_000_000_001, 1_700_000_000_000_002, true],
  ["whole numbers without a fraction's slack", within(0.01), 1_700_000_000_000_001, 1_700_000_000_000_002, false],
  ["numbers of cards", within(1e-9), 4_111_111_111_111_111, 4_111_111_111_111_114, false],
  ["large fractions", within(0.01), 1e15 + 0.5, 1e15 + 1, false],
  ["prices of a million", within(0.01), 1_000_000.02, 1_000_000.03, true],
  ["a distance of 0", within(0), 0.1 + 0.2, 0.3, false],
  ["a division by zero", within(1e-9), 2, Infinity, false],
  ["an infinity less", within(1), -Infinity, 2, false],
  ["the other infinity", within(1), Infinity, -Infinity, false],
  ["an infinity at any distance", within(Infinity), 1, Infinity, false],
  ["numbers at any distance", within(Infinity), 1, 1e9, true],
  ["not a number", within(1), Number.NaN, 1, false],
  ["oneOf", oneOf("a", { b: 1 }), "z", { b: 1 }, true],
  ["not one of", oneOf("a"), "a", "b", false],
  ["oneOf, gone", oneOf(null), null, undefined, false],
  ["matches", matches(/^\d+$/g), "1", "22", true],
  ["matches at the start, if it's sticky", matches(/\d+/y), "1", "1 abc", true],
  ["matches not at the start", matches(/\d+/y), "1", "abc 1", false],
  ["matches no number", matches(/1/), "1", 1, false],
  ["similar", similar({ atLeast: 0.75 }), "The cat sat on the mat.", "the cat lay on the mat", true],
  ["too little alike", similar({ atLeast: 0.9 }), "The cat sat on the mat.", "the cat lay on the mat", false],
  ["other punctuation", similar({ atLeast: 1 }), "Yes: it is.", "yes, it is", true],
  ["another vowel sign", similar({ atLeast: 1 }), "की", "का", false],
  ["another sign of a number", similar({ atLeast: 1 }), "a change of -5", "a change of 5", false],
  ["another sign of a price", similar({ atLeast: 1 }), "a change of -$5.00", "a change of $5.00", false],
  ["another sign of a fraction", similar({ atLeast: 1 }), "a change of -.5", "a change of .5", false],
  ["another sign that is a dash", similar({ atLeast: 1 }), "a change of –5", "a change of 5", false],
  ["another sign of full width", similar({ atLeast: 1 }), "a change of －5", "a change of 5", false],
  ["another form of a sign", similar({ atLeast: 1 }), "a change of −5", "a change of -5", true],
  ["a dash between numbers", similar({ atLeast: 1 }), "pages 3–5", "pages 3 5", true],
  ["a hyphen between numbers", similar({ atLeast: 1 }), "pages 3-5", "pages 3 5", true],
  ["another emoji", similar({ atLeast: 1 }), "Refund approved: ✅", "Refund approved: ❌", false],
  ["another thumb", similar({ atLeast: 1 }), "Feedback: 👍", "Feedback: 👎", false],
  ["another tone of skin", similar({ atLeast: 1 }), "Feedback: 👍🏻", "Feedback: 👍🏿", false],
  ["another form of an emoji", similar({ atLeast: 1 }), "I ❤️ it", "I ❤ it", true],
  ["another currency", similar({ atLeast: 1 }), "Total: $100", "Total: €100", false],
  ["another relation", similar({ atLeast: 1 }), "x > 5 is required", "x < 5 is required", false],
  ["another unit", similar({ atLeast: 1 }), "grew by 5 %", "grew by 5 ‰", false],
  ["another language", similar({ atLeast: 1 }), "C++ developer", "C# developer", false],
  ["a symbol less", similar({ atLeast: 1 }), "5 ≠ 6", "5 6", false],
  ["code in backticks", similar({ atLeast: 1 }), "Run `ls`.", "Run ls", true],
  ["decomposed letters", similar({ atLeast: 1 }), "Café", "Cafe\u0301", true],
  [
    "a word of Japanese",
    similar({ atLeast: 0.8 }),
    "今日は天気がとても良いので、公園へ散歩に行きました。友達と一緒に昼ご飯を食べました。",
    "今日は天気がとても良いので、公園へ散歩に行きました。家族と一緒に昼ご飯を食べました。",
    true,
  ],
  [
    "a word of Chinese and a number",
    similar({ atLeast: 0.8 }),
    "您的订单 7 已经退款,我们会在三天之内联系您",
    "您的订单 8 已经退款,我们会在三天之内联系您",
    true,
  ],
  ["another Chinese sentence", similar({ atLeast: 0.8 }), "您的订单已经退款", "我们会在三天之内联系您", false],
  ["a word of Chinese at 1", similar({ atLeast: 1 }), "您的订单已经退款", "您的订单已经发货", false],
  [
    "a word of Thai",
    similar({ atLeast: 0.8 }),
    "วันนี้อากาศดีมากเราจึงไปเดินเล่นที่สวนสาธารณะกับเพื่อน",
    "วันนี้อากาศดีมากเราจึงไปเดินเล่นที่สวนสาธารณะกับแม่",
    true,
  ],
  ["similar to no text", similar({ atLeast: 0 }), "a", 1, false],
])("%s", (_title, rule, before, after, tolerated) => {
  expect(compareWith(rule === undefined ? {} : { x: rule }, { x: before }, { x: after }).tolerated).toHaveLength(
    tolerated ? 1 : 0,
  );
});

test("a global pattern gives the same result each time", () => {
  const rule = matches(/a/g);
  expect([1, 2, 3].map(() => rule.tolerates("", "a"))).toStrictEqual([true, true, true]);
});

test.each<[() => unknown, string]>([
  [() => within(-1), "within: the distance must be 0 or more, got -1."],
  [() => within(Number.NaN), "within: the distance must be 0 or more, got NaN."],
  [() => oneOf(), 'oneOf needs at least one allowed value, such as oneOf("a", "b").'],
  [() => similar({ atLeast: 2 }), "similar: atLeast must be a number from 0 to 1, got 2."],
])("refuses an invalid rule", (make, message) => {
  expect(make).toThrow(new TypeError(message));
});

test("names a rule that throws or doesn't return true or false", () => {
  const failing = (): boolean => {
    throw new Error("no such field");
  };
  const late: CompareBy = JSON.parse("{}");
  expect(() => compareWith({ x: failing }, { x: 1 }, { x: 2 })).toThrow(
    new TypeError('compare: "x" threw: no such field'),
  );
  const promised = { ...late, x: { label: "late", tolerates: () => Object(Promise.resolve(true)) } };
  expect(() => compareWith(promised, { x: 1 }, { x: 2 })).toThrow(
    new TypeError('compare: "x" must return true or false, got a Promise'),
  );
});

test("treats names such as __proto__ like any other", () => {
  const [before, after] = [JSON.parse('{"__proto__":{"a":1}}'), JSON.parse('{"__proto__":{"a":2}}')];
  expect(told(compareWith(JSON.parse("{}"), before, after))).toMatchObject({ changed: ["__proto__.a"] });
  expect(compareWith({ toString: anything() }, {}, {}).diff.equal).toBe(true);
});

test("property: what is tolerated and what is not are together what was found", () => {
  const data = fc.dictionary(
    fc.constantFrom("a", "b", "c"),
    fc.oneof(fc.integer(), fc.array(fc.integer(), { maxLength: 3 })),
  );
  fc.assert(
    fc.property(data, data, fc.nat(5), (before, after, distance) => {
      const found = diff(before, after, {});
      const { diff: rest, tolerated } = tolerate(found, {
        before,
        after,
        keyBy: {},
        compare: { a: within(distance), b: anything() },
      });
      expect(rest.entries.length + tolerated.length).toBe(found.entries.length);
      expect(rest.entries.some(({ path }) => path[0] === "b")).toBe(false);
      expect(rest.equal).toBe(rest.entries.length === 0);
    }),
    { numRuns: runCount(1000) },
  );
});

test("a rule applies to keyed arrays below elements, and to one element by its key", () => {
  const valueOf = (price: number): unknown => ({ s: [{ name: "A", items: [{ sku: "X", price }] }] });
  for (const keyBy of [{ "s.items": "sku" }, { s: "name", "s.items": "sku" }] satisfies KeyBy[])
    expect(told(compareWith({ "s.items.price": anything() }, valueOf(1), valueOf(2), keyBy))).toMatchObject({
      changed: [],
    });
  const keyBy = { s: "name", "s.items": "sku" };
  for (const rule of ["s.A.items.price", "s.A.items.X.price", "s.items.X.price"])
    expect(told(compareWith({ [rule]: anything() }, valueOf(1), valueOf(2), keyBy))).toMatchObject({ changed: [] });
  expect(told(compareWith({ "s.B.items.price": anything() }, valueOf(1), valueOf(2), keyBy))).toMatchObject({
    changed: ["s.A.items.X.price"],
  });
});

describe("** matches any number of names", () => {
  const before = { mean: 0.4, parts: [{ weight: 0.2, name: "a" }, { weight: 0.8 }] };
  const shifted = (distance: number): unknown => ({
    mean: 0.4 + distance,
    parts: [{ weight: 0.2 + distance, name: "a" }, { weight: 0.8 }],
  });

  test.each([
    ["**", 3],
    ["parts.**", 2],
    ["**.weight", 2],
    ["parts.**.weight", 2],
    ["*.weight", 2],
    ["mean.**", 1],
    ["**.parts.**", 2],
    ["other.**", 0],
  ])("%s tolerates near values only", (rule, tolerated) => {
    const after = { ...Object(shifted(1e-9)), parts: [{ weight: 0.2 + 1e-9, name: "a" }, { weight: 0.8 - 1e-9 }] };
    const compare = { [rule]: within(1e-3) };
    const near = tolerate(diff(before, after), { before, after, keyBy: {}, compare });
    expect([near.tolerated.length, near.diff.entries.length]).toStrictEqual([tolerated, 3 - tolerated]);
    const far = shifted(0.1);
    expect(tolerate(diff(before, far), { before, after: far, keyBy: {}, compare }).tolerated).toStrictEqual([]);
  });

  test.each<[string, CompareBy, readonly string[]]>([
    ["one value", { "**": within(1), mean: within(0.1) }, ["mean"]],
    ["one value, named later", { mean: within(0.1), "**": within(1) }, ["mean"]],
    ["a part", { "**": within(1), "parts.**": within(0.1) }, ["parts.0.weight"]],
    ["what contains it", { "**": within(1), parts: () => false }, ["parts.0.weight"]],
    ["another value", { "**": within(1), other: within(0) }, []],
  ])("doesn't loosen the rule of %s", (_what, compare, changed) => {
    expect(told(compareWith(compare, before, shifted(0.5)))).toMatchObject({ changed });
  });

  test("is called with values that differ, not with their containers", () => {
    const seen: unknown[] = [];
    const after = shifted(1);
    const compare = { "**": (was: unknown) => seen.push(was) > 0 };
    expect(tolerate(diff(before, after), { before, after, keyBy: {}, compare }).diff.equal).toBe(true);
    expect(seen).toStrictEqual([0.4, 0.2]);
  });

  test("tolerates numbers that are all a little off, even if some equal those next to them", () => {
    const series = Array.from({ length: 20 }, (_, index) => index);
    const later = series.map((number) => number + 1);
    expect(compareWith({ "**": within(1) }, { series }, { series: later }).diff.equal).toBe(true);
    expect(compareWith({ "**": within(0.5) }, { series }, { series: later }).diff.entries).toHaveLength(2);
  });

  test("tolerates changes in elements that moved, but not an inserted one", () => {
    const item = (id: string, price: number): object => ({ id, price, kind: "item" });
    const old = [item("a", 1), item("b", 2), item("c", 3)];
    const now = [item("n", 9), item("a", 1), item("b", 2.001), item("c", 3)];
    const compare = { "*.price": within(0.01), price: within(0.01) };
    const aligned = tolerate(diff(old, now), { before: old, after: now, keyBy: {}, compare });
    expect(aligned.tolerated.map(({ entry }) => entry.path)).toStrictEqual([[2, "price"]]);
    expect(aligned.diff.entries.map(({ path }) => path)).toStrictEqual([[0]]);
    const keyBy = { hits: { by: "id", ordered: true } };
    const [left, right] = [{ hits: old }, { hits: [...old.slice(1), old[0]] }];
    const moved = compareWith({ "**": anything() }, left, right, keyBy);
    expect(moved.diff.entries).toStrictEqual([
      { path: ["hits", "a", "(position)"], before: 1, after: 3, edit: "moved" },
    ]);
  });
});

describe("an index applies to elements that are at this index in both lists", () => {
  const element = (id: string, at = 1): object => ({ id, at, text: `text of ${id}` });
  const list = ["a", "b", "c"].map((id) => element(id));
  const later = (start: number): readonly object[] => list.slice(start).map((each) => ({ ...each, at: 2 }));

  test.each<[string, CompareBy, unknown, unknown, readonly string[]]>([
    ["an element inserted in front", { "l.0": anything() }, list, [element("x"), ...list], ["l.0"]],
    ["the first element removed", { "l.0": anything() }, list, list.slice(1), ["l.0"]],
    ["an element inserted between", { "l.1": anything() }, list, [list[0], element("x"), list[1], list[2]], ["l.1"]],
    [
      "a field of the first, removed one's successor",
      { "l.0.at": anything() },
      list,
      later(1),
      ["l.0", "l.0.at", "l.1.at"],
    ],
    [
      "a field of the first, now second",
      { "l.0.at": anything() },
      list,
      [element("x"), ...later(0)],
      ["l.0", "l.1.at", "l.2.at", "l.3.at"],
    ],
    ["the first one changed, the second removed", { "l.0": anything() }, list, [{ id: "z" }, list[2]], ["l.1"]],
    ["all elements by one name for each", { "l.*": anything() }, list, [element("x"), ...list], []],
    ["an element added at the end", { "l.3": anything() }, list, [...list, element("x")], []],
    ["the last element removed", { "l.2": anything() }, list, list.slice(0, 2), []],
    ["a list in the first element", { "l.0.rows": anything() }, [{ rows: [1, 2] }], [{ rows: [0, 1, 2] }], []],
    ["an inner index", { "l.rows.0": anything() }, [{ rows: [1, 2] }], [{ rows: [0, 1, 2] }], ["l.0.rows.0"]],
  ])("%s", (_title, compare, before, after, changed) => {
    expect(told(compareWith(compare, { l: before }, { l: after }))).toMatchObject({ changed });
  });
});
