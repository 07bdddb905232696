import { expect, test } from "vitest";
import { argumentEntries } from "./argument-entries.ts";

test("has the fields of an argument that has nothing in common with the other, but not those of an element in it", () => {
  const rows = [1, 5].map((id) => [{ id, name: id === 1 ? "Ada" : "Bob", size: id + 1 }, "end"]);
  const [before, after] = [
    { model: "small", prompt: "Read.", seed: 1, rows: rows[0] },
    { model: "large", prompt: "Add up.", seed: 2, rows: rows[1] },
  ];
  expect(argumentEntries([before], [after])).toStrictEqual([
    { path: [0, "model"], before: "small", after: "large" },
    { path: [0, "prompt"], before: "Read.", after: "Add up." },
    { path: [0, "rows", 0], before: rows[0]?.[0], after: rows[1]?.[0] },
    { path: [0, "seed"], before: 1, after: 2 },
  ]);
});
