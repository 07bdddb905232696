import OpenAI from "openai";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import * as z from "zod";
import { type AnyStep, defineStep } from "../../kernel/step/define-step.ts";
import { recordGlobalFetch } from "../../record/interceptors/fetch-recorder.ts";
import { MatcherStage } from "../../../test-support/matcher-stage.ts";
import "../../vitest-types.ts";

const stage = new MatcherStage(expect);
let uninstall = (): void => undefined;
let requests = 0;

beforeEach(() => {
  stage.begin();
  requests = 0;
  vi.stubGlobal("fetch", async () => {
    requests += 1;
    const message = { role: "assistant", content: "Hi." };
    const body = { id: "c-1", object: "chat.completion", model: "m", choices: [{ index: 0, message }] };
    return Response.json(body, { headers: { "x-request-id": `req_${requests}` } });
  });
  uninstall = recordGlobalFetch();
});
afterEach(() => {
  uninstall();
  vi.unstubAllGlobals();
});

const URL = "https://api.openai.com/v1/chat/completions";

function returning(idOf: () => Promise<string | null | undefined>): AnyStep {
  return defineStep({
    name: "ids",
    input: z.object({}),
    output: z.object({ id: z.string() }),
    run: async () => ({ output: { id: (await idOf()) ?? "" } }),
  });
}

async function ofClient(): Promise<string | null | undefined> {
  const client = new OpenAI({ apiKey: "sk-none", fetch: async (url, init) => fetch(url, init) });
  return (await client.chat.completions.create({ model: "m", messages: [] }))._request_id;
}

async function ofFetch(): Promise<string | null> {
  const response = await fetch(URL, { method: "POST", body: JSON.stringify({ model: "m", messages: [] }) });
  return response.headers.get("x-request-id");
}

test.each([
  ["OpenAI's client", ofClient],
  ["fetch", ofFetch],
])("a new id of a request that the step returns is a response of the model: %s", async (_client, idOf) => {
  const step = returning(idOf);
  await expect(step).toMatchBaseline({ input: {}, adapters: {} });
  stage.settle("new");
  await expect(step).toMatchBaseline({ input: {} });
  const told = await stage.message(() => expect(step).toMatchBaseline({ input: {}, adapters: {}, mode: "live" }));
  expect(told).toContain(
    "    cause: model (same requests, different responses: fetch POST https://api.openai.com/v1/chat/completions)\n",
  );
});

test("a step that returns another value each time is still the cause, beside a new id", async () => {
  let runs = 0;
  const step = returning(async () => {
    await ofFetch();
    runs += 1;
    // The capture takes three runs. The next one is live, and the cause takes the others.
    return runs === 4 ? "other" : "same";
  });
  await expect(step).toMatchBaseline({ input: {}, adapters: {} });
  stage.settle("new");
  const told = await stage.message(() => expect(step).toMatchBaseline({ input: {}, adapters: {}, mode: "live" }));
  expect(told).toContain("    cause: code (differs from run to run with the same responses");
});
