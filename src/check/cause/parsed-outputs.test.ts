import { beforeEach, expect, test } from "vitest";
import * as z from "zod";
import { type AnyStep, defineStep } from "../../kernel/step/define-step.ts";
import type { Schema } from "../../kernel/step/schema.ts";
import { MatcherStage } from "../../../test-support/matcher-stage.ts";
import "../../vitest-types.ts";

const stage = new MatcherStage(expect);
beforeEach(() => stage.begin());

function stepOf(output: Schema<object, object>, value: object, keyBy: Record<string, string> = {}): AnyStep {
  return defineStep({ name: "parse", input: z.object({}), output, keyBy, run: async () => ({ output: value }) });
}

const lines = (isLoose: boolean, unit: string = "EUR"): Schema<object, object> =>
  z.object({
    lines: z.array(
      isLoose ? z.looseObject({ sku: z.string() }) : z.object({ sku: z.string(), unit: z.string().default(unit) }),
    ),
  });
const LINES = { lines: [{ sku: "a" }, { sku: "b" }, { sku: "b" }] };
const KEYED = { lines: [{ sku: "a" }] };
const KEY = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJ";

test.each<[string, string, AnyStep, AnyStep]>([
  [
    "trims a text",
    'schema (the schema parses the output differently: name: " Ada" → "Ada")',
    stepOf(z.object({ name: z.string() }), { name: " Ada" }),
    stepOf(z.object({ name: z.string().trim() }), { name: " Ada" }),
  ],
  [
    "adds a default to the elements of a list with a key",
    'schema (the schema parses the output differently: + lines.a.unit: "EUR")',
    stepOf(lines(true), KEYED, { lines: "sku" }),
    stepOf(lines(false), KEYED, { lines: "sku" }),
  ],
  [
    "drops a field with a secret, and trims another",
    'schema (the schema parses the output differently: - apiKey: "«redacted:openai-key#1»", name: " Ada" → "Ada")',
    stepOf(z.looseObject({ name: z.string() }), { name: " Ada", apiKey: KEY }),
    stepOf(z.object({ name: z.string().trim() }), { name: " Ada", apiKey: KEY }),
  ],
  [
    "has another default",
    'schema (the schema parses the output differently: unit: "EUR" → "USD")',
    stepOf(z.object({ sku: z.string(), unit: z.string().default("EUR") }), { sku: "a" }),
    stepOf(z.object({ sku: z.string(), unit: z.string().default("USD") }), { sku: "a" }),
  ],
  [
    "has another default in elements of a list with a key, and the step returns a field that the schema drops",
    'schema (the schema parses the output differently: lines.a.unit: "EUR" → "USD")',
    stepOf(lines(false), { lines: [{ sku: "a", at: 1 }], at: 1 }, { lines: "sku" }),
    stepOf(lines(false, "USD"), { lines: [{ sku: "a", at: 2 }], at: 2 }, { lines: "sku" }),
  ],
  [
    "removes a default",
    "schema (drops from the output: unit)",
    stepOf(z.object({ sku: z.string(), unit: z.string().default("EUR") }), { sku: "a" }),
    stepOf(z.object({ sku: z.string(), unit: z.string().optional() }), { sku: "a" }),
  ],
  [
    "converts to another unit",
    "schema (the schema parses the output differently: total: 700 → 7)",
    stepOf(z.object({ total: z.string().transform((text) => Number(text) * 100) }), { total: "7" }),
    stepOf(z.object({ total: z.coerce.number() }), { total: "7" }),
  ],
  [
    "no longer trims a text",
    'schema (the schema parses the output differently: name: "Ada" → " Ada")',
    stepOf(z.object({ name: z.string().trim() }), { name: " Ada" }),
    stepOf(z.object({ name: z.string() }), { name: " Ada" }),
  ],
  [
    "has another default, and the output has a secret",
    'schema (the schema parses the output differently: unit: "EUR" → "USD")',
    stepOf(z.object({ apiKey: z.string(), unit: z.string().default("EUR") }), { apiKey: KEY }),
    stepOf(z.object({ apiKey: z.string(), unit: z.string().default("USD") }), { apiKey: KEY }),
  ],
  [
    "converts, and the step returns another value",
    "code (same requests, same responses, new output)",
    stepOf(z.object({ total: z.coerce.number() }), { total: "7" }),
    stepOf(z.object({ total: z.coerce.number() }), { total: "8" }),
  ],
  [
    "renames a field, and the step returns another value",
    "code (same requests, same responses, new output)",
    stepOf(
      z.object({ a: z.string() }).transform(({ a }) => ({ b: a })),
      { a: "1" },
    ),
    stepOf(
      z.object({ a: z.string() }).transform(({ a }) => ({ b: a })),
      { a: "2" },
    ),
  ],
  [
    "adds the same default as before, and the step returns fewer elements",
    "code (same requests, same responses, new output)",
    stepOf(lines(false), LINES),
    stepOf(lines(false), { lines: LINES.lines.slice(1) }),
  ],
])("names the cause if the output's schema %s", async (_what, cause, before, now) => {
  await expect(before).toMatchBaseline({ input: {} });
  stage.settle("new");
  const message = await stage.message(() => expect(now).toMatchBaseline({ input: {} }));
  expect(message).toContain(`    cause: ${cause}\n`);
});

const shape = z.discriminatedUnion("type", [
  z.object({ type: z.literal("circle"), radius: z.number() }),
  z.object({ type: z.literal("square"), side: z.number() }),
]);

test.each<[string, string, AnyStep, AnyStep]>([
  [
    "another type of a union",
    "code (same requests, same responses, new output)",
    stepOf(z.object({ shape }), { shape: { type: "circle", radius: 1 } }),
    stepOf(z.object({ shape }), { shape: { type: "square", radius: 1 } }),
  ],
  [
    "a new required field",
    "schema (rejects an output that it accepted before)",
    stepOf(z.object({ id: z.number() }), { id: 1 }),
    stepOf(z.object({ id: z.number(), total: z.number() }), { id: 1 }),
  ],
])("names the cause if the schema refuses %s", async (_what, cause, before, now) => {
  await expect(before).toMatchBaseline({ input: {} });
  stage.settle("new");
  const message = await stage.message(() => expect(now).toMatchBaseline({ input: {} }));
  expect(message).toContain(`    cause: ${cause}\n`);
});
