import { expect, test } from "vitest";
import * as z from "zod";
import { thrownViolations } from "./thrown-violations.ts";

function thrownBy(run: () => unknown): unknown {
  try {
    return run();
  } catch (thrown) {
    return thrown;
  }
}

const answer = z.object({ total: z.number().max(5), unit: z.enum(["g", "kg"]), note: z.string() });

test("a violation has the kind of its issue, also in the cause of another error", () => {
  const thrown = thrownBy(() => answer.parse({ total: 9, unit: "lb", note: 1 }));
  const violations = [
    { path: ["total"], kind: "refinement", message: "Too big: expected number to be <=5" },
    { path: ["unit"], kind: "other", message: 'Invalid option: expected one of "g"|"kg"' },
    { path: ["note"], kind: "type", message: "Invalid input: expected string, received number" },
  ];
  expect(thrownViolations(thrown)).toStrictEqual(violations);
  expect(thrownViolations(new Error("no answer", { cause: new Error("no JSON", { cause: thrown }) }))).toStrictEqual(
    violations,
  );
});

test("a violation at an absent value is of the kind missing, by the messages of zod 4 and the issues of zod 3", () => {
  const message = "Invalid input: expected string, received undefined";
  expect(thrownViolations(thrownBy(() => answer.parse({ total: 1, unit: "g" })))).toStrictEqual([
    { path: ["note"], kind: "missing", message },
  ]);
  expect(thrownViolations(thrownBy(() => z.string().parse(undefined)))).toStrictEqual([
    { path: [], kind: "missing", message },
  ]);
  const issues = [
    { code: "invalid_type", expected: "string", received: "undefined", path: ["note"], message: "Required" },
    { code: "invalid_type", expected: "string", received: "number", path: ["note"], message: "Expected string" },
  ];
  expect(thrownViolations({ issues }).map(({ kind }) => kind)).toStrictEqual(["missing", "type"]);
});

test("an error without issues of a schema has no violations", () => {
  for (const thrown of [new Error("no"), { issues: [] }, { issues: ["a text"] }, undefined, null, "issues"])
    expect(thrownViolations(thrown)).toStrictEqual([]);
});
