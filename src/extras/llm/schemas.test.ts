import { describe, expect, test } from "vitest";
import { z } from "zod";
import { anthropicSchema, isStrictSchema } from "./provider-schemas.ts";
import { jsonFormat } from "./json-format.ts";
import type { JsonSchema } from "./request.ts";

function schemaOf(schema: z.ZodType): JsonSchema {
  return jsonFormat(schema)?.schema ?? {};
}

describe("OpenAI's strict mode accepts", () => {
  test.each<[string, z.ZodType, boolean]>([
    ["closed objects with required fields", z.object({ a: z.array(z.object({ b: z.string().nullable() })) }), true],
    ["unions", z.object({ a: z.union([z.string(), z.object({ b: z.number() })]) }), true],
    ["enums and constants, whatever is in them", z.object({ a: z.enum(["x"]), b: z.literal(1) }), true],
    [
      "a field called type, properties or enum",
      z.object({ type: z.string(), properties: z.string(), enum: z.string() }),
      true,
    ],
    ["no optional fields", z.object({ a: z.string().optional() }), false],
    ["none deep down either", z.object({ a: z.array(z.object({ b: z.string().default("") })) }), false],
    ["no records", z.object({ a: z.record(z.string(), z.string()) }), false],
    ["no open objects", z.looseObject({ a: z.string() }), false],
  ])("%s", (_what, schema, strict) => {
    expect(isStrictSchema(schemaOf(schema))).toBe(strict);
  });

  test("recursive schemas with definitions", () => {
    const node: z.ZodType = z.object({
      get next() {
        return z.union([node, z.null()]);
      },
    });
    expect(isStrictSchema(schemaOf(node))).toBe(true);
    expect(
      isStrictSchema({ type: "object", properties: {}, additionalProperties: false, $defs: { a: { type: "object" } } }),
    ).toBe(false);
  });

  test("values that look like schemas, unchanged", () => {
    expect(
      isStrictSchema({
        type: "object",
        properties: { a: { const: { type: "object" } } },
        required: ["a"],
        additionalProperties: false,
      }),
    ).toBe(true);
  });
});

describe("the schema for Anthropic has", () => {
  test("limits and patterns as text, and everything else unchanged", () => {
    const schema = z.object({
      name: z.string().min(1).describe("Who."),
      tags: z.array(z.string().regex(/^a/)).min(1),
      pair: z.array(z.number()).min(2),
      kind: z.enum(["minLength", "x"]),
      minimum: z.number().min(3),
    });
    expect(anthropicSchema(schemaOf(schema))).toStrictEqual({
      type: "object",
      properties: {
        name: { type: "string", description: "Who. (minLength: 1)" },
        tags: { type: "array", minItems: 1, items: { type: "string", description: '(pattern: "^a")' } },
        pair: { type: "array", items: { type: "number" }, description: "(minItems: 2)" },
        kind: { type: "string", enum: ["minLength", "x"] },
        minimum: { type: "number", description: "(minimum: 3)" },
      },
      required: ["name", "tags", "pair", "kind", "minimum"],
      additionalProperties: false,
    });
  });

  test("open records, which the SDK's own helper closes", () => {
    expect(anthropicSchema({ type: "object", additionalProperties: { type: "number", minimum: 1 } })).toStrictEqual({
      type: "object",
      additionalProperties: { type: "number", description: "(minimum: 1)" },
    });
  });

  test("a field named __proto__ as a field", () => {
    const schema = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"number","minimum":1}}}');
    expect(JSON.stringify(anthropicSchema(schema))).toBe(
      '{"type":"object","properties":{"__proto__":{"type":"number","description":"(minimum: 1)"}}}',
    );
  });
});

test("sends a schema of another library as its own JSON Schema, if it implements that part of the standard", () => {
  const standard = {
    version: 1,
    vendor: "other",
    validate: (value: unknown) => ({ value }),
    jsonSchema: {
      input: ({ target }: { readonly target: string }) => ({ $schema: target, type: "object", required: ["a"] }),
      output: () => ({ type: "string" }),
    },
  } as const;
  expect(jsonFormat({ "~standard": standard }, "what it is")).toStrictEqual({
    name: "what_it_is",
    schema: { type: "object", required: ["a"] },
  });
  const { jsonSchema: _part, ...plain } = standard;
  expect(jsonFormat({ "~standard": plain })).toBeUndefined();
});
