import { expect, test } from "vitest";
import { turnsOf } from "./turns.ts";

test.each([
  ["of a content", { role: "critic", content: "too long" }],
  ["of parts", { role: "critic", parts: [{ type: "text", content: "too long" }] }],
])("keeps a message of another role %s, so that its text is compared", (_name, message) => {
  const turns = turnsOf([message, { role: "user", content: "hi" }]);
  expect(turns.map(({ role, text }) => [role, text])).toEqual([
    ["user", "too long"],
    ["user", "hi"],
  ]);
});

test("doesn't read data with a role, but without a content, as a message", () => {
  expect(turnsOf([{ role: "admin", name: "Ann" }])).toEqual([]);
});
