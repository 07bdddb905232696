import { expect, test } from "vitest";
import { ZodError, z } from "zod";
import { formatIssues, issuePath, parseWith } from "./parse-with.ts";
import type { Schema } from "./schema.ts";

test("gives the parsed value: unknown keys stripped, defaults and transforms applied", async () => {
  const schema = z.object({ text: z.string().trim(), lang: z.string().default("en") });
  expect(await parseWith(schema, { text: " a ", more: 1 })).toStrictEqual({
    ok: true,
    value: { text: "a", lang: "en" },
  });
});

test("words every issue in one line and keeps the ZodError as the cause", async () => {
  const schema = z.object({ a: z.string(), b: z.object({ c: z.number() }) });
  const parsed = await parseWith(schema, { b: { c: "x" } });
  expect(!parsed.ok && parsed.error.message).toBe(
    "a: Invalid input: expected string, received undefined; b.c: Invalid input: expected number, received string",
  );
  expect(!parsed.ok && parsed.error.cause).toBeInstanceOf(ZodError);
  expect(!parsed.ok && parsed.error.issues.map(({ path }) => path)).toStrictEqual([["a"], ["b", "c"]]);
});

test("an issue of the whole value stands at (root)", async () => {
  const parsed = await parseWith(z.object({}), null);
  expect(!parsed.ok && parsed.error.message).toBe("(root): Invalid input: expected object, received null");
});

test("asynchronous refinements and transforms are awaited, again and again", async () => {
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
])("a schema that throws %s is a problem, not a throw", async (_what, make, message) => {
  const thrown: unknown = make();
  const schema = z.string().refine(() => {
    throw thrown;
  });
  expect(await parseWith(schema, "a")).toStrictEqual({
    ok: false,
    error: { message, issues: [{ message }], cause: thrown },
  });
});

test("works with a Standard Schema that is not zod", async () => {
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

test("a schema that is a function works too", async () => {
  const schema: Schema<unknown, string> = Object.assign(() => "", {
    "~standard": { version: 1, vendor: "handmade", validate: (value: unknown) => ({ value: String(value) }) } as const,
  });
  expect(await parseWith(schema, 5)).toStrictEqual({ ok: true, value: "5" });
});

test("paths hold names and indexes, with a symbol as its text", () => {
  expect(issuePath({ message: "x", path: ["a", 0, Symbol("s"), { key: 1 }] })).toStrictEqual(["a", 0, "Symbol(s)", 1]);
  expect(formatIssues([])).toBe("");
});
