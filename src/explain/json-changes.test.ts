import { expect, test } from "vitest";
import { detailLines } from "./detail-lines.ts";
import { jsonChanges, jsonDetails, jsonEntries } from "./json-changes.ts";
import type { ReportChange } from "./report-case.ts";

const change = (before: unknown, after: unknown, path = "answer"): ReportChange<unknown> => ({
  part: "output",
  path,
  before,
  after,
  cut: false,
});
const lines = (price: number): string => JSON.stringify({ number: "R-31", lines: [{ sku: "OAK" }, { price }] });

test("shows changes in JSON strings by their paths", () => {
  expect(jsonChanges(change(lines(7.5), lines(7.9)))).toStrictEqual([change(7.5, 7.9, "answer.lines[1].price")]);
  expect(jsonChanges(change("[1,2]", "[1,3]", ""))).toStrictEqual([change(2, 3, "[1]")]);
  expect(jsonEntries({ path: ["a"], before: '{"b":1}', after: '{"b":1,"c":2}' })).toStrictEqual([
    { path: ["a", "c"], before: undefined, after: 2 },
  ]);
});

test.each([
  [
    "a block in prose",
    (price: number): string => `Here it is:\n\`\`\`json\n${lines(price)}\n\`\`\`\nBye.`,
    "lines[1].price",
  ],
  ["a block alone", (price: number): string => `\`\`\`\n${lines(price)}\n\`\`\``, "lines[1].price"],
  ["a line of several", (price: number): string => `${lines(1)}\n${lines(price)}\n${lines(2)}\n`, "[1].lines[1].price"],
  [
    "a JSON string",
    (price: number): string => JSON.stringify([{ arguments: lines(price) }]),
    "[0].arguments.lines[1].price",
  ],
])("shows changes in JSON within %s", (_what, text, path) => {
  const joined = path.startsWith("[") ? `answer${path}` : `answer.${path}`;
  expect(jsonChanges(change(text(7.5), text(7.9)))).toStrictEqual([change(7.5, 7.9, joined)]);
});

test("shows twelve changed prices of forty as twelve changes", () => {
  const prices = (rise: number): string =>
    JSON.stringify(Array.from({ length: 40 }, (_, index) => ({ price: index < 12 ? index + 100 * rise : index })));
  expect(jsonChanges(change(prices(0), prices(1)))).toHaveLength(12);
});

test.each([
  ["prose", "{a", "{b"],
  ["whitespace alone", '{"a":1}', '{ "a": 1 }'],
  ["a list and an object", "[1]", '{"a":1}'],
  ["a value that came", undefined, '{"a":1}'],
  ["a block in other prose", "A\n```\n[1]\n```", "B\n```\n[2]\n```"],
  ["integers that JSON rounds", '{"id":12345678901234567890,"n":1}', '{"id":12345678901234567891,"n":2}'],
  ["very different texts", "[1,1,1,1,1,1,1,1,1,1,1]", "[2,2,2,2,2,2,2,2,2,2,2]"],
])("shows %s unchanged", (_what, before, after) => {
  expect(jsonChanges(change(before, after))).toStrictEqual([change(before, after)]);
});

test("shows the value in the JSON, and the difference of long strings without JSON", () => {
  const shown = (before: string, after: string): readonly string[] =>
    jsonDetails({ kind: "change", role: "changed", lead: "", change: change(before, after) })
      .flatMap((detail) => detailLines(detail, { columns: 60, value: 400, indent: 2 }))
      .map(({ spans }) => spans.map(({ text }) => text).join(""));
  expect(shown(lines(7.5), lines(7.9))).toStrictEqual(["answer.lines[1].price: 7.5 → 7.9"]);
  const long = (end: string): string => `${"x".repeat(100)}${end}`;
  const [, was = "", is = ""] = shown(long("7.5"), long("7.9"));
  expect([was.slice(-4), is.slice(-4)]).toStrictEqual(['7.5"', '7.9"']);
  expect(Math.max(was.length, is.length)).toBeLessThan(60);
});
