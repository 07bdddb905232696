import { join } from "node:path";
import { expect, test } from "vitest";
import * as z from "zod";
import * as z3 from "zod/v3";
import { checkInputCase, checkStoredCase } from "../../../test-support/check-stored-case.ts";
import { putBaseline } from "../../../test-support/put-baseline.ts";
import { temporaryProject } from "../../../test-support/temporary-project.ts";
import { openLibrary } from "../../baseline/baseline-library.ts";
import { causeLine } from "../../explain/cause-line.ts";
import { defineStep } from "../../kernel/step/define-step.ts";
import { type Schema, schemaOf } from "../../kernel/step/schema.ts";
import { type LocalSettings, withLocalSettings } from "./local-settings.ts";
import { isPlainObject } from "../../kernel/json/plain-data.ts";

/** The output as a step returns it, and its schema. */
type Version = readonly [returned: object, schema: Schema<object, object>];

/** A change from one version of a step to another, and the line with its cause. */
interface Row {
  readonly before: Version;
  readonly now: Version;
  readonly line: string;
}

const CODE = "cause: code (same requests, same responses, new output)";
const REFUSED = "cause: schema (rejects an output that it accepted before)";
const NONE = "none";

function parses(paths: string): string {
  return `cause: schema (the schema parses the same output differently: ${paths})`;
}

const text = z.object({ b: z.string() });
const upper = z.object({ b: z.string().transform((value) => value.toUpperCase()) });
const toNumber = z.object({ b: z.string().transform(Number) });
const cents = z.object({ b: z.number().transform((value) => value * 100) });
const date = z.string().transform((value) => new Date(value));
const lenient = z.object({ b: z.string().transform(Number).catch(0) });
const option = z.union([z.object({ a: z.number(), b: z.string() }), z.object({ a: z.number() })]);
const kinds = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("x"), b: z.number() }),
  z.object({ kind: z.literal("y") }),
]);
const sum = z.object({ a: z.number(), b: z.number() }).transform((value) => ({ ...value, c: value.a + value.b }));
/** A schema of another library: it keeps the fields it names. */
const named = (...names: readonly string[]): Schema<object, object> =>
  schemaOf<object>((value) => ({
    value: Object.fromEntries(
      Object.entries(isPlainObject(value) ? value : {}).filter(([name]) => names.includes(name)),
    ),
  }));
const items = (price: z.ZodType): z.ZodObject => z.object({ items: z.array(z.object({ price })) });

const ROWS: Readonly<Record<string, Row>> = {
  // Only the schema changed.
  "a coercion is added": {
    before: [{ b: "1" }, text],
    now: [{ b: "1" }, z.object({ b: z.coerce.number() })],
    line: parses("b"),
  },
  "a coercion is removed": {
    before: [{ b: "1" }, z.object({ b: z.coerce.number() })],
    now: [{ b: "1" }, text],
    line: parses("b"),
  },
  "a coercion is removed, and its type is refused": {
    before: [{ b: "1" }, z.object({ b: z.coerce.number() })],
    now: [{ b: "1" }, z.object({ b: z.number() })],
    line: REFUSED,
  },
  "a transform is added": { before: [{ b: "ada" }, text], now: [{ b: "ada" }, upper], line: parses("b") },
  "a transform is removed": {
    before: [{ b: "ada" }, upper],
    now: [{ b: "ada" }, text],
    line: parses("b"),
  },
  "a transform to another type is added": {
    before: [{ b: "1" }, text],
    now: [{ b: "1" }, toNumber],
    line: parses("b"),
  },
  "a transform is added below a transform that stays": {
    before: [{ b: "ada", at: "2026-01-01" }, text.extend({ at: date })],
    now: [{ b: "ada", at: "2026-01-01" }, upper.extend({ at: date })],
    line: parses("b"),
  },
  "a field is dropped": {
    before: [{ a: 1, b: 2 }, z.object({ a: z.number(), b: z.number() })],
    now: [{ a: 1, b: 2 }, z.object({ a: z.number() })],
    line: parses("b"),
  },
  "a loose object becomes a strict one": {
    before: [{ b: "a", more: 1 }, z.looseObject(text.shape)],
    now: [{ b: "a", more: 1 }, z.strictObject(text.shape)],
    line: REFUSED,
  },
  "a loose object becomes one of named fields": {
    before: [{ b: "a", more: 1 }, z.looseObject(text.shape)],
    now: [{ b: "a", more: 1 }, text],
    line: parses("more"),
  },
  "a field is named that was dropped": {
    before: [{ a: 1, b: 2 }, z.object({ a: z.number() })],
    now: [{ a: 1, b: 2 }, z.object({ a: z.number(), b: z.number() })],
    line: parses("b"),
  },
  "a field of a record is named": {
    before: [{ by: { x: { a: 1, b: 2 } } }, z.object({ by: z.record(z.string(), z.object({ a: z.number() })) })],
    now: [{ by: { x: { a: 1, b: 2 } } }, z.object({ by: z.record(z.string(), z.looseObject({})) })],
    line: parses("by.x.b"),
  },
  "a field is renamed": {
    before: [{ b: "a" }, text],
    now: [{ b: "a" }, text.transform(({ b }) => ({ c: b }))],
    line: parses("b, c"),
  },
  "a name of a field changes": {
    before: [{ b: "a" }, text.transform(({ b }) => ({ c: b }))],
    now: [{ b: "a" }, text.transform(({ b }) => ({ d: b }))],
    line: parses("c, d"),
  },
  "a default is added": {
    before: [{ b: "a" }, text],
    now: [{ b: "a" }, text.extend({ unit: z.string().default("EUR") })],
    line: parses("unit"),
  },
  "a default changes": {
    before: [{ b: "a" }, text.extend({ unit: z.string().default("EUR") })],
    now: [{ b: "a" }, text.extend({ unit: z.string().default("USD") })],
    line: parses("unit"),
  },
  "a default is removed": {
    before: [{ b: "a" }, text.extend({ unit: z.string().default("EUR") })],
    now: [{ b: "a" }, text.extend({ unit: z.string().optional() })],
    line: parses("unit"),
  },
  "an enum is narrowed": {
    before: [{ b: "x" }, z.object({ b: z.enum(["x", "y"]) })],
    now: [{ b: "x" }, z.object({ b: z.enum(["y"]) })],
    line: REFUSED,
  },
  "an enum is narrowed, with a value for others": {
    before: [{ b: "x" }, z.object({ b: z.enum(["x", "y"]) })],
    now: [{ b: "x" }, z.object({ b: z.enum(["y"]).catch("y") })],
    line: parses("b"),
  },
  "an element of a list is coerced": {
    before: [{ items: [{ price: "1" }, { price: "2" }] }, items(z.string())],
    now: [{ items: [{ price: "1" }, { price: "2" }] }, items(z.coerce.number())],
    line: parses("items[0].price, items[1].price"),
  },
  "an option of a union is added": {
    before: [{ a: 1, b: "x" }, z.object({ a: z.number() })],
    now: [{ a: 1, b: "x" }, option],
    line: parses("b"),
  },
  "a coercion is added beside a secret": {
    before: [{ b: "1", key: "AKIAIOSFODNN7EXAMPLQ" }, text.extend({ key: z.string() })],
    now: [{ b: "1", key: "AKIAIOSFODNN7EXAMPLQ" }, toNumber.extend({ key: z.string() })],
    line: parses("b"),
  },
  "zod 3: a coercion is added": {
    before: [{ b: "1" }, z3.object({ b: z3.string() })],
    now: [{ b: "1" }, z3.object({ b: z3.coerce.number() })],
    line: parses("b"),
  },
  "another library: a field is dropped": {
    before: [{ a: 1, b: 2 }, named("a", "b")],
    now: [{ a: 1, b: 2 }, named("a")],
    line: parses("b"),
  },
  "another library: a field is named": {
    before: [{ a: 1, b: 2 }, named("a")],
    now: [{ a: 1, b: 2 }, named("a", "b")],
    line: parses("b"),
  },
  // Only the code changed.
  "a value is another one": { before: [{ b: "a" }, text], now: [{ b: "c" }, text], line: CODE },
  "a value below a transform is another one": { before: [{ b: "a" }, upper], now: [{ b: "c" }, upper], line: CODE },
  "code and schema convert, and the schema did so before": {
    before: [{ b: 7 }, cents],
    now: [{ b: 700 }, cents],
    line: CODE,
  },
  "code converts, so that the schema falls back to its own value": {
    before: [{ b: "7" }, lenient],
    now: [{ b: 7 }, lenient],
    line: CODE,
  },
  "a field is left out, so that a default is used": {
    before: [{ b: "a", unit: "EUR" }, text.extend({ unit: z.string().default("USD") })],
    now: [{ b: "a" }, text.extend({ unit: z.string().default("USD") })],
    line: CODE,
  },
  "a field is left out that a transform converts": {
    before: [{ b: "a", at: "2026-01-01" }, text.extend({ at: date.optional().catch(undefined) })],
    now: [{ b: "a" }, text.extend({ at: date.optional().catch(undefined) })],
    line: CODE,
  },
  "another option of a union keeps a field": {
    before: [{ a: 1, b: 2 }, option],
    now: [{ a: 1, b: "2" }, option],
    line: CODE,
  },
  "another option of a union drops a field": {
    before: [{ kind: "x", b: 1 }, kinds],
    now: [{ kind: "y", b: 1 }, kinds],
    line: CODE,
  },
  "a field that the schema computes follows one of the code": {
    before: [{ a: 1, b: 2 }, sum],
    now: [{ a: 1, b: 3, c: 3 }, sum],
    line: CODE,
  },
  "a field is added that the schema drops": { before: [{ b: "a" }, text], now: [{ b: "a", c: 1 }, text], line: CODE },
  "a dropped field is another one": { before: [{ b: "a", c: 1 }, text], now: [{ b: "a", c: 2 }, text], line: NONE },
  "a default that reads the clock changes": {
    before: [{ b: "a" }, text.extend({ day: z.string().default("Monday") })],
    now: [{ b: "a" }, text.extend({ day: z.string().default(() => (Date.now() > 0 ? "Tuesday" : "")) })],
    line: CODE,
  },
  "a default differs from run to run": {
    before: [{ b: "a" }, text.extend({ id: z.string().default(() => crypto.randomUUID()) })],
    now: [{ b: "a" }, text.extend({ id: z.string().default(() => crypto.randomUUID()) })],
    line: "cause: code (differs from run to run with the same responses; crypto.randomUUID at src/check/cause/output-schema.test.ts)",
  },
  // Both changed.
  "another value, and a coercion is added": {
    before: [{ a: 1, b: "1" }, z.object({ a: z.number(), b: z.string() })],
    now: [{ a: 2, b: "1" }, z.object({ a: z.number(), b: z.coerce.number() })],
    line: "cause: mixed: code (with the recorded responses: a: 1 → 2), schema (the schema parses the same output differently: b)",
  },
  "code and schema have another type": {
    before: [{ b: 1 }, z.object({ b: z.number() })],
    now: [{ b: "1" }, text],
    line: CODE,
  },
  "code converts in the place of the schema, and another value is used": {
    before: [{ b: "1" }, z.object({ b: z.coerce.number() })],
    now: [{ b: 2 }, z.object({ b: z.number() })],
    line: CODE,
  },
  "code converts in the place of the schema": {
    before: [{ b: "1" }, z.object({ b: z.coerce.number() })],
    now: [{ b: 1 }, z.object({ b: z.number() })],
    line: NONE,
  },
};

/** Returns a baseline without the hash of the unparsed output, as older versions wrote it. */
function withoutUnparsed(baseline: string): string {
  const old = baseline.replace(/\s*\{[^{}]*"unparsed-output"[^{}]*\},/, "");
  if (old === baseline) throw new Error("the baseline has no hash of the unparsed output");
  return old;
}

/** Checks a step's second version on the baseline of its first. Returns the line with the cause. */
async function lineOf(
  { before, now }: Row,
  { isOld = false, captured = {} }: { readonly isOld?: boolean; readonly captured?: LocalSettings } = {},
): Promise<string> {
  const root = join(temporaryProject("output-schema"), "__baselines__");
  const library = openLibrary(root);
  const stepOf = ([output, schema]: Version): ReturnType<typeof defineStep> =>
    defineStep({
      name: "read",
      input: z.object({}),
      output: schema,
      run: async () => ({ output: structuredClone(output) }),
    });
  const first = await withLocalSettings(captured, async () =>
    checkInputCase(stepOf(before), { input: {}, label: "case", mayCapture: true }, library),
  );
  const file = first.update?.propose().after ?? "";
  putBaseline(first.path, isOld ? withoutUnparsed(file) : file);
  const [stored] = library.all("read");
  if (stored === undefined) throw new Error("nothing is stored");
  const { verdict } = await checkStoredCase(stepOf(now), stored, { root });
  const cause = "cause" in verdict ? verdict.cause : undefined;
  return cause === undefined ? NONE : causeLine(cause, verdict).replace(/:\d+:\d+/, "");
}

test.each(Object.entries(ROWS))("%s", async (_what, row) => {
  expect(await lineOf(row)).toBe(row.line);
});

test("in a baseline of an older version, the cause is code", async () => {
  const row: Row = { before: [{ b: "1" }, text], now: [{ b: "1" }, toNumber], line: "" };
  expect(await lineOf(row, { isOld: true })).toBe(CODE);
});

test("a schema that formats in the local time zone isn't a changed schema", async () => {
  const local = z.object({ at: z.date().transform((value) => value.toLocaleString("en-US")) });
  const version: Version = [{ at: new Date("2026-03-01T14:30:00.000Z") }, local];
  const line = await lineOf({ before: version, now: version, line: "" }, { captured: { timeZone: "Asia/Tokyo" } });
  expect(line).toBe("cause: environment (the result matches the baseline in time zone Asia/Tokyo, but not in UTC)");
});
