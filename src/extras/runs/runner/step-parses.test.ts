import { afterEach, beforeEach, expect, test } from "vitest";
import * as z from "zod";
import { MatcherStage } from "../../../../test-support/matcher-stage.ts";
import { type AnyStep, defineStep } from "../../../kernel/step/define-step.ts";
import { defineWorkflow } from "../../../kernel/step/define-workflow.ts";
import { invoke } from "../../../kernel/step/command.ts";
import type { Schema } from "../../../kernel/step/schema.ts";
import { configureRedaction } from "../../../redact/current-redactor.ts";
import "../../../vitest-types.ts";
import { workflowStep } from "./workflow-step.ts";

afterEach(() => setPaths());

/** Redacts values at paths, as a run's configuration does. */
function setPaths(...paths: readonly string[]): void {
  process.env["VERITEST_REDACTION"] = JSON.stringify({ paths });
  configureRedaction({});
}

const stage = new MatcherStage(expect);
beforeEach(() => stage.begin());

interface Parts {
  readonly input?: Schema;
  readonly output?: Schema<object, object>;
  readonly begin?: Schema;
  readonly code?: (input: unknown) => object;
}

/** A workflow whose first step invokes the second one. */
function whole({
  input = z.object({ text: z.string() }),
  output = z.looseObject({}),
  begin = z.looseObject({}),
  code = (given) => ({ read: JSON.stringify(given) }),
}: Parts = {}): AnyStep {
  const first = defineStep({
    name: "begin",
    input: begin,
    output: z.looseObject({}),
    run: async (given) => ({ output: { begun: given }, commands: [invoke("rate", { text: " a " })] }),
  });
  const rate = defineStep({ name: "rate", input, output, run: async (given) => ({ output: code(given) }) });
  return workflowStep(defineWorkflow({ name: "whole", version: "1.0.0", steps: { begin: first, rate } }));
}

const text = z.object({ text: z.string() });
const tone = (word: string): Schema => z.object({ text: z.string(), tone: z.string().default(word) });
const unit = (word: string): Schema<object, object> => z.looseObject({ unit: z.string().default(word) });

test.each<[string, string, Parts, Parts]>([
  [
    "adds a default to an input",
    'schema (the schema parses the stored input differently: + rate.input.tone: "dry")',
    { input: text },
    { input: tone("dry") },
  ],
  [
    "has another default in an input",
    'schema (the schema parses the stored input differently: rate.input.tone: "dry" → "warm")',
    { input: tone("dry") },
    { input: tone("warm") },
  ],
  [
    "trims an input",
    'schema (the schema parses the stored input differently: rate.input.text: " a " → "a")',
    { input: text },
    { input: z.object({ text: z.string().trim() }) },
  ],
  [
    "adds a default to the input of the first step",
    'schema (the schema parses the stored input differently: + begin.input.locale: "en")',
    {},
    { begin: z.looseObject({ locale: z.string().default("en") }) },
  ],
  [
    "has another default in an output",
    'schema (the schema parses the stored input differently: rate.output.unit: "EUR" → "USD")',
    { output: unit("EUR") },
    { output: unit("USD") },
  ],
  [
    "has the same default, and the code changed",
    "code (same requests, same responses, new output)",
    { input: tone("dry") },
    { input: tone("dry"), code: () => ({ read: "other" }) },
  ],
  [
    "has a default that the changed code doesn't read",
    "code (same requests, same responses, new output)",
    { input: text, code: () => ({ read: "one" }) },
    { input: tone("dry"), code: () => ({ read: "two" }) },
  ],
])("names the cause if the schema of a workflow's step %s", async (_what, cause, before, now) => {
  await expect(whole(before)).toMatchBaseline({ input: { id: 1 } });
  stage.settle("new");
  await expect(whole(before)).toMatchBaseline({ input: { id: 1 } });
  const message = await stage.message(() => expect(whole(now)).toMatchBaseline({ input: { id: 1 } }));
  expect(message).toContain(`    cause: ${cause}\n`);
});

test.each([[[]], [["output.steps.rate"]]])("stores parsed values only without redaction by path: %j", async (paths) => {
  setPaths(...paths);
  await expect(whole({ input: tone("dry"), code: () => ({ read: 1 }) })).toMatchBaseline({ input: {} });
  expect(stage.stagedText().includes(`"tone": "dry"`)).toBe(paths.length === 0);
});
