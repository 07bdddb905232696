import type { IncomingMessage, ServerResponse } from "node:http";
import Anthropic from "@anthropic-ai/sdk";
import { createOpenAI } from "@ai-sdk/openai";
import { ChatOpenAI } from "@langchain/openai";
import { generateText } from "ai";
import OpenAI from "openai";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import * as z from "zod";
import type { StepContext } from "../kernel/step/context.ts";
import { type AnyStep, defineStep } from "../kernel/step/define-step.ts";
import { recordGlobalFetch } from "../record/interceptors/fetch-recorder.ts";
import { MatcherStage } from "../../test-support/matcher-stage.ts";
import { temporaryProject } from "../../test-support/temporary-project.ts";
import "../vitest-types.ts";
import { serve } from "../../test-support/serve.ts";

const stage = new MatcherStage(expect);
let hits = 0;
let isOff = false;
let uninstall = (): void => undefined;

/** Responses to slow requests, which are sent some time after another response, however busy the machine is. */
let waiting: (() => void)[] = [];

/** Responds with the prompt: to one with "slow" after the others, to one with "broken" with an error. */
function respond(body: string, { url: path = "" }: IncomingMessage, response: ServerResponse): void {
  hits += 1;
  if (isOff) return void response.destroy();
  response.setHeader("content-type", "application/json");
  const { messages }: { readonly messages?: readonly { readonly content: unknown }[] } = JSON.parse(body || "{}");
  const prompt = /(slow|fast|broken) \w/.exec(JSON.stringify(messages))?.[0] ?? "";
  const chat = {
    id: `chatcmpl-${hits}`,
    object: "chat.completion",
    created: 1_795_269_729,
    model: "gpt-5",
    choices: [{ index: 0, message: { role: "assistant", content: `re: ${prompt}` }, finish_reason: "stop" }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  };
  const message = {
    id: `msg_${hits}`,
    type: "message",
    role: "assistant",
    model: "claude-x",
    content: [{ type: "text", text: `re: ${prompt}` }],
    stop_reason: "end_turn",
    usage: { input_tokens: 1, output_tokens: 1 },
  };
  if (prompt.startsWith("broken")) response.statusCode = 400;
  const send = (): void => void response.end(JSON.stringify(path.includes("/messages") ? message : chat));
  if (prompt.startsWith("slow")) return void waiting.push(send);
  const ofTest = waiting;
  response.on("finish", () => void setTimeout(() => ofTest.splice(0).forEach((later) => later()), 60));
  send();
}

const { url, close } = await serve((request, response) => {
  let body = "";
  request.setEncoding("utf8").on("data", (part: string) => (body += part));
  request.on("end", () => respond(body, request, response));
});
afterAll(close);
beforeEach(() => {
  stage.begin(temporaryProject("sdk-kinds"));
  waiting = [];
  isOff = false;
  uninstall = recordGlobalFetch();
});
afterEach(() => uninstall());

type Ask = (prompt: string) => Promise<string>;
interface Adapters {
  readonly openai: OpenAI;
  readonly anthropic: Anthropic;
}
type Client = (prompt: string, adapters: Adapters) => Promise<string>;

const openai = (): OpenAI => new OpenAI({ apiKey: "made-up", baseURL: `${url}/v1` });
const anthropic = (): Anthropic => new Anthropic({ apiKey: "made-up", baseURL: url });

async function askOpenAi(client: OpenAI, content: string): Promise<string> {
  const { choices } = await client.chat.completions.create({ model: "gpt-5", messages: [{ role: "user", content }] });
  return choices[0]?.message.content ?? "";
}

async function askAnthropic(client: Anthropic, text: string): Promise<string> {
  const messages = [{ role: "user" as const, content: text }];
  const { content } = await client.messages.create({ model: "claude-x", max_tokens: 9, messages });
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** Ways to call a model: by `fetch`, by SDKs that a recorder of `fetch` sees, and by SDKs that are adapters. */
const CLIENTS: readonly (readonly [string, Client])[] = [
  [
    "fetch",
    async (content) => {
      const body = JSON.stringify({ model: "gpt-5", messages: [{ role: "user", content }] });
      const response = await fetch(`${url}/v1/chat/completions`, { method: "POST", body });
      if (!response.ok) throw new Error(`status ${response.status}`);
      const { choices } = z
        .object({ choices: z.tuple([z.object({ message: z.object({ content: z.string() }) })]) })
        .parse(await response.json());
      return choices[0].message.content;
    },
  ],
  ["OpenAI", async (prompt) => askOpenAi(openai(), prompt)],
  ["OpenAI as an adapter", async (prompt, adapters) => askOpenAi(adapters.openai, prompt)],
  ["Anthropic", async (prompt) => askAnthropic(anthropic(), prompt)],
  ["Anthropic as an adapter", async (prompt, adapters) => askAnthropic(adapters.anthropic, prompt)],
  [
    "the AI SDK",
    async (prompt) => {
      const provider = createOpenAI({ apiKey: "made-up", baseURL: `${url}/v1` });
      return (await generateText({ model: provider.chat("gpt-5"), prompt, maxRetries: 0 })).text;
    },
  ],
  [
    "LangChain",
    async (prompt) => {
      const configuration = { baseURL: `${url}/v1` };
      const model = new ChatOpenAI({ model: "gpt-5", apiKey: "made-up", configuration, maxRetries: 0 });
      return (await model.invoke(prompt)).text;
    },
  ],
];

const after = async (ms: number, value: string): Promise<string> =>
  new Promise((resolve) => setTimeout(() => resolve(value), ms));

/** A queue whose loop was started when this module was loaded. */
const jobs: (() => void)[] = [];
const timer = setInterval(() => jobs.splice(0).forEach((job) => job()), 2);
afterAll(() => clearInterval(timer));

/** Kinds of calls, and what they return. */
const KINDS: readonly (readonly [string, (ask: Ask) => Promise<string>, string])[] = [
  ["the first of two requests", async (ask) => Promise.race([ask("slow a"), ask("fast b")]), "re: fast b"],
  ["the first that succeeds", async (ask) => Promise.any([ask("slow a"), ask("broken b")]), "re: slow a"],
  ["a time limit", async (ask) => Promise.race([ask("slow a"), after(15, "none")]), "none"],
  [
    "a hedged request",
    async (ask) => Promise.race([ask("slow a"), after(5, "").then(async () => ask("fast b"))]),
    "re: fast b",
  ],
  [
    "requests at once, whose responses come in another order",
    async (ask) => (await Promise.all([ask("slow a"), ask("fast b"), ask("fast c")])).join(),
    "re: slow a,re: fast b,re: fast c",
  ],
  [
    "a queue of a module",
    async (ask) => new Promise((resolve, reject) => jobs.push(() => void ask("fast a").then(resolve, reject))),
    "re: fast a",
  ],
  [
    "an interval of the step",
    async (ask) =>
      new Promise((resolve, reject) => {
        const interval = setInterval(() => {
          clearInterval(interval);
          void ask("fast a").then(resolve, reject);
        }, 2);
      }),
    "re: fast a",
  ],
];

function stepOf(client: Client, use: (ask: Ask) => Promise<unknown>): AnyStep {
  return defineStep({
    name: "ask",
    input: z.object({}),
    output: z.object({ text: z.unknown() }),
    run: async (_input, { adapters }: StepContext<Adapters>) => ({
      output: { text: await use(async (prompt) => client(prompt, adapters)) },
    }),
  });
}

const given = (): { readonly input: object; readonly adapters: Adapters } => ({
  input: {},
  adapters: { openai: openai(), anthropic: anthropic() },
});

test.each(
  KINDS.flatMap(([kind, use, expected]) =>
    CLIENTS.map(([name, client]) => [kind, name, use, client, expected] as const),
  ),
)("%s by %s is captured, and replays with the server off", async (_kind, _name, use, client, expected) => {
  const step = stepOf(client, use);
  await expect(step).toMatchBaseline(given());
  expect(stage.stagedText()).toContain(`"text": "${expected}"`);
  stage.settle("none");
  const before = hits;
  isOff = true;
  await expect(step).toReplay();
  expect([hits - before, stage.checks.map(({ verdict }) => verdict.kind)]).toStrictEqual([0, ["clean"]]);
});

test.each(
  CLIENTS,
)("requests at once by %s are the same in another order, and another one is unrecorded", async (_name, client) => {
  let prompts = ["fast a", "fast b", "fast c"];
  const step = stepOf(client, async (ask) => (await Promise.all(prompts.map(ask))).toSorted().join());
  await expect(step).toMatchBaseline(given());
  stage.settle("none");
  prompts = ["fast c", "fast a", "fast b"];
  await expect(step).toReplay();
  prompts = ["fast a", "fast b", "fast d"];
  const before = hits;
  expect(await stage.message(() => expect(step).toReplay())).toContain("fast d");
  expect(hits).toBe(before);
});

test.each(CLIENTS)("a response of %s that a module keeps is refused when it is captured", async (_name, client) => {
  let kept: Promise<string> | undefined;
  const step = stepOf(client, async (ask) => [await (kept ??= ask("fast a")), await ask("fast b")]);
  const message = await stage.message(() => expect(step).toMatchBaseline(given()));
  expect(message).toContain("its response is cached between runs. So the result depends on the tests that ran before.");
});

test.each(CLIENTS)("a prompt of %s with the time isn't captured, and its location is named", async (_name, client) => {
  let count = 0;
  const step = stepOf(client, async (ask) => ask(`It is ${new Date(Date.now() + (count += 1)).toISOString()}: fast a`));
  const message = await stage.message(() => expect(step).toMatchBaseline(given()));
  expect(message).toMatch(
    /The step reads Date\.now at src\/matchers\/sdk-kinds\.test\.ts:LINE directly\. Read it from an adapter, so/m,
  );
  await expect(stepOf(client, async (ask) => ask("fast a"))).toBePure(given());
});

test.each(CLIENTS)("a refund changes, is new or is missing although %s is asked last", async (_name, client) => {
  let refunds: readonly (readonly [method: string, amount: number])[] = [["POST", 40]];
  const step = stepOf(client, async (ask) => {
    for (const [method, amount] of refunds)
      await fetch(`${url}/refunds`, { method, body: JSON.stringify({ amount }) }).then(async (response) =>
        response.text(),
      );
    return ask("fast a");
  });
  const live = { ...given(), mode: "live" as const };
  await expect(step).toMatchBaseline(live);
  stage.settle("none");
  await expect(step).toMatchBaseline(live);
  for (const [changed, line] of [
    [[["POST", 4000]], "amount: 40 → 4000"],
    [
      [
        ["POST", 40],
        ["DELETE", 1],
      ],
      "/refunds",
    ],
    [[], "/refunds"],
  ] as const) {
    refunds = changed;
    const message = await stage.message(() => expect(step).toMatchBaseline(live));
    expect(message).toContain("calls_changed");
    expect(message).toContain(line);
  }
});
