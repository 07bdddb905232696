import OpenAI from "openai";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import * as z from "zod";
import { type AnyStep, defineStep } from "../kernel/step/define-step.ts";
import { recordGlobalFetch } from "../record/interceptors/fetch-recorder.ts";
import { MatcherStage } from "../../test-support/matcher-stage.ts";
import { serve } from "../../test-support/serve.ts";
import "../vitest-types.ts";

const runner: { extend(matchers: object): void } = expect;
const stage = new MatcherStage(runner);
/** Requests to which the server responds with status 503, by `path body`. */
let isOut = (_request: string): boolean => false;
let uninstall = (): void => undefined;

const { url, close } = await serve((request, response) => {
  const parts: unknown[] = [];
  request
    .on("data", (part) => void parts.push(part))
    .on("end", () => {
      response.setHeader("content-type", "application/json");
      const sent = `${request.url ?? ""} ${parts.join("")}`;
      if (sent.includes("slow")) return;
      if (isOut(sent)) response.writeHead(503).end("{}");
      else response.end(JSON.stringify({ choices: [{ message: { content: "Fine." } }], data: [], results: [] }));
    });
});
afterAll(close);

beforeEach(() => {
  stage.begin();
  isOut = () => false;
  uninstall = recordGlobalFetch();
});

afterEach(() => uninstall());

const openai = (maxRetries = 0): OpenAI => new OpenAI({ apiKey: "test", baseURL: `${url}/v1`, maxRetries });
const asking = (content: string, model: string) => ({
  model,
  max_tokens: 9,
  messages: [{ role: "user" as const, content }],
});
const chat = async (content: string, model = "m"): Promise<unknown> =>
  (await openai().chat.completions.create(asking(content, model))).choices[0]?.message.content;
const embed = async (input: string): Promise<unknown> => openai().embeddings.create({ model: "e", input });
const moderate = async (input: string): Promise<unknown> => openai().moderations.create({ model: "o", input });
const without = async (said: Promise<unknown>): Promise<unknown> => said.catch(() => "");

type Ask = (content: string) => Promise<unknown>;

const stepOf = (content: string, ask: Ask): AnyStep =>
  defineStep({
    name: "ask",
    input: z.object({}),
    output: z.object({ said: z.string() }),
    run: async () => ({ output: { said: `${content} ${String(await ask(content))}` } }),
  });

/** Records a step while the requests of `before` fail, and returns the message of its live run while those of `now` do. */
async function rerun(ask: Ask, before: typeof isOut, now: typeof isOut): Promise<string> {
  isOut = before;
  await expect(stepOf("How is it?", ask)).toMatchBaseline({ input: {}, adapters: {} });
  stage.settle("all");
  isOut = now;
  return stage.message(async () =>
    expect(stepOf("How are you?", ask)).toMatchBaseline({ input: {}, adapters: {}, mode: "live" }),
  );
}

const none = (): boolean => false;
const all = (): boolean => true;
const of =
  (text: string): typeof isOut =>
  (request) =>
    request.includes(text);
const retrieve: Ask = async (content) => [await embed(content), await without(chat(content))];
const search: Ask = async (content) => [await without(embed(content)), await chat(content)];
const moderated: Ask = async (content) => [await moderate(content), await without(chat(content))];
const optional: Ask = async (content) => [await without(moderate(content)), await chat(content)];
const optionalAtEnd: Ask = async (content) => [await chat(content), await without(moderate(content))];
const twoTurns: Ask = async (content) => [await chat(content, "first"), await without(chat(content, "second"))];
const turnBefore: Ask = async (content) => [await without(chat(content, "first")), await chat(content, "second")];
const fanOut: Ask = async (content) =>
  Promise.allSettled(["first", "second", "third"].map(async (model) => chat(content, model)));
const falling: Ask = async (content) => without(chat(content, "first").catch(async () => chat(content, "second")));
const retrying: Ask = async (content) => openai(2).chat.completions.create(asking(content, "m"));
const bothHandled: Ask = async (content) => [
  await without(chat(`${content} begin`)),
  await without(chat(`${content} end`)),
];
/** Sends a request three times. */
const patient: Ask = async (content) => {
  const send = async (): Promise<unknown> => chat(content);
  return send().catch(async () => send().catch(send));
};
const bestOf: Ask = async (content) => Promise.allSettled([1, 2, 3].map(async () => chat(content)));
const classified: Ask = async (content) => {
  const gateway = new OpenAI({ apiKey: "test", baseURL: `${url}/v1/classify`, maxRetries: 0 });
  return [await without(gateway.chat.completions.create(asking(content, "c"))), await chat(content)];
};
/** Asks three models, the third one last if the content is that of the live run. */
const reordered: Ask = async (content) => {
  const models = content === "How are you?" ? ["first", "second", "third"] : ["third", "first", "second"];
  for (const model of models) await without(chat(content, model));
};
/** Aborts a request when its guard has refused the content. */
const racing: Ask = async (content) => {
  const controller = new AbortController();
  const { signal } = controller;
  const refused = chat(content, "guard").then(() => controller.abort());
  await without(openai().chat.completions.create(asking(content, "slow"), { signal }));
  await refused;
};
const twice = (): typeof isOut => {
  let hits = 0;
  return () => (hits += 1) < 3;
};
const once = (): typeof isOut => {
  let hits = 0;
  return () => (hits += 1) === 1;
};

test.each<[situation: string, ask: Ask, before: typeof isOut, now: typeof isOut, requests: number]>([
  ["embeddings respond, the chat doesn't", retrieve, none, of("/chat"), 1],
  ["a moderation responds, the chat doesn't", moderated, none, of("/chat"), 1],
  ["the second turn of an agent", twoTurns, none, of("second"), 1],
  ["the first of two questions", turnBefore, none, of("first"), 1],
  ["two of three questions at once", fanOut, none, (request) => !request.includes("third"), 2],
  ["a model and the one that takes over", falling, none, all, 2],
  ["the one that took over in the recording", falling, of("first"), all, 2],
  ["two of three equal questions", bestOf, none, twice(), 2],
  ["a classification by a chat", classified, none, of("/classify/chat"), 1],
  ["the end, and the recording has an outage before it", bothHandled, of("begin"), of("end"), 1],
])("a run with fewer responses of models than its recording doesn't replace it: %s", async (...row) => {
  const [, ask, before, now, requests] = row;
  expect(await rerun(ask, before, now)).toBe(`ask: 1 of 1 baseline failed (live adapters)

  ROOT/ask/the-test-HASH.json  failed
    model_failed: ${requests} request${requests === 1 ? "" : "s"} to a model failed (503), and the step handled the error. \
Its result isn't stored, because the recording has a response. Run the test again when the model responds, or with \
recorded responses: VERITEST_MODE=replay`);
  expect(stage.changes).toStrictEqual([]);
});

test.each<[situation: string, ask: Ask, before: typeof isOut, now: typeof isOut]>([
  ["a search without embeddings", search, none, of("/embeddings")],
  ["an optional moderation", optional, none, of("/moderations")],
  ["an optional moderation at the end", optionalAtEnd, none, of("/moderations")],
  ["a model whose place another one takes", falling, none, of("first")],
  ["a request that is sent again", retrying, none, once()],
  ["a request that is sent a third time", patient, none, twice()],
  ["a question that failed in the recording, too", twoTurns, of("second"), of("second")],
  ["all questions of a recording without a response", falling, all, all],
  ["a model that failed in the recording, too, and is the last one now", reordered, of("third"), of("third")],
  ["a request that the step aborts, because another one is answered", racing, none, none],
])("an outage that costs a run no response of a model doesn't keep it from being stored: %s", async (...row) => {
  const [, ask, before, now] = row;
  expect(await rerun(ask, before, now)).toBe("it passed");
  expect(stage.stagedText()).toContain("How are you?");
});
