import { expect, test } from "vitest";
import { diffMultiset } from "./diff-labelled-lists.ts";
import { type DiffEntry, sortEntries } from "./entries.ts";

interface Item {
  readonly step: string;
  readonly input: unknown;
}

const a1: Item = { step: "a", input: { amount: 1, to: "x" } };
const a2: Item = { step: "a", input: { amount: 2, to: "x" } };
const a3: Item = { step: "a", input: { amount: 3, to: "x" } };
const b1: Item = { step: "b", input: 1 };

function label(item: unknown): string {
  return String(Reflect.get(Object(item), "step"));
}

test("ignores order", () => {
  expect(diffMultiset([a1, b1, a2], [a2, { input: 1, step: "b" }, a1], { label })).toEqual({
    equal: true,
    entries: [],
  });
});

test("reports one inserted item as one entry", () => {
  expect(diffMultiset([a1, a2], [b1, a1, a2], { label })).toStrictEqual({
    equal: false,
    entries: [{ path: ["b"], before: undefined, after: b1 }],
  });
});

test("reports one removed item as one entry", () => {
  expect(diffMultiset([a1, b1], [a1], { label }).entries).toStrictEqual([
    { path: ["b"], before: b1, after: undefined },
  ]);
});

test("counts equal items", () => {
  expect(diffMultiset([a1, a1], [a1, a1, a1], { label }).entries).toStrictEqual([
    { path: ["a"], before: undefined, after: a1 },
  ]);
  expect(diffMultiset([a1, a1, a1], [a1], { label }).entries).toStrictEqual([
    { path: ["a"], before: a1, after: undefined },
    { path: ["a #2"], before: a1, after: undefined },
  ]);
});

test("shows the inner change of one replaced item of a label", () => {
  expect(diffMultiset([a1, b1], [b1, a2], { label }).entries).toStrictEqual([
    { path: ["a", "input", "amount"], before: 1, after: 2 },
  ]);
});

test("numbers several entries of a label, removals first, in any order of the lists", () => {
  expect(diffMultiset([a1], [a2, a3], { label }).entries).toStrictEqual([
    { path: ["a"], before: a1, after: undefined },
    { path: ["a #2"], before: undefined, after: a2 },
    { path: ["a #3"], before: undefined, after: a3 },
  ]);
  expect(diffMultiset([a1], [a3, a2], { label })).toStrictEqual(diffMultiset([a1], [a2, a3], { label }));
});

test("pairs changed items of a label by the parts that differ between them", () => {
  const pay = (order: string, amount: number, to = "x"): Item => ({ step: "a", input: { order, amount, to } });
  const [p1, p2, p3] = [pay("first", 1), pay("second", 2), pay("third", 3)];
  const entries = (before: readonly Item[], after: readonly Item[]): unknown =>
    diffMultiset(before, after, { label }).entries;
  expect(entries([p1, p2, p3], [pay("third", 4), pay("first", 5), p2])).toStrictEqual([
    { path: ["a", "input", "amount"], before: 1, after: 5 },
    { path: ["a #2", "input", "amount"], before: 3, after: 4 },
  ]);
  const other = pay("fourth", 9, "y");
  const changed = [
    { path: ["a", "input", "amount"], before: 2, after: 6 },
    { path: ["a #2"], before: p1, after: undefined },
    { path: ["a #3"], before: p3, after: undefined },
  ];
  expect(entries([p1, p2, p3], [pay("second", 6)])).toStrictEqual(changed);
  expect(entries([p3, p2, p1], [pay("second", 6)])).toStrictEqual(changed);
  expect(entries([p1], [other, pay("first", 7)])).toStrictEqual([
    { path: ["a", "input", "amount"], before: 1, after: 7 },
    { path: ["a #2"], before: undefined, after: other },
  ]);
});

test("a single item of a label was changed, but of several items only similar ones", () => {
  const ask = (input: unknown): Item => ({ step: "a", input });
  expect(diffMultiset([ask(1)], [ask([2])], { label }).entries).toStrictEqual([
    { path: ["a", "input"], before: 1, after: [2] },
  ]);
  const pay = (to: string, amount: number): Item => ask({ to, amount });
  const replaced = diffMultiset([pay("ann", 1), pay("bob", 2)], [pay("eve", 100), pay("mallory", 200)], { label });
  expect(
    replaced.entries.map(({ path, before, after }) => [path, before !== undefined, after !== undefined]),
  ).toStrictEqual([
    [["a"], true, false],
    [["a #2"], true, false],
    [["a #3"], false, true],
    [["a #4"], false, true],
  ]);
  expect(diffMultiset([pay("ann", 1), pay("bob", 2)], [pay("bob", 3), pay("ann", 4)], { label }).entries).toStrictEqual(
    [
      { path: ["a", "input", "amount"], before: 1, after: 4 },
      { path: ["a #2", "input", "amount"], before: 2, after: 3 },
    ],
  );
});

const CONSTANT = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`field${at}`, `constant ${at}`]));

test.each<readonly [string, readonly object[], readonly object[], readonly (readonly unknown[])[]]>([
  [
    "have most fields in common",
    [
      { ...CONSTANT, score: 0.5 },
      { ...CONSTANT, score: 0.7 },
    ],
    [
      { ...CONSTANT, score: 0.71 },
      { ...CONSTANT, score: 0.51 },
    ],
    [
      ["a", "input", "score"],
      ["a #2", "input", "score"],
    ],
  ],
  [
    "have an ID in common",
    [
      { id: 1, tax: 1, total: 11 },
      { id: 2, tax: 2, total: 22 },
    ],
    [
      { id: 2, tax: 4, total: 24 },
      { id: 1, tax: 3, total: 13 },
    ],
    [
      ["a", "input", "tax"],
      ["a", "input", "total"],
      ["a #2", "input", "tax"],
      ["a #2", "input", "total"],
    ],
  ],
  [
    "have an ID in common beside a list with a new first element",
    [
      { id: 1, lines: [{ sku: "A", count: 1 }] },
      { id: 2, lines: [{ sku: "B", count: 4 }] },
    ],
    [
      {
        id: 1,
        lines: [
          { sku: "Y", count: 7 },
          { sku: "A", count: 1 },
        ],
      },
      {
        id: 2,
        lines: [
          { sku: "Z", count: 7 },
          { sku: "B", count: 4 },
        ],
      },
    ],
    [
      ["a", "input", "lines", 0],
      ["a #2", "input", "lines", 0],
    ],
  ],
  [
    "have an amount in common by chance",
    [
      { to: "ann", amount: 100, note: "rent" },
      { to: "bob", amount: 200, note: "loan" },
    ],
    [
      { to: "eve", amount: 100, note: "gift" },
      { to: "mallory", amount: 300, note: "food" },
    ],
    [["a"], ["a #2"], ["a #3"], ["a #4"]],
  ],
  [
    "have nothing in common but a flag",
    [
      { ok: true, to: "ann", amount: 1 },
      { ok: false, to: "bob", amount: 2 },
    ],
    [
      { ok: true, to: "eve", amount: 100 },
      { ok: true, to: "mallory", amount: 200 },
    ],
    [["a"], ["a #2"], ["a #3"], ["a #4"]],
  ],
])("pairs changed items of a label that %s", (_what, before, after, paths) => {
  const items = (inputs: readonly object[]): readonly Item[] => inputs.map((input) => ({ step: "a", input }));
  expect(diffMultiset(items(before), items(after), { label }).entries.map(({ path }) => path)).toStrictEqual(paths);
});

test("pairs items by values that are objects only when decoded", () => {
  const due = (at: number, n: number): object => ({ step: "a", input: { at: { $date: at }, n } });
  const decode = (item: unknown): unknown =>
    JSON.parse(JSON.stringify(item), (_key, value: unknown) =>
      value instanceof Object && "$date" in value ? new Date(Number(value.$date)) : value,
    );
  const [before, after] = [
    [due(1, 1), due(2, 2)],
    [due(2, 7), due(1, 6)],
  ];
  expect(diffMultiset(before, after, { label: () => "a", decode }).entries).toStrictEqual([
    { path: ["a", "input", "n"], before: 1, after: 6 },
    { path: ["a #2", "input", "n"], before: 2, after: 7 },
  ]);
});

test("each part of changed items is written a few times, and not for each pair", () => {
  let read = 0;
  const items = (value: number): readonly Item[] =>
    Array.from({ length: 30 }, (_item, at) => ({
      step: "a",
      input: {
        at,
        text: `${value}`,
        page: {
          get rows(): readonly number[] {
            read += 1;
            return [at];
          },
        },
      },
    }));
  expect(diffMultiset(items(1), items(2), { label }).entries).toHaveLength(30);
  expect(read).toBeLessThan(60 * 10);
});

test("a number never produces the name of another label", () => {
  const odd = { step: "a #2", input: 0 };
  expect(diffMultiset([], [a1, a2, odd], { label }).entries).toStrictEqual([
    { path: ["a"], before: undefined, after: a1 },
    { path: ["a #2"], before: undefined, after: odd },
    { path: ["a #3"], before: undefined, after: a2 },
  ]);
});

test("reports unequal JSON that differs only in undefined", () => {
  const [before, after] = [[1], [1, undefined]];
  expect(diffMultiset([before], [after], { label: () => "x" }).entries).toStrictEqual([{ path: ["x"], before, after }]);
});

test("sorts entries by path", () => {
  expect(diffMultiset([b1, a1], [], { label }).entries.map((entry) => entry.path)).toEqual([["a"], ["b"]]);
});

test("refuses an item that isn't JSON", () => {
  expect(() => diffMultiset([], [{ step: "a", input: new Map() }], { label })).toThrow(
    new TypeError('JSON cannot represent a Map at "input". Convert it to plain data first'),
  );
});

test("sorts a removed element before another entry of its path", () => {
  const removed: DiffEntry = { path: [1], before: "a", after: undefined, edit: "removed" };
  const added: DiffEntry = { path: [1], before: undefined, after: "b", edit: "inserted" };
  expect(sortEntries([added, removed])).toStrictEqual([removed, added]);
  expect(sortEntries([removed, added])).toStrictEqual([removed, added]);
});
