import { expect, test } from "vitest";
import { z } from "zod";
import { parseWith } from "./parse-with.ts";
import { partialSchema } from "./partial-schema.ts";
import type { Schema } from "./schema.ts";

const range = z
  .object({ min: z.number(), max: z.number() })
  .refine(({ min, max }) => min <= max, { message: "min is above max", path: ["min"] });

async function problem(schema: Schema<unknown, object>, value: unknown): Promise<string | undefined> {
  const parsed = await parseWith(partialSchema(schema), value);
  return parsed.ok ? undefined : parsed.error.message;
}

async function parsed(schema: Schema<unknown, object>, value: unknown): Promise<unknown> {
  const answer = await parseWith(partialSchema(schema), value);
  return answer.ok ? answer.value : answer.error.message;
}

test("every field of an object is optional, and checked when it is there", async () => {
  const schema = z.object({ a: z.string(), b: z.number().min(1) });
  expect(await parsed(schema, {})).toStrictEqual({});
  expect(await parsed(schema, { b: 2 })).toStrictEqual({ b: 2 });
  expect(await problem(schema, { a: 1, b: 0 })).toBe(
    "a: Invalid input: expected string, received number; b: Too small: expected number to be >=1",
  );
});

test("is partial at the top alone: a nested object is whole or absent", async () => {
  const schema = z.object({ nested: z.object({ a: z.string() }) });
  expect(await problem(schema, { nested: {} })).toBe("nested.a: Invalid input: expected string, received undefined");
});

test("unknown keys are stripped, and defaults apply", async () => {
  expect(await parsed(z.object({ a: z.string().default("x"), b: z.number() }), { more: 1 })).toStrictEqual({ a: "x" });
});

test("strict and loose objects stay what they are", async () => {
  expect(await problem(z.strictObject({ a: z.string() }), { more: 1 })).toBe('(root): Unrecognized key: "more"');
  expect(await parsed(z.looseObject({ a: z.string() }), { more: 1 })).toStrictEqual({ more: 1 });
});

test("a refinement of the object runs once every required field is there", async () => {
  expect(await parsed(range, { min: 3 })).toStrictEqual({ min: 3 });
  expect(await parsed(range, {})).toStrictEqual({});
  expect(await parsed(range, { min: 1, max: 2, more: 3 })).toStrictEqual({ min: 1, max: 2 });
  expect(await problem(range, { min: 3, max: 2 })).toBe("min: min is above max");
});

test("a refined object checks the fields of a part", async () => {
  expect(await problem(range, { min: "3" })).toBe("min: Invalid input: expected number, received string");
  expect(await problem(range, [])).toBe("(root): Invalid input: expected object, received array");
  expect(await problem(range, null)).toBe("(root): Invalid input: expected object, received null");
});

test.each([
  ["optional", z.string().optional()],
  ["nullish", z.string().nullish()],
  ["nullable around optional", z.string().optional().nullable()],
  ["default", z.string().default("x")],
  ["prefault", z.string().prefault("x")],
  ["catch", z.string().catch("x")],
  ["readonly around optional", z.string().optional().readonly()],
  [
    "transformed default",
    z
      .string()
      .default("x")
      .transform((text) => text),
  ],
])("a refinement does not wait for a field that may be absent: %s", async (_name, field) => {
  const schema = z.object({ a: z.number(), extra: field }).refine(({ a }) => a > 0, "a must be positive");
  expect(await problem(schema, { a: 0 })).toBe("(root): a must be positive");
});

test("an asynchronous refinement of the object is awaited", async () => {
  const schema = z.object({ id: z.string() }).refine(async ({ id }) => id === "k", "unknown id");
  expect(await parsed(schema, { id: "k" })).toStrictEqual({ id: "k" });
  expect(await problem(schema, { id: "x" })).toBe("(root): unknown id");
});

test("the partial form of a refined object is a Standard Schema", async () => {
  const { validate, vendor } = partialSchema(range)["~standard"];
  expect([vendor, await validate({ min: 3 })]).toStrictEqual(["zod", { value: { min: 3 } }]);
  expect(await validate({ min: 3, max: 2 })).toMatchObject({
    issues: [{ message: "min is above max", path: ["min"] }],
  });
});

test.each([
  ["a union", z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])],
  ["a transformed object", z.object({ a: z.string() }).transform((value) => value)],
  ["a record", z.record(z.string(), z.number())],
])("%s has no partial form and checks outputs whole", (_name, schema) => {
  expect(partialSchema(schema)).toBe(schema);
});

test("a schema of another library checks outputs whole", () => {
  const schema: Schema<unknown, object> = {
    "~standard": { version: 1, vendor: "handmade", validate: () => ({ value: {} }) },
  };
  expect(partialSchema(schema)).toBe(schema);
});
