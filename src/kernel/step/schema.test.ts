import { expect, test } from "vitest";
import { ZodError, z } from "zod";
import { z as zod3 } from "zod/v3";
import { type Schema, formatIssues, issuePath, parseWith, partialSchema } from "./schema.ts";

test("returns the parsed value: unknown keys removed, defaults and transforms applied", async () => {
  const schema = z.object({ text: z.string().trim(), lang: z.string().default("en") });
  expect(await parseWith(schema, { text: " a ", more: 1 })).toStrictEqual({
    ok: true,
    value: { text: "a", lang: "en" },
  });
});

test("describes every issue in one line, and keeps the ZodError as the cause", async () => {
  const schema = z.object({ a: z.string(), b: z.object({ c: z.number() }) });
  const parsed = await parseWith(schema, { b: { c: "x" } });
  expect(!parsed.ok && parsed.error.message).toBe(
    "a: Invalid input: expected string, received undefined; b.c: Invalid input: expected number, received string",
  );
  expect(!parsed.ok && parsed.error.cause).toBeInstanceOf(ZodError);
  expect(!parsed.ok && parsed.error.issues.map(({ path }) => path)).toStrictEqual([["a"], ["b", "c"]]);
});

test("reports an issue of the value itself at (root)", async () => {
  const parsed = await parseWith(z.object({}), null);
  expect(!parsed.ok && parsed.error.message).toBe("(root): Invalid input: expected object, received null");
});

test("parses with schemas of zod 3, also asynchronous ones", async () => {
  const schema = zod3.object({ id: zod3.string().refine(async (id) => id.startsWith("k"), "not a key") });
  expect(await parseWith(schema, { id: "k1", more: 1 })).toStrictEqual({ ok: true, value: { id: "k1" } });
  const refused = await parseWith(schema, { id: "1" });
  expect(!refused.ok && refused.error.message).toBe("id: not a key");
  const shout = zod3.string().transform(async (text) => text.toUpperCase());
  for (const text of ["a", "b"])
    expect(await parseWith(shout, text)).toStrictEqual({ ok: true, value: text.toUpperCase() });
});

test.each([
  z.object({ id: z.string().transform(async (text) => text.toUpperCase()) }),
  z.object({ id: z.string().pipe(z.string().transform(async (text) => text.toUpperCase())) }),
  z.object({ id: z.union([z.number(), z.string().transform(async (text) => text.toUpperCase())]) }),
])("awaits an asynchronous transform of a field", async (schema) => {
  for (const id of ["a", "b"])
    expect(await parseWith(schema, { id })).toStrictEqual({ ok: true, value: { id: id.toUpperCase() } });
  expect(await parseWith(schema, { id: false })).toMatchObject({
    ok: false,
    error: { message: expect.stringMatching(/^id: Invalid input/) },
  });
});

test("awaits asynchronous refinements and transforms each time", async () => {
  const schema = z.object({ id: z.string().refine(async (id) => id.startsWith("k"), "not a key") });
  const shout = z.string().transform(async (text) => text.toUpperCase());
  for (const _round of [1, 2]) {
    expect(await parseWith(schema, { id: "k1" })).toStrictEqual({ ok: true, value: { id: "k1" } });
    const refused = await parseWith(schema, { id: "x" });
    expect(!refused.ok && refused.error.message).toBe("id: not a key");
    expect(await parseWith(shout, "a")).toStrictEqual({ ok: true, value: "A" });
  }
});

test.each([
  ["an Error", () => new TypeError("no such table"), "no such table"],
  ["a text", () => "no such table", "no such table"],
  ["an object without text", () => Object.create(null), "an object was thrown"],
])("a schema that throws %s is a problem, and doesn't throw", async (_what, make, message) => {
  const thrown: unknown = make();
  const schema = z.string().refine(() => {
    throw thrown;
  });
  expect(await parseWith(schema, "a")).toStrictEqual({
    ok: false,
    error: { message, issues: [{ message }], cause: thrown },
  });
});

test("works with a Standard Schema that isn't zod", async () => {
  const issues = [
    { message: "too short", path: ["name"] },
    { message: "odd", path: [{ key: "ids" }, { key: 2 }] },
    { message: "empty" },
  ];
  const validate = (value: unknown) => (value === "good" ? { value: 1 } : { issues });
  const schema: Schema<unknown, number> = { "~standard": { version: 1, vendor: "handmade", validate } };
  const slow: Schema<unknown, number> = {
    "~standard": { version: 1, vendor: "handmade", validate: async (value) => validate(value) },
  };
  for (const each of [schema, slow]) {
    expect(await parseWith(each, "good")).toStrictEqual({ ok: true, value: 1 });
    expect(await parseWith(each, "bad")).toStrictEqual({
      ok: false,
      error: { message: "name: too short; ids.2: odd; (root): empty", issues, cause: issues },
    });
  }
});

test("accepts a schema that is a function", async () => {
  const schema: Schema<unknown, string> = Object.assign(() => "", {
    "~standard": { version: 1, vendor: "handmade", validate: (value: unknown) => ({ value: String(value) }) } as const,
  });
  expect(await parseWith(schema, 5)).toStrictEqual({ ok: true, value: "5" });
});

test("paths have names and indexes, and symbols as text", () => {
  expect(issuePath({ message: "x", path: ["a", 0, Symbol("s"), { key: 1 }] })).toStrictEqual(["a", 0, "Symbol(s)", 1]);
  expect(formatIssues([])).toBe("");
});

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

test("every field of an object is optional, and checked if present", async () => {
  const schema = z.object({ a: z.string(), b: z.number().min(1) });
  expect(await parsed(schema, {})).toStrictEqual({});
  expect(await parsed(schema, { b: 2 })).toStrictEqual({ b: 2 });
  expect(await problem(schema, { a: 1, b: 0 })).toBe(
    "a: Invalid input: expected string, received number; b: Too small: expected number to be >=1",
  );
});

test("is partial at the top level only: a nested object is complete or absent", async () => {
  const schema = z.object({ nested: z.object({ a: z.string() }) });
  expect(await problem(schema, { nested: {} })).toBe("nested.a: Invalid input: expected string, received undefined");
});

test("removes unknown keys, and applies defaults", async () => {
  expect(await parsed(z.object({ a: z.string().default("x"), b: z.number() }), { more: 1 })).toStrictEqual({ a: "x" });
});

test("strict and loose objects stay strict and loose", async () => {
  expect(await problem(z.strictObject({ a: z.string() }), { more: 1 })).toBe('(root): Unrecognized key: "more"');
  expect(await parsed(z.looseObject({ a: z.string() }), { more: 1 })).toStrictEqual({ more: 1 });
});

test("a refinement of the object runs once every required field is present", async () => {
  expect(await parsed(range, { min: 3 })).toStrictEqual({ min: 3 });
  expect(await parsed(range, {})).toStrictEqual({});
  expect(await parsed(range, { min: 1, max: 2, more: 3 })).toStrictEqual({ min: 1, max: 2 });
  expect(await problem(range, { min: 3, max: 2 })).toBe("min: min is above max");
});

test("a refined object checks the fields of a partial value", async () => {
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
])("a refinement runs without a field that may be absent: %s", async (_name, field) => {
  const schema = z.object({ a: z.number(), extra: field }).refine(({ a }) => a > 0, "a must be positive");
  expect(await problem(schema, { a: 0 })).toBe("(root): a must be positive");
});

test("awaits an asynchronous refinement of the object", async () => {
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
])("%s has no partial form and checks complete outputs", (_name, schema) => {
  expect(partialSchema(schema)).toBe(schema);
});

test("a schema of another library checks complete outputs", () => {
  const schema: Schema<unknown, object> = {
    "~standard": { version: 1, vendor: "handmade", validate: () => ({ value: {} }) },
  };
  expect(partialSchema(schema)).toBe(schema);
});
