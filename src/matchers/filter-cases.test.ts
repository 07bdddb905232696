import { expect, test } from "vitest";
import { createValueBaseline } from "../baseline/create-baseline.ts";
import type { StoredCase } from "../baseline/baseline-library.ts";
import { filterCases } from "./filter-cases.ts";

function stored(name: string, label: string): StoredCase {
  return {
    path: name,
    file: name,
    text: "",
    baseline: { ok: true, value: createValueBaseline(1, { test: "t", name, labels: [label] }) },
  };
}

const BROKEN: StoredCase = {
  path: "broken",
  file: "broken",
  text: "",
  baseline: { ok: false, error: "Cannot read it." },
};

test("selects the same from a list and from a lazy sequence, without reading ahead", () => {
  const cases = [stored("a", "x"), stored("b", "y"), BROKEN, stored("c", "x")];
  const read: string[] = [];
  const each = function* (): Generator<StoredCase> {
    for (const one of cases) {
      read.push(one.file);
      yield one;
    }
  };
  const filter = { labels: ["x"] };
  expect(filterCases(cases, filter).map(({ file }) => file)).toStrictEqual(["a", "broken", "c"]);
  const [first] = filterCases(each(), filter);
  expect([first?.file, read]).toStrictEqual(["a", ["a"]]);
  expect([...filterCases(each(), filter)].map(({ file }) => file)).toStrictEqual(["a", "broken", "c"]);
});

const MARCH = [stored("march receipt", "x"), stored("may receipt", "x")];

test.each<[readonly string[], readonly StoredCase[], string]>([
  [
    ["march receipt", "april receipt"],
    MARCH,
    'names: No baseline has the name "april receipt". Similar: "march receipt", "may receipt".',
  ],
  [["june", "march receipt"], MARCH.slice(0, 1), 'names: No baseline has the name "june". Known: "march receipt".'],
])("refuses the names %j, of which one is unknown, and names the nearest", (names, cases, message) => {
  expect(() => filterCases(cases, { names })).toThrow(new TypeError(message));
  expect(() => [...filterCases(cases[Symbol.iterator](), { names })]).toThrow(new TypeError(message));
});

test("leaves names to the caller if the filter matches nothing, or if an unreadable file may have them", () => {
  expect(filterCases(MARCH, { names: ["june"] })).toStrictEqual([]);
  expect(filterCases(MARCH, { meta: JSON.parse('{"toString":"x","__proto__":"y"}') })).toStrictEqual([]);
  expect(filterCases([...MARCH, BROKEN], { names: ["march receipt", "june"] })).toHaveLength(2);
  expect(filterCases(MARCH, { names: ["march receipt"], labels: ["y"] })).toStrictEqual([]);
});
