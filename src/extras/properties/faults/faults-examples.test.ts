import { readFileSync, readdirSync } from "node:fs";
import { Socket } from "node:net";
import OpenAI from "openai";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import type { StepBaseline } from "../../../baseline/baseline.ts";
import { parseBaseline } from "../../../baseline/parse-baseline.ts";
import { groundedAnswer } from "../../../grounding.ts";
import { unwrap } from "../../../kernel.ts";
import { type LLMContext, createOpenAI, extract } from "../../../llm.ts";
import { withReplay } from "../../../record/with-replay.ts";
import { type AnyStep, defineStep } from "../../../kernel/step/define-step.ts";
import { fail } from "../../../kernel/step/fail.ts";
import { FaultRuns, type FaultTable } from "./fault-runs.ts";
import { FAULT_NAMES } from "./faults.ts";

const EXAMPLES = new URL("../../../../examples/", import.meta.url);

/** What comes of all faults of a baseline, without a connection. */
async function suffered(step: AnyStep, baseline: StepBaseline): Promise<FaultTable> {
  const connect = vi.spyOn(Socket.prototype, "connect");
  const runs = new FaultRuns(step, baseline, process.cwd());
  expect(await runs.asRecorded()).toBe("same");
  const table = await runs.table(FAULT_NAMES, false);
  expect(connect).not.toHaveBeenCalled();
  connect.mockRestore();
  return table;
}

function grounding(): StepBaseline {
  const folder = new URL("grounding/__baselines__/grounded-answer/", EXAMPLES);
  const [name = ""] = readdirSync(folder);
  const baseline = unwrap(parseBaseline(readFileSync(new URL(name, folder), "utf8"), name));
  if (baseline.kind !== "step") throw new Error(`${name} is no baseline of a step.`);
  return baseline;
}

test("the grounded answer example finishes under each fault", { tags: "deep" }, async () => {
  expect(await suffered(unwrap(groundedAnswer()).step, grounding())).toMatchInlineSnapshot(`
    {
      "llm.complete#1": {
        "error-429": "adapter_failed",
        "error-500": "adapter_failed",
        "error-network": "adapter_failed",
        "malformed-extra": "same",
        "malformed-nulls": "invalid_answer",
        "malformed-types": "invalid_answer",
        "slow": "same",
        "timeout": "hangs",
      },
    }
  `);
});

const lines = z.array(z.object({ item: z.string(), quantity: z.number() }));

/** A step whose model reads what a letter orders. */
const extractOrder = defineStep({
  name: "extract-order",
  input: z.object({ letter: z.string() }),
  output: z.object({ lines }),
  run: async ({ letter }, ctx: LLMContext) => {
    const messages = [
      { role: "system", content: "List every item that the letter orders." } as const,
      { role: "user", content: letter } as const,
    ];
    const answer = await extract(ctx, { messages, temperature: 0 }, z.object({ lines }), { name: "order" });
    return answer.ok ? { output: { lines: answer.value.data.lines } } : fail(answer.error);
  },
});

test("a step that reads OpenAI's response ends with its own error or an output", {
  tags: "deep",
}, async () => {
  const message = { role: "assistant", content: '{"lines":[{"item":"flour","quantity":12}]}', refusal: null };
  const body = {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1_700_000_000,
    model: "small-1",
    choices: [{ index: 0, message, finish_reason: "stop" }],
    usage: { prompt_tokens: 20, completion_tokens: 9, total_tokens: 29 },
  };
  const client = new OpenAI({ apiKey: "none", fetch: async () => Response.json(body) });
  const llm = createOpenAI({ client, model: "small-1" });
  const letter = "Please send a dozen bags of flour.";
  const { result, calls } = await withReplay(extractOrder, { letter }, { adapters: { llm } });
  const { output } = unwrap(result);
  const baseline: StepBaseline = { ...grounding(), step: "extract-order", input: { letter }, output, calls };
  expect(await suffered(extractOrder, baseline)).toMatchInlineSnapshot(`
    {
      "llm.complete#1": {
        "empty": "json_error",
        "error-429": "rate_limit",
        "error-500": "provider_error",
        "error-network": "provider_error",
        "malformed-cut": "json_error",
        "malformed-extra": "same",
        "malformed-fenced": "same",
        "malformed-nulls": "schema_error",
        "malformed-prose": "json_error",
        "malformed-types": "schema_error",
        "refused": "refused",
        "slow": "same",
        "timeout": "timeout",
        "truncated": "truncated",
      },
    }
  `);
});
