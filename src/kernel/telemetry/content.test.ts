import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { tool } from "../../record/calls/tool.ts";
import { unwrap } from "../result.ts";
import { withReplay } from "../../record/with-replay.ts";
import { recordAdapters } from "../../record/proxy/record-adapters.ts";
import { createRunner } from "../../extras/runs/runner/runner.ts";
import type { StepContext } from "../step/context.ts";
import { defineStep } from "../step/define-step.ts";
import { defineWorkflow } from "../step/define-workflow.ts";
import { fail } from "../step/fail.ts";
import { createMemoryStore } from "../../extras/runs/store/memory.ts";
import { MatcherStage } from "../../../test-support/matcher-stage.ts";
import { PLANTED_SECRETS } from "../../../test-support/planted-secrets.ts";
import { registerSpanLog, unregisterSpanLog } from "../../../test-support/span-log.ts";
import "../../vitest-types.ts";

const log = registerSpanLog();
const stage = new MatcherStage(expect);
const directory = realpathSync(mkdtempSync(join(tmpdir(), "veritest-content-")));

beforeEach(async () => {
  await log.forget();
  stage.begin(realpathSync(mkdtempSync(join(directory, "stage-"))));
});
afterEach(() => {
  delete process.env["VERITEST_CAPTURE_CONTENT"];
});
afterAll(() => unregisterSpanLog());

const any = z.looseObject({});
const lookup = tool({
  name: "lookup",
  effect: "read",
  run: async ({ text }: { text: string }) => ({ found: `of ${text}` }),
});

interface Adapters {
  readonly llm: { readonly complete: (asked: object) => Promise<object> };
  readonly lookup: typeof lookup;
}

/** Plants one text everywhere: the input, a prompt, an answer, a tool's input and answer, an error. */
const leaky = defineStep({
  name: "leaky",
  input: any,
  output: any,
  run: async (input, { adapters }: StepContext<Adapters>) => {
    const text = String(input["text"]);
    const messages = [{ role: "user", content: `Say ${text}` }];
    const said = await adapters.llm.complete({ model: "gpt-5", system: `Know ${text}`, messages });
    const found = await adapters.lookup({ text });
    await adapters.llm.complete({ model: "gpt-5", messages, fails: true }).catch(() => undefined);
    if (input["fails"] === true) return fail("refused", `No answer to ${text}`);
    return { output: { said, found } };
  },
});

function adaptersOf(text: string): Adapters {
  return {
    lookup,
    llm: {
      complete: async (asked) => {
        if ("fails" in asked) throw Object.assign(new Error(`wrong key ${text}`), { code: text });
        return { model: "gpt-5", content: `I know ${text}`, usage: { prompt_tokens: 3, completion_tokens: 4 } };
      },
    },
  };
}

/** Everything that emits spans, with a text planted in all that goes through it. */
async function plant(text: string): Promise<void> {
  const adapters = adaptersOf(text);
  await withReplay(leaky, { text }, { adapters });
  await withReplay(leaky, { text, fails: true }, { adapters });
  const unredacted = recordAdapters(adapters, { redact: false });
  await unredacted.adapters.llm.complete({ model: text, messages: [{ role: "user", content: text }] });
  const workflows = [defineWorkflow({ name: "w", version: "1.0.0", steps: { leaky } })];
  const runner = createRunner({ store: createMemoryStore(), workflows, adapters, retry: { attempts: 1 } });
  unwrap(await runner.startRun({ workflow: "w", step: "leaky", input: { text, fails: true }, runId: "r" }));
  unwrap(await runner.runUntilIdle("w", "r"));
  await expect(leaky).toMatchBaseline({ input: { text }, adapters });
  const changed = { ...adapters, llm: { complete: async () => ({ content: `now ${text}` }) } };
  stage.settle("none");
  await expect(async () =>
    expect(leaky).toMatchBaseline({ input: { text }, adapters: changed, mode: "live" }),
  ).rejects.toThrow();
}

/** One secret in eight. redact-positions.test.ts has each kind: here all pass through one redactor. */
const SAMPLE = PLANTED_SECRETS.filter((_, index) => index % 8 === 0);

test.each(SAMPLE)("spans contain no $kind, by default and with captured content", {
  tags: "deep",
}, async ({ text, secret }) => {
  await plant(text);
  expect(await log.text()).not.toContain(secret);
  expect(await log.text()).not.toMatch(/I know|wrong key|No answer|Say |Know /);
  await log.forget();
  stage.begin(realpathSync(mkdtempSync(join(directory, "stage-"))));
  process.env["VERITEST_CAPTURE_CONTENT"] = "1";
  await plant(text);
  expect(log.spans().length).toBeGreaterThan(10);
  expect(await log.text()).not.toContain(secret);
  expect(await log.text()).toMatch(/I know/);
});

test("captures messages, arguments and results in the form of the conventions", async () => {
  process.env["VERITEST_CAPTURE_CONTENT"] = "1";
  await withReplay(leaky, { text: "Ann" }, { adapters: adaptersOf("Ann") });
  const [chat, ran] = ["chat gpt-5", "execute_tool lookup"].map(
    (named) => log.spans().find(({ name }) => name === named)?.attributes,
  );
  const whole = log.spans().find(({ name }) => name === "veritest.step leaky")?.attributes;
  expect({
    input: chat?.["gen_ai.input.messages"],
    output: chat?.["gen_ai.output.messages"],
    system: chat?.["gen_ai.system_instructions"],
    arguments: ran?.["gen_ai.tool.call.arguments"],
    result: ran?.["gen_ai.tool.call.result"],
    stepInput: whole?.["veritest.input"],
  }).toMatchInlineSnapshot(`
    {
      "arguments": "{"text":"Ann"}",
      "input": "[{"role":"user","parts":[{"type":"text","content":"Say Ann"}]}]",
      "output": "[{"role":"assistant","parts":[{"type":"text","content":"I know Ann"}]}]",
      "result": "{"found":"of Ann"}",
      "stepInput": "{"text":"Ann"}",
      "system": "[{"type":"text","content":"Know Ann"}]",
    }
  `);
});

test("shortens a long text, and marks it", async () => {
  process.env["VERITEST_CAPTURE_CONTENT"] = "1";
  await withReplay(leaky, { text: "word ".repeat(20_000) }, { adapters: adaptersOf("") });
  const whole = log.spans().find(({ name }) => name === "veritest.step leaky")?.attributes["veritest.input"];
  expect([String(whole).length, String(whole).at(-1)]).toEqual([16_385, "…"]);
});
