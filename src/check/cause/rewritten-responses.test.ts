import { afterEach, beforeEach, expect, test, vi } from "vitest";
import * as z from "zod";
import type { StepContext } from "../../kernel/step/context.ts";
import { type AnyStep, defineStep } from "../../kernel/step/define-step.ts";
import { recordGlobalFetch } from "../../record/interceptors/fetch-recorder.ts";
import { MatcherStage } from "../../../test-support/matcher-stage.ts";
import "../../vitest-types.ts";

const stage = new MatcherStage(expect);
let uninstall = (): void => undefined;
let body = "";

beforeEach(() => {
  stage.begin();
  vi.stubGlobal("fetch", async () => new Response(body, { headers: { "content-type": "application/json" } }));
  uninstall = recordGlobalFetch();
});
afterEach(() => {
  uninstall();
  vi.unstubAllGlobals();
});

const URL = "https://api.shop.test/rows";
const fetchText = async (): Promise<string> => (await fetch(URL)).text();
const fetchKeys = async (): Promise<string> =>
  Object.keys(z.looseObject({}).parse(await (await fetch(URL)).json())).join();

interface Adapters {
  readonly db: { readonly row: (id: number) => Promise<object> };
  readonly llm: { readonly ask: (prompt: string) => Promise<string> };
}

function adaptersOf(row: object, text: string): Adapters {
  return { db: { row: async () => row }, llm: { ask: async () => text } };
}

function stepOf(run: (context: StepContext<Adapters>) => Promise<string>): AnyStep {
  return defineStep({
    name: "rewritten",
    input: z.object({}),
    output: z.object({ text: z.string() }),
    run: async (_input, context: StepContext<Adapters>) => ({ output: { text: await run(context) } }),
  });
}

test.each([
  ["whitespace", fetchText, '{"a":1}', '{ "a": 1 }'],
  ["the order of keys", fetchText, '{"a":1,"b":2}', '{"b":2,"a":1}'],
  ["the order of keys, read as data", fetchKeys, '{"a":1,"b":2}', '{"b":2,"a":1}'],
  ["the form of a number", fetchText, '{"a":1}', '{"a":1.0}'],
  ["an integer of 20 digits", fetchText, '{"a":12345678901234567890}', '{"a":12345678901234567891}'],
])("a response that differs in %s is the cause if the step's result depends on it", async (_what, read, before, now) => {
  const step = stepOf(read);
  body = before;
  await expect(step).toMatchBaseline({ input: {}, adapters: {} });
  stage.settle("new");
  body = now;
  const message = await stage.message(() => expect(step).toMatchBaseline({ input: {}, adapters: {}, mode: "live" }));
  expect(message).toContain("    cause: response (fetch GET https://api.shop.test/rows responded differently)\n");
});

test("another order of a row's columns in a prompt is the cause of the model's other response", async () => {
  const step = stepOf(async ({ adapters: { db, llm } }) => llm.ask(`Describe ${JSON.stringify(await db.row(7))}`));
  await expect(step).toMatchBaseline({ input: {}, adapters: adaptersOf({ id: 7, name: "lamp" }, "a lamp") });
  stage.settle("new");
  const adapters = adaptersOf({ name: "lamp", id: 7 }, "lamp 7");
  const message = await stage.message(() => expect(step).toMatchBaseline({ input: {}, adapters, mode: "live" }));
  expect(message).toContain("    cause: response (db.row responded differently)\n");
});

test("a response that is written differently isn't the cause if the step's result doesn't depend on it", async () => {
  let runs = 0;
  const step = stepOf(async () => {
    runs += 1;
    const { length } = await fetchKeys();
    // The capture takes three runs. The next one is live, and the cause takes the others.
    return `${length} ${runs === 4 ? "other" : "same"}`;
  });
  body = '{"a":1,"b":2}';
  await expect(step).toMatchBaseline({ input: {}, adapters: {} });
  stage.settle("new");
  body = '{"b":2,"a":1}';
  const message = await stage.message(() => expect(step).toMatchBaseline({ input: {}, adapters: {}, mode: "live" }));
  expect(message).toContain("    cause: code (differs from run to run with the same responses");
});
