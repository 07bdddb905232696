import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { stableStringify } from "../../../kernel/json/canonical-json.ts";
import type { Schema } from "../../../kernel/step/schema.ts";
import { arbitraryOf } from "./arbitrary-of.ts";

const SAMPLES = process.env["VERITEST_FAULTS"] === "full" ? 10_000 : 600;

interface Tree {
  readonly name: string;
  readonly children: readonly Tree[];
}
const tree: z.ZodType<Tree> = z.object({ name: z.string(), children: z.array(z.lazy(() => tree)).max(3) });
const linked = z.object({
  value: z.int(),
  get next() {
    return linked.optional();
  },
});
type Term = number | { readonly add: readonly [Term, Term] };
const term: z.ZodType<Term> = z.union([
  z.number(),
  z.object({ add: z.tuple([z.lazy(() => term), z.lazy(() => term)]) }),
]);
const line = z.object({
  sku: z.string().regex(/^[A-Z]{2}-\d{3}$/),
  quantity: z.int().min(1),
  price: z.number().min(0),
});

const SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  "a text": z.string(),
  "a text of some length": z.string().min(3).max(5),
  "a text of one length": z.string().length(7),
  "a text that is not empty once trimmed": z.string().trim().min(1),
  "a text in lower case": z.string().toLowerCase().min(2),
  "a text that must be in upper case": z.string().uppercase().min(1),
  "a text with a frame": z.string().startsWith("inv-").endsWith("-x").includes("mid"),
  "a pattern": z.string().regex(/^[a-f]{2,4}\d+(?:-x|y)$/),
  "a pattern of some length": z.string().regex(/^\d+$/).min(2).max(6),
  "an e-mail address": z.email(),
  "a UUID": z.uuid(),
  "a UUID of version 7": z.uuidv7(),
  "a URL": z.url(),
  "a date and time": z.iso.datetime(),
  "a date and time with an offset and no fractions": z.iso.datetime({ offset: true, precision: 0 }),
  "a local date and time": z.iso.datetime({ local: true }),
  "a date in a text": z.iso.date(),
  "a time of day": z.iso.time(),
  "a duration": z.iso.duration(),
  "an IPv4 address": z.ipv4(),
  "an IPv6 address": z.ipv6(),
  "a CIDR block": z.cidrv4(),
  base64: z.base64(),
  base64url: z.base64url(),
  "a JWT": z.jwt(),
  "a nanoid": z.nanoid(),
  "a ULID": z.ulid(),
  "a host's name": z.hostname(),
  emoji: z.emoji(),
  "a password by lookahead": z
    .string()
    .regex(/^(?=.*\d).{8,}$/)
    .min(8),
  "a text that says yes or no": z.stringbool(),
  "a date far away": z.date().min(new Date("2150-01-01")),
  "a phone number": z.e164(),
  "a number": z.number(),
  "a number between bounds": z.number().gt(0).lt(1),
  "a whole number": z.int(),
  "a whole number in 32 bits": z.int32(),
  "a positive whole number": z.number().int().positive().max(9),
  "a multiple of a quarter": z.number().multipleOf(0.25).min(-3),
  "a multiple of a cent": z.number().multipleOf(0.01).min(0).max(100),
  "a float of 32 bits": z.float32(),
  "a bigint": z.bigint().min(3n).max(90n).multipleOf(3n),
  "a boolean": z.boolean(),
  "a date": z.date().min(new Date("2020-01-01")).max(new Date("2021-01-01")),
  "null, undefined and NaN": z.tuple([z.null(), z.undefined(), z.nan()]),
  anything: z.object({ any: z.any(), unknown: z.unknown() }),
  "a literal of several": z.literal(["a", 1, null, true]),
  "an enum": z.enum(["red", "green"]),
  "an enum of numbers": z.enum({ A: 1, B: 2 }),
  "an object": line,
  "a strict object": z.strictObject({ a: z.string().optional(), b: z.number().nullable() }),
  "a loose object": z.looseObject({ a: z.string() }),
  "an object with a catchall": z.object({ a: z.string() }).catchall(z.number()),
  "fields with defaults": z.object({ a: z.string().default("x"), b: z.int().prefault(3), c: z.string().catch("y") }),
  "partial and required": z.object({ a: z.string(), b: z.int() }).partial().required({ b: true }),
  "a list": z.array(line).min(1).max(3),
  "a list of one length": z.array(z.boolean()).length(2),
  "a tuple with a rest": z.tuple([z.string(), z.int()], z.boolean()),
  "a tuple with optional parts": z.tuple([z.string(), z.int().optional(), z.boolean().optional()]),
  "a set": z.set(z.int()).min(1).max(4),
  "a map": z.map(z.string(), z.object({ n: z.int() })).min(1),
  "a record": z.record(z.string(), z.int()),
  "a record of known names": z.record(z.enum(["a", "b"]), z.int()),
  "a partial record": z.partialRecord(z.enum(["a", "b"]), z.int()),
  "a union": z.union([z.string(), z.int(), z.array(z.boolean())]),
  "a union told apart by a field": z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("card"), number: z.string().length(4) }),
    z.object({ kind: z.literal("cash"), amount: z.number().min(0) }),
  ]),
  "an intersection": z.intersection(z.object({ a: z.string() }), z.object({ b: z.int() })),
  "a template": z.templateLiteral(["v", z.int().min(0), ".", z.enum(["a", "b"])]),
  "a brand, read-only": z.string().brand("id").readonly(),
  "a transform": z.string().transform((text) => text.length),
  "a transform with a schema behind it": z
    .string()
    .transform((text) => Number.parseInt(text, 10))
    .pipe(z.number())
    .or(z.int()),
  "a preprocess": z.preprocess((value) => Number(value), z.number().min(0)),
  "a codec": z.codec(z.iso.datetime(), z.date(), {
    decode: (text) => new Date(text),
    encode: (at) => at.toISOString(),
  }),
  "a refinement": z
    .int()
    .min(0)
    .max(100)
    .refine((value) => value % 7 === 0, "not a multiple of 7"),
  "a refinement over fields": z
    .object({ from: z.int().min(0).max(50), to: z.int().min(0).max(50) })
    .refine(({ from, to }) => from <= to, "from is after to"),
  "what is no longer optional": z.string().optional().nonoptional(),
  JSON: z.json(),
  "a tree": tree,
  "a linked list": linked,
  "a term": term,
};

describe(`${Object.keys(SCHEMAS).length} schemas: each generated value parses`, () => {
  test.each(Object.entries(SCHEMAS))("%s", (_name, schema) => {
    const failed: unknown[] = [];
    for (const value of fc.sample(arbitraryOf(schema), SAMPLES))
      if (!schema.safeParse(value).success) failed.push(value);
    expect(failed.slice(0, 3)).toEqual([]);
  });
});

/** How large a value is, as people see it. */
function sizeOf(value: unknown): number {
  if (value instanceof Map) return sizeOf([...value]);
  if (value instanceof Set) return sizeOf([...value]);
  if (typeof value === "bigint") return String(value).length;
  if (typeof value === "boolean") return 1;
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + sizeOf(one), 2);
  return stableStringify(value).length;
}

describe("shrunk values parse and aren't larger than the value that failed", () => {
  test.each(Object.entries(SCHEMAS))("%s", (_name, schema) => {
    for (const seed of [1, 2, 3]) {
      const seen: unknown[] = [];
      const found = fc.check(
        fc.property(arbitraryOf(schema), (value) => {
          seen.push(value);
          return false;
        }),
        { seed, numRuns: 5 },
      );
      const [shrunk] = found.counterexample ?? [];
      expect(schema.safeParse(shrunk).success).toBe(true);
      expect(sizeOf(shrunk)).toBeLessThanOrEqual(sizeOf(seen[0]));
    }
  });
});

test("shrinks a failing field to its minimal value", () => {
  const bill = z.object({ lines: z.array(line), note: z.string().optional() });
  const found = fc.check(
    fc.property(arbitraryOf(bill), ({ lines }) => lines.every(({ quantity }) => quantity < 10)),
    { seed: 5, numRuns: 2000 },
  );
  expect(found.counterexample).toEqual([
    { lines: [{ sku: expect.stringMatching(/^[A-Z]{2}-\d{3}$/), quantity: 10, price: 0 }] },
  ]);
});

test("includes and omits optional fields, and generates edge values", () => {
  const schema = z.object({ a: z.string().optional(), list: z.array(z.int()), sum: z.int().min(0).max(5).nullable() });
  const samples = fc.sample(arbitraryOf(schema), { numRuns: 2000, seed: 1 });
  expect(new Set(samples.map((value) => "a" in value))).toEqual(new Set([true, false]));
  expect(samples.some(({ list }) => list.length === 0)).toBe(true);
  expect(new Set(samples.map(({ sum }) => sum))).toEqual(new Set([null, 0, 1, 2, 3, 4, 5]));
  // JSON has no undefined.
  expect(samples.every((value) => !("a" in value) || value.a !== undefined)).toBe(true);
});

describe("stored inputs", () => {
  const schema = z.object({ lines: z.array(line).min(1), paid: z.boolean(), note: z.string() });
  const real = [
    {
      lines: [
        { sku: "AB-123", quantity: 2, price: 3 },
        { sku: "CD-456", quantity: 1, price: 1 },
      ],
      paid: true,
      note: "x",
    },
    { lines: "none", paid: true, note: "does not fit" },
  ];

  test("are generated as they are and with small changes, and all parse", () => {
    const samples = fc.sample(arbitraryOf(schema, { near: real }), { numRuns: 2000, seed: 3 });
    expect(samples.filter((value) => !schema.safeParse(value).success)).toEqual([]);
    const texts = samples.map((value) => JSON.stringify(value));
    expect(texts.filter((text) => text === JSON.stringify(real[0])).length).toBeGreaterThan(50);
    expect(texts.some((text) => text.includes("AB-123") && text.includes('"paid":false'))).toBe(true);
    expect(texts.some((text) => !text.includes("AB-123"))).toBe(true);
    expect(
      samples.some(({ lines }) => lines.length === 3 && lines[1]?.sku === "CD-456" && lines[2]?.sku === "CD-456"),
    ).toBe(true);
    expect(new Set(texts).size).toBeGreaterThan(700);
  });

  test("are ignored if they don't parse; a failure shrinks to the stored input", () => {
    expect(
      fc.sample(arbitraryOf(schema, { near: [real[1]] }), 100).every((value) => schema.safeParse(value).success),
    ).toBe(true);
    const isReal = (value: unknown): boolean => JSON.stringify(value).includes("AB-123");
    const found = fc.check(
      fc.property(arbitraryOf(schema, { near: real }), (value) => !isReal(value)),
      { seed: 2 },
    );
    expect(found.counterexample).toEqual([real[0]]);
  });
});

describe("a schema that can't be sampled: the error names the part and what to provide", () => {
  const rare = z.object({
    lines: z.array(z.object({ sku: z.string().refine((text) => text === "the one", "unknown") })),
  });

  test.each<[what: string, schema: Schema, message: string]>([
    [
      "a refinement that lets nothing pass",
      rare,
      'arbitraryOf can\'t generate values for "lines.sku": the schema rejected 1,000 generated values, the last one with the error "unknown". ' +
        'Pass an arbitrary for it: { given: { "lines.sku": fc.… } }.',
    ],
    [
      "a function",
      z.object({ call: z.function() }),
      'arbitraryOf can\'t generate values for "call": its type is function, which data can\'t have. Pass an arbitrary for it: { given: { "call": fc.… } }.',
    ],
    [
      "a promise at the root",
      z.promise(z.string()),
      "arbitraryOf can't generate values for the schema: its type is promise, which data can't have. Use your own fast-check arbitrary instead.",
    ],
    [
      "a class",
      z.object({ at: z.instanceof(URL) }),
      'arbitraryOf can\'t generate values for "at": the schema rejected 1,000 generated values, the last one with the error "Invalid input: expected URL',
    ],
    [
      "a recursion without an end",
      z.lazy(() => z.object({ inner: endless })),
      "arbitraryOf: the schema is recursive and has no finite value. Make the recursive field optional, or an array.",
    ],
    [
      "another library's schema",
      { "~standard": { version: 1, vendor: "other", validate: (value: unknown) => ({ value }) } },
      "arbitraryOf only generates values for schemas of zod 4. For other schemas, use your own fast-check arbitrary.",
    ],
    [
      "never",
      z.never(),
      "arbitraryOf can't generate values for the schema: its type is never, which data can't have. Use your own fast-check arbitrary instead.",
    ],
  ])("%s", (_what, schema, message) => {
    expect(() => fc.sample(arbitraryOf(schema), 50)).toThrow(message);
  });

  test("an arbitrary in `given` replaces the part, and its values still have to parse", () => {
    const given = { "lines.sku": fc.constant("the one") };
    expect(
      fc.sample(arbitraryOf(rare, { given }), { numRuns: 100, seed: 1 }).some(({ lines }) => lines.length > 0),
    ).toBe(true);
    const wrong = { "lines.sku": fc.constant("another") };
    const least = rare.extend({ lines: rare.shape.lines.min(1) });
    expect(() => fc.sample(arbitraryOf(least, { given: wrong }), 10)).toThrow(/rejected 1,000 generated values/);
  });
});

const endless: z.ZodType = z.lazy(() => z.object({ inner: endless }));
