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
