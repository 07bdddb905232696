import { afterAll, beforeAll, describe, expect, test } from "vitest";
import OpenAI from "openai";
import { z } from "zod";
import { type LLMContext, complete, createOpenAI, type LLMProvider } from "../../../llm.ts";
import { withReplay } from "../../../record/with-replay.ts";
import { type AnyStep, defineStep } from "../../../kernel/step/define-step.ts";
import { FAILURES, OUTPUTS, OUTPUT_FAULT_NAMES, TEXT, service } from "../../../../test-support/fault-clients.ts";
import { type ServiceAnswer, seenUnder } from "../../../../test-support/fault-service.ts";
import { CHAT_SERVICE } from "../../../../test-support/model-services.ts";
import { errorBody } from "./fault-errors.ts";
import type { FaultName } from "./faults.ts";

beforeAll(() => service.open());
afterAll(() => service.close());

const llmAt = (url: string, timeout = 600_000): LLMProvider =>
  createOpenAI({ client: new OpenAI({ apiKey: "k", baseURL: `${url}/v1`, maxRetries: 0, timeout }), model: "m" });

/** A step that says what it sees of an answer: what it says, or by which code it failed, and what there is of it. */
const watcher: AnyStep = defineStep({
  name: "watcher",
  input: z.object({}),
  output: z.looseObject({}),
  run: async (_, ctx: LLMContext) => {
    const result = await complete(ctx, { messages: [{ role: "user", content: "How much?" }] });
    if (result.ok) return { output: { content: result.value.content, stop: result.value.trace.stop } };
    const { code, retryable, status, response } = result.error;
    const partial = response && { content: response.content, stop: response.trace.stop };
    return { output: { code, retryable, ...(status && { status }), ...(partial && { partial }) } };
  },
});

async function seen(llm: LLMProvider): Promise<unknown> {
  const { result } = await withReplay(watcher, {}, { adapters: { llm } });
  return result.ok ? result.value.output : result.error;
}

describe("simulated faults of a veritest/llm adapter match what it returns for the service", () => {
  async function compare(fault: FaultName, ill: ServiceAnswer | "nobody"): Promise<readonly [unknown, unknown]> {
    service.answer = { kind: "body", status: 200, body: CHAT_SERVICE.body(TEXT) };
    const { calls } = await withReplay(watcher, {}, { adapters: { llm: llmAt(service.url) } });
    const served = await seenUnder(fault, watcher, calls);
    if (ill === "nobody") return [served, await seen(llmAt("http://127.0.0.1:1"))];
    service.answer = ill;
    return [served, await seen(llmAt(service.url, ill.kind === "silent" ? 50 : undefined))];
  }

  test.each(FAILURES)("%s", async (fault, how) => {
    const ofStatus = (status: 429 | 500): ServiceAnswer => ({
      kind: "body",
      status,
      body: errorBody("openai", status),
    });
    const named = how === "nobody" ? how : ({ kind: "silent" } as const);
    const [served, real] = await compare(fault, typeof how === "number" ? ofStatus(how) : named);
    expect(served).toStrictEqual(real);
    expect(real).toHaveProperty("code");
  });

  test.each(OUTPUT_FAULT_NAMES)("%s", async (fault) => {
    const [served, real] = await compare(fault, {
      kind: "body",
      status: 200,
      body: CHAT_SERVICE.body(...OUTPUTS[fault]),
    });
    expect(served).toStrictEqual(real);
  });
});
