import { expect, test } from "vitest";
import { diffMultiset } from "./diff-labelled-lists.ts";

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
