import { expect, test } from "vitest";
import { z } from "zod";
import { defineStep } from "./define-step.ts";

const schemas = {
  input: z.object({ text: z.string() }),
  output: z.object({ length: z.number(), words: z.array(z.string()) }),
};

test("keeps the name, the schemas, keyBy and run", () => {
  const run = () => ({ output: {} });
  const keyBy = { words: "id" };
  const step = defineStep({ name: "measure", ...schemas, keyBy, run });
  expect([step.name, step.inputSchema, step.outputSchema, step.keyBy, step.run]).toStrictEqual([
    "measure",
    schemas.input,
    schemas.output,
    keyBy,
    run,
  ]);
});

test("a step without keyBy has an empty one", () => {
  expect(defineStep({ name: "measure", ...schemas, run: () => ({ output: {} }) }).keyBy).toStrictEqual({});
});

test("derives a schema with every output field optional", async () => {
  const { partialOutputSchema } = defineStep({ name: "measure", ...schemas, run: () => ({ output: {} }) });
  expect(await partialOutputSchema["~standard"].validate({ length: 3 })).toStrictEqual({ value: { length: 3 } });
});

test("a step is frozen", () => {
  const step = defineStep({ name: "measure", ...schemas, run: () => ({ output: {} }) });
  expect(Object.isFrozen(step)).toBe(true);
});

test.each([
  [
    { keyBy: { claims: { by: "id", orderd: true } } },
    'keyBy["claims"]: unknown option "orderd". Did you mean "ordered"?',
  ],
  [{ keyBy: { "**": "id" } }, 'keyBy: "**" can\'t name lists. Name each list by its path.'],
  [{ keyby: { claims: "id" } }, 'defineStep "measure": unknown option "keyby". Did you mean "keyBy"?'],
  [{ roles: { "shop.pay": "writes" } }, 'defineStep "measure": roles["shop.pay"] is "writes". Did you mean "write"?'],
  [{ roles: { gpt: "modle" } }, 'defineStep "measure": roles["gpt"] is "modle". Did you mean "model"?'],
  [{ calls: "write" }, 'defineStep "measure": calls is "write". Did you mean "writes"?'],
])("refuses the misspelled %j", (more, message) => {
  // @ts-expect-error TypeScript refuses these words as well.
  const define = () => defineStep({ name: "measure", ...schemas, run: () => ({ output: {} }), ...more });
  expect(define).toThrow(new TypeError(message));
});

const run = () => ({ output: {} });
const noSchema = (option: string): string =>
  `defineStep "measure": "${option}" isn't a schema. Add one, for example ${option}: z.object({ … }).`;
const noName = 'defineStep: the step has a blank name. Name it, for example "extract".';

test.each([
  [undefined, noName],
  [{ ...schemas, run }, noName],
  [{ name: 1, ...schemas, run }, noName],
  [{ name: "measure", run }, noSchema("input")],
  [{ name: "measure", input: schemas.input, run }, noSchema("output")],
  [{ name: "measure", ...schemas, output: { length: "number" }, run }, noSchema("output")],
  [
    { name: "measure", ...schemas },
    'defineStep "measure": "run" isn\'t a function. Add it, for example run: (input) => ({ output: { … } }).',
  ],
])("refuses what JavaScript allows: %j", (config, message) => {
  // @ts-expect-error TypeScript requires all of them.
  expect(() => defineStep(config)).toThrow(new TypeError(message));
});

test.each(["", "  ", "\n"])("refuses the blank name %j", (name) => {
  const define = () => defineStep({ name, ...schemas, run: () => ({ output: {} }) });
  expect(define).toThrow(new TypeError('defineStep: the step has a blank name. Name it, for example "extract".'));
});
