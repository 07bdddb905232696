import { expect, test } from "vitest";
import { diff } from "../kernel/diff/diff.ts";
import { formatPath } from "../kernel/text.ts";
import { type Detail, locationOf } from "./detail.ts";
import { foldDetails } from "./fold-lines.ts";

/** Returns the lines of a request's differences: the text of a sentence, or the sign and location of a change. */
function linesOf(before: unknown, after: unknown): string[] {
  const details = diff({ request: before }, { request: after }).entries.map((entry): Detail => {
    const change = { part: "output" as const, path: formatPath(entry.path), before: entry.before, after: entry.after };
    return { kind: "change", lead: "", change: { ...change, cut: false }, role: "evidence" };
  });
  return foldDetails(details).map((detail) => {
    if (detail.kind !== "change") return detail.text;
    const { before: was, after: is } = detail.change;
    const removed = is === undefined ? "- " : "";
    return `${was === undefined ? "+ " : removed}${locationOf(detail)}`;
  });
}

const FIND = { name: "find", description: "Finds an order.", parameters: { order: "number" } };
const NAME = { name: "name", description: "Returns a customer.", parameters: { order: "number" } };
const NOTE = { name: "note", description: "Writes a note.", parameters: { text: "string" } };
const PAY = { name: "pay", description: "Pays money.", parameters: { order: "number", amount: "number" } };

test("a moved element of a request is one line", () => {
  expect(linesOf({ tools: [FIND, NAME, NOTE, PAY] }, { tools: [FIND, NAME, PAY, NOTE] })).toEqual([
    'request.tools[3] moved to [2]: {"description":"Pays money.","name":"pay","parameters":{"amount":"number","order… (+12 characters)',
  ]);
  expect(linesOf(["x", "x", 1, 2, 3, 4], [1, 2, 3, 4, "x"])).toEqual(["- request[1]", 'request[0] moved to [4]: "x"']);
});

test("an element of another list, or with another value, is added", () => {
  expect(linesOf({ a: [1, 2, 3], b: [4, 5] }, { a: [2, 3], b: [4, 5, 1] })).toEqual([
    "- request.a[0]",
    "+ request.b[2]",
  ]);
  expect(linesOf([{ id: "1" }, 5, 6, 7], [5, 6, 7, { id: 1 }])).toEqual(["- request[0]", "+ request[3]"]);
});
