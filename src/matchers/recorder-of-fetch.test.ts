import { Socket } from "node:net";
import { generateText, wrapLanguageModel } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import OpenAI from "openai";
import { afterAll, afterEach, beforeEach, expect, test, vi } from "vitest";
import * as z from "zod";
import { recordGlobalFetch } from "../record/interceptors/fetch-recorder.ts";
import { recordModel } from "../record/interceptors/model-recorder.ts";
import { type AnyStep, defineStep } from "../kernel/step/define-step.ts";
import { MatcherStage } from "../../test-support/matcher-stage.ts";
import "../vitest-types.ts";
import { serve } from "../../test-support/serve.ts";

const runner: { extend(matchers: object): void } = expect;
const stage = new MatcherStage(runner);
let asked = 0;
let answer = "Hello";
let uninstall = (): void => undefined;

const { url, close } = await serve((request, response) => {
  asked += 1;
  request.resume().on("end", () => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(
      JSON.stringify({
        id: `c-${asked}`,
        object: "chat.completion",
        created: asked,
        model: "m",
        choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: answer } }],
      }),
    );
  });
});
afterAll(close);

beforeEach(() => {
  stage.begin();
  asked = 0;
  answer = "Hello";
  uninstall = recordGlobalFetch();
});

afterEach(() => {
  vi.restoreAllMocks();
  uninstall();
});

/** From here on the network is not there. */
function cutTheWire(): () => number {
  const connect = vi.spyOn(Socket.prototype, "connect").mockImplementation(() => {
    throw new Error("a connection was opened");
  });
  return () => connect.mock.calls.length;
}

const input = { name: "Ada" };

/** A step that asks by itself: a client that keeps the `fetch` it found, and the global one. */
function greeter({
  prompt = "Greet",
  shout = false,
}: {
  readonly prompt?: string;
  readonly shout?: boolean;
} = {}): AnyStep {
  return defineStep({
    name: "greet",
    input: z.object({ name: z.string() }),
    output: z.object({ text: z.string() }),
    run: async ({ name }) => {
      const client = new OpenAI({ apiKey: "sk-test-key", baseURL: `${url}/v1`, maxRetries: 2 });
      const [completion] = await Promise.all([
        client.chat.completions.create({ model: "m", messages: [{ role: "user", content: `${prompt} ${name}` }] }),
        fetch(`${url}/log`, { method: "POST", body: JSON.stringify({ greeted: name }) }).then(async (response) =>
          response.text(),
        ),
      ]);
      const text = completion.choices[0]?.message.content ?? "";
      return { output: { text: shout ? text.toUpperCase() : text } };
    },
  });
}

const live = { input, adapters: {} };

test("a step with fetch is recorded like one with adapters, and replays offline", { tags: "deep" }, async () => {
  await expect(greeter()).toMatchBaseline(live);
  stage.settle("none");
  expect(asked).toBe(2);
  const connections = cutTheWire();
  await expect(greeter()).toReplay();
  await expect(greeter()).toRecomputeClean();
  await expect(greeter()).toMatchBaseline({ input });
  await Promise.all(Array.from({ length: 100 }, async () => expect(greeter()).toReplay()));
  expect([asked, connections()]).toStrictEqual([2, 0]);
});

test("a changed prompt is an unrecorded request that no client retries", async () => {
  await expect(greeter()).toMatchBaseline(live);
  stage.settle("none");
  const connections = cutTheWire();
  const told = await stage.message(() => expect(greeter({ prompt: "Welcome" })).toRecomputeClean());
  expect(told).toContain("greet/the-test-HASH.json  request_changed\n    cause: prompt\n");
  expect([asked, connections()]).toStrictEqual([2, 0]);
});

test("a recorded request isn't impure, and one without a recorder is", async () => {
  const step = { ...greeter(), run: async () => ({ output: { text: await (await fetch(`${url}/log`)).text() } }) };
  await expect(step).toBePure({ input, adapters: {} });
  uninstall();
  expect(await stage.message(() => expect(step).toBePure({ input }))).toContain(
    "  fetch  src/matchers/recorder-of-fetch.test.ts:",
  );
});

test("changed code and a drifted answer are distinguished", async () => {
  await expect(greeter()).toMatchBaseline(live);
  stage.settle("none");
  expect(
    await stage.message(() => expect(greeter({ shout: true })).toMatchBaseline({ ...live, mode: "live" })),
  ).toContain("cause: code (same requests, same responses, new output)");
  answer = "Good day";
  expect(await stage.message(() => expect(greeter()).toMatchBaseline({ ...live, mode: "live" }))).toMatch(
    /cause: model \(same requests, different responses: fetch POST http:\S+\/v1\/chat\/completions\)/,
  );
});

test("a new case without adapters says how to pass none", async () => {
  expect(await stage.message(() => expect(greeter()).toMatchBaseline({ input }))).toContain(
    'no_adapters: Step "greet" called adapter "fetch", but no adapters were passed. Pass them ({} for a step without adapters): toMatchBaseline({ input, adapters }).',
  );
  expect(asked).toBe(0);
});

test("without its recorder such a case is not run at all", async () => {
  await expect(greeter()).toMatchBaseline(live);
  stage.settle("none");
  uninstall();
  const connections = cutTheWire();
  const problem =
    'it was recorded by the recorder of fetch, which isn\'t active here. In Vitest, use veritest({ fetch: true }); in Jest, add setupFiles: ["veritest/fetch-setup"]; elsewhere, import "veritest/fetch-setup" first.';
  expect(await stage.message(() => expect(greeter()).toRecomputeClean())).toContain(
    `recorder_missing: ROOT/greet/the-test-HASH.json: ${problem}`,
  );
  expect(await stage.message(() => expect(greeter()).toReplay())).toContain(
    `recorder_missing: Step "greet" can't be replayed: ${problem}`,
  );
  expect([asked, connections()]).toStrictEqual([2, 0]);
});

test("records and replays a model of the AI SDK by its middleware", async () => {
  let generated = 0;
  const inner = new MockLanguageModelV4({
    doGenerate: async () => {
      generated += 1;
      // What a provider asks is the model's own affair.
      await fetch(`${url}/v1/chat`);
      return {
        content: [{ type: "text", text: "Hi" }],
        finishReason: { unified: "stop", raw: "stop" },
        usage: {
          inputTokens: { total: 3, noCache: 3, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 1, text: 1, reasoning: 0 },
        },
        warnings: [],
      };
    },
  });
  const model = wrapLanguageModel({ model: inner, middleware: recordModel() });
  const stepOf = (prompt: string): AnyStep =>
    defineStep({
      name: "greet",
      input: z.object({ name: z.string() }),
      output: z.object({ text: z.string() }),
      run: async ({ name }) => ({
        output: { text: (await generateText({ model, prompt: `${prompt} ${name}`, maxRetries: 0 })).text },
      }),
    });
  await expect(stepOf("Greet")).toMatchBaseline(live);
  expect(JSON.parse(stage.stagedText()).calls.map(({ adapter }: { adapter: string }) => adapter)).toStrictEqual([
    "model.generate",
  ]);
  stage.settle("none");
  await expect(stepOf("Greet")).toReplay();
  expect(await stage.message(() => expect(stepOf("Welcome")).toRecomputeClean())).toContain("    cause: prompt\n");
  expect(generated).toBe(1);
  expect((await generateText({ model, prompt: "anything" })).text).toBe("Hi");
});
