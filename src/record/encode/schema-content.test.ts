import { expect, test } from "vitest";
import * as z from "zod";
import * as mini from "zod/mini";
import * as z3 from "zod/v3";
import { decode } from "./decode.ts";
import { encodeArguments } from "./encode.ts";

interface Node {
  readonly next?: Node | undefined;
}
const node = (): z3.ZodType<Node> => z3.object({ next: z3.lazy(() => node()).optional() });

test("a schema of zod 4 is recorded as its JSON Schema", () => {
  expect(encodeArguments([{ schema: z.object({ name: z.string().max(5).describe("first name") }) }])).toStrictEqual([
    {
      schema: {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        type: "object",
        properties: { name: { type: "string", maxLength: 5, description: "first name" } },
        required: ["name"],
      },
    },
  ]);
});

test.each([
  ["a bound", z.string().max(5), z.string().max(6)],
  ["a description", z.string().describe("a"), z.string().describe("b")],
  ["a pattern", z.string().regex(/a/), z.string().regex(/b/)],
  ["a field next to a Date", z.object({ at: z.date(), a: z.string() }), z.object({ at: z.date(), b: z.string() })],
  ["a bound next to a Date", z.tuple([z.date(), z.string().max(5)]), z.tuple([z.date(), z.string().max(6)])],
  ["a lazy schema", z.lazy(() => z.string()), z.lazy(() => z.number())],
  ["a field of zod/mini", mini.object({ a: mini.string() }), mini.object({ b: mini.string() })],
  ["a bound of zod/mini", mini.string().check(mini.maxLength(5)), mini.string().check(mini.maxLength(6))],
  ["a field of zod 3", z3.object({ a: z3.string() }), z3.object({ b: z3.string() })],
  ["a bound of zod 3", z3.object({ a: z3.string().min(3) }), z3.object({ a: z3.string().min(4) })],
  ["a description of zod 3", z3.string().describe("a"), z3.string().describe("b")],
])("another argument differs by %s", (_name, before, after) => {
  expect(encodeArguments([before])).not.toStrictEqual(encodeArguments([after]));
});

test.each([
  ["zod 4", z.object({ at: z.date(), a: z.string() }), z.object({ at: z.date(), a: z.string() })],
  ["zod/mini", mini.object({ a: mini.string() }), mini.object({ a: mini.string() })],
  ["zod 3", z3.object({ a: z3.string() }), z3.object({ a: z3.string() })],
])("a schema of %s that was used is the same argument", (_name, used, unused) => {
  used.safeParse({ a: "b" });
  if ("partial" in used) used.partial().optional();
  expect(encodeArguments([used])).toStrictEqual(encodeArguments([unused]));
});

test("a schema without an end, made by each call of z.lazy, is recorded up to a depth", () => {
  expect(JSON.stringify(encodeArguments([node()])).split("ZodLazy")).toHaveLength(5);
});

test("a function that offers a JSON Schema is recorded as it", () => {
  const schema = Object.assign(() => true, { "~standard": { jsonSchema: { input: () => ({ type: "string" }) } } });
  expect(decode(encodeArguments([schema]))).toStrictEqual([{ type: "string" }]);
});
