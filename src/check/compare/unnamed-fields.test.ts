import { expect, test } from "vitest";
import * as z from "zod";
import * as mini from "zod/mini";
import { z as zod3 } from "zod/v3";
import { type AnyStep, defineStep } from "../../kernel/step/define-step.ts";
import { unnamedFields } from "./unnamed-fields.ts";

const person = z.object({ name: z.string() });
const raw = { name: "a", isAdmin: true };

/** The paths of the fields that a schema doesn't name. */
function unnamed(schema: z.ZodType<object> | z.core.$ZodType<object> | zod3.ZodType<object>, value: object): string[] {
  const step = defineStep({
    name: "s",
    input: z.object({}),
    output: Object(schema),
    run: async () => ({ output: {} }),
  });
  return Object.keys(unnamedFields(value, Object(schema).parse(value), step) ?? {});
}

test.each<[string, z.ZodType<object>, object, readonly string[]]>([
  ["union", z.object({ by: z.union([person, z.object({ id: z.number() })]) }), { by: raw }, ["by.isAdmin"]],
  ["union at the root", z.union([z.object({ id: z.number() }), person]), raw, ["isAdmin"]],
  [
    "discriminated union in a list",
    z.object({ by: z.array(z.discriminatedUnion("kind", [person.extend({ kind: z.literal("a") })])) }),
    { by: [{ ...raw, kind: "a" }] },
    ["by.isAdmin"],
  ],
  ["record", z.object({ by: z.record(z.string(), person) }), { by: { x: raw, y: raw } }, ["by.isAdmin"]],
  ["tuple", z.object({ by: z.tuple([z.string(), person]) }), { by: ["x", raw] }, ["by.isAdmin"]],
  ["rest of a tuple", z.object({ by: z.tuple([z.string()], person) }), { by: ["x", raw] }, ["by.isAdmin"]],
  ["intersection", z.intersection(person, z.object({ n: z.number() })), { ...raw, n: 1 }, ["isAdmin"]],
  [
    "field of an intersection",
    z.object({ by: person }).and(z.object({ n: z.number() })),
    { by: raw, n: 1 },
    ["by.isAdmin"],
  ],
  ["lazy schema", z.object({ by: z.lazy(() => person) }), { by: raw }, ["by.isAdmin"]],
  ["pipe", z.object({ by: person.pipe(person) }), { by: raw }, ["by.isAdmin"]],
  ["Map", z.object({ by: z.map(z.string(), person) }), { by: new Map([["x", raw]]) }, ["by.isAdmin"]],
  ["Set", z.object({ by: z.set(person) }), { by: new Set([raw]) }, ["by.isAdmin"]],
  ["refinement", person.refine(() => true).readonly(), raw, ["isAdmin"]],
  ["field that an object keeps", z.object({}).catchall(person), { by: raw }, ["by.isAdmin"]],
  [
    "field next to a converted one",
    z.object({ by: person, n: z.string().transform(Number) }),
    { by: raw, n: "1" },
    ["by.isAdmin"],
  ],
  [
    "field with a dot in its name",
    z.object({ a: z.object({}) }),
    { a: { b: 1 }, "a.b": 1, c: undefined },
    ["a.b", '["a.b"]'],
  ],
  ["union that keeps all fields", z.union([z.looseObject({ id: z.number() })]), { id: 1, ...raw }, []],
  ["transform", person.transform((kept) => kept), raw, []],
  ["preprocess", z.preprocess((value) => value, person), raw, []],
  ["codec", z.codec(person, person, { decode: (kept) => kept, encode: (kept) => kept }), raw, []],
  ["transform in a union", z.union([person.transform((kept) => kept), z.object({ id: z.number() })]), raw, []],
  [
    "transform in a record",
    z.object({
      by: z.record(
        z.string(),
        person.transform((kept) => kept),
      ),
    }),
    { by: { x: raw } },
    [],
  ],
  ["keys that are converted", z.record(z.string().toUpperCase(), z.number()), { x: 1 }, []],
])("finds the fields that a schema doesn't name below a %s", (_what, schema, value, paths) => {
  expect(unnamed(schema, value)).toStrictEqual(paths);
});

test("reads what a schema of another library removes, unless it converts", () => {
  const step = { outputSchema: { "~standard": { version: 1, vendor: "own", validate: () => ({ value: {} }) } } };
  const unnamedBy = (value: object, parsed: object): string[] =>
    Object.keys(unnamedFields(value, parsed, Object(step)) ?? {});
  expect(unnamedBy({ by: [raw], n: 1 }, { by: [{ name: "a" }], n: 1 })).toStrictEqual(["by.isAdmin"]);
  expect(unnamedBy({ by: raw, at: "2026" }, { by: { name: "a" }, at: 2026 })).toStrictEqual([]);
  expect(unnamedBy({ by: raw }, { by: { fullName: "a" } })).toStrictEqual([]);
  expect(unnamedBy({ by: raw }, { by: raw })).toStrictEqual([]);
});

test("reads a value at any depth a few times, whatever the depth, and not at all if a schema returned it", () => {
  const step = { outputSchema: { "~standard": { version: 1, vendor: "own", validate: () => ({ value: {} }) } } };
  let reads = 0;
  const nested = (leaf: object): object => Array.from({ length: 50 }).reduce<object>((inner) => ({ inner }), leaf);
  const value = nested({
    extra: 1,
    get leaf() {
      reads += 1;
      return "a";
    },
  });
  expect(unnamedFields(value, value, Object(step))).toBe(undefined);
  expect(reads).toBe(0);
  const names = Object.keys(unnamedFields(value, nested({ leaf: "a" }), Object(step)) ?? {});
  expect(names).toStrictEqual([`${"inner.".repeat(50)}extra`]);
  expect(reads).toBeLessThanOrEqual(2);
});

test("reads the schemas of zod 3 and zod/mini", () => {
  const old = zod3.object({ name: zod3.string() });
  expect(unnamed(zod3.object({ by: old.refine(() => true) }), { by: raw })).toStrictEqual(["by.isAdmin"]);
  expect(
    unnamed(zod3.object({ by: zod3.union([zod3.object({ id: zod3.number() }), old]) }), { by: raw }),
  ).toStrictEqual(["by.isAdmin"]);
  expect(unnamed(zod3.object({ by: zod3.record(zod3.array(old)) }), { by: { x: [raw] } })).toStrictEqual([
    "by.isAdmin",
  ]);
  expect(unnamed(zod3.object({ by: old.brand("person").optional() }), { by: raw })).toStrictEqual(["by.isAdmin"]);
  expect(unnamed(zod3.object({ by: old.transform((kept) => kept) }), { by: raw })).toStrictEqual([]);
  expect(unnamed(zod3.object({ by: zod3.preprocess((value) => value, old) }), { by: raw })).toStrictEqual([]);
  const small = mini.object({ name: mini.string() });
  expect(unnamed(mini.object({ by: mini.array(mini.union([small, mini.string()])) }), { by: [raw] })).toStrictEqual([
    "by.isAdmin",
  ]);
});

test("finds unnamed fields below a union with asynchronous refinements", async () => {
  const isStaff = async (): Promise<boolean> => false;
  const admin = person.extend({ isAdmin: z.boolean() });
  const oldAdmin = zod3.object({ name: zod3.string(), isAdmin: zod3.boolean() });
  const isKnown = async (): Promise<boolean> => true;
  const [known, numbered] = [person.refine(isKnown), z.object({ id: z.number() }).refine(isKnown)];
  const old = zod3.object({ name: zod3.string() }).refine(isKnown);
  const field = z.object({ name: z.string().refine(isKnown) });
  const kinds = z.discriminatedUnion("kind", [
    known.safeExtend({ kind: z.literal("a") }),
    numbered.safeExtend({ kind: z.literal("b") }),
  ]);
  for (const [schema, value, paths] of [
    [z.union([numbered, known]), raw, ["isAdmin"]],
    [z.object({ by: z.array(z.union([person, known])) }), { by: [raw] }, ["by.isAdmin"]],
    [z.object({ by: z.union([z.object({ id: z.number() }), field]) }), { by: raw }, ["by.isAdmin"]],
    [z.object({ by: z.array(kinds) }), { by: [{ ...raw, kind: "a" }] }, ["by.isAdmin"]],
    [z.object({ by: z.union([known, z.looseObject({ name: z.string() })]) }), { by: { name: "a" } }, []],
    [z.union([admin.refine(isStaff), person]), raw, ["isAdmin"]],
    [z.union([known, admin.refine(isKnown)]), raw, ["isAdmin"]],
    [z.union([person.and(admin.refine(isStaff)), person]), raw, ["isAdmin"]],
    [z.object({ by: z.array(z.union([admin.refine(isStaff), person])) }), { by: [raw] }, ["by.isAdmin"]],
    [zod3.union([oldAdmin.refine(isStaff), zod3.object({ name: zod3.string() })]), raw, ["isAdmin"]],
    [z.union([admin.refine(isStaff).transform((kept) => kept), person]), raw, ["isAdmin"]],
    [z.union([admin.refine(isKnown).transform(({ name, isAdmin: admits }) => ({ name, admits })), known]), raw, []],
    [z.union([known.transform(async ({ name: fullName }) => ({ fullName })), known]), raw, []],
    [zod3.object({ by: zod3.union([old, zod3.string()]) }), { by: raw }, ["by.isAdmin"]],
  ] as const) {
    const parsed: unknown = await schema.parseAsync(value);
    const step: AnyStep = defineStep({
      name: "s",
      input: z.object({}),
      output: Object(schema),
      run: () => ({ output: {} }),
    });
    expect(Object.keys(unnamedFields(value, parsed, step) ?? {})).toStrictEqual(paths);
  }
});
