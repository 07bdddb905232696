import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, expect, test } from "vitest";
import * as z from "zod";
import { type AnyStep, defineStep } from "../../kernel/step/define-step.ts";
import { replayAdapters } from "../replay/replay-adapters.ts";
import { withReplay } from "../with-replay.ts";
import { recordTools } from "../calls/record-tools.ts";
import { tool } from "../calls/tool.ts";
import { recordGlobalFetch } from "./fetch-recorder.ts";
import { serve } from "../../../test-support/serve.ts";

let hits = 0;
const { url, close } = await serve((_request, response) => {
  hits += 1;
  response.end("7");
});
const uninstall = recordGlobalFetch();
afterAll(() => {
  uninstall();
  close();
});

/** A queue whose loop was started when this module was loaded. */
const jobs: (() => void)[] = [];
const timer = setInterval(() => jobs.splice(0).forEach((job) => job()), 2);
afterAll(() => clearInterval(timer));
const get = async (path: string): Promise<string> => (await fetch(`${url}${path}`)).text();
const queued = async (path: string): Promise<string> =>
  new Promise((resolve, reject) => jobs.push(() => void get(path).then(resolve, reject)));

/** A batch that an earlier run starts: its loop goes on in the context of that run. */
let loop: Promise<void> | undefined;
const batch: (() => void)[] = [];
async function batched(path: string): Promise<string> {
  loop ??= (async () => {
    for (let turn = 0; turn < 400; turn += 1) {
      for (const send of batch.splice(0)) send();
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  })();
  return new Promise((resolve, reject) => batch.push(() => void get(path).then(resolve, reject)));
}

/** An adapter that sends its requests through the queue. */
const rates = { read: queued };

function step(run: (path: string, adapters: typeof rates) => Promise<string>): AnyStep {
  return defineStep({
    name: "rate",
    input: z.object({ path: z.string() }),
    output: z.object({ rate: z.string() }),
    run: async ({ path }, ctx) => {
      const { rates: adapter = rates }: { readonly rates?: typeof rates } = ctx.adapters;
      return { output: { rate: await run(path, adapter) } };
    },
  });
}

test.each([
  ["a queue of a module", queued],
  ["a batch that an earlier run started", batched],
])("replays requests of %s for the only run, without the network", async (_name, send) => {
  if (send === batched) await withReplay(step(batched), { path: "/first" });
  const { calls } = await withReplay(step(send), { path: "/lima" });
  expect(calls.filter(({ returns }) => returns !== "property")).toMatchObject([
    { adapter: "fetch", request: [{ method: "GET", path: "/lima" }] },
  ]);
  const before = hits;
  const replay = replayAdapters(calls);
  expect(await replay.runInScope(async () => send("/lima"))).toBe("7");
  expect([replay.replayed(), hits]).toStrictEqual([1, before]);
  const other = replayAdapters(calls);
  await other.runInScope(async () => send("/quito"));
  expect([other.unrecorded().length, hits]).toStrictEqual([1, before]);
});

test("a request of an adapter's own queue is part of the adapter's call", async () => {
  const { calls } = await withReplay(
    step(async (path, { read }) => read(path)),
    { path: "/lima" },
    { adapters: { rates } },
  );
  const made = calls.filter(({ returns }) => returns !== "property");
  expect(made.map(({ adapter }) => adapter)).toStrictEqual(["rates.read"]);
});

/** A promise that each run awaits, and that is made once all of them have started. */
const shared = new Map<string, Promise<string>>();
async function awaited(path: string): Promise<string> {
  await new Promise((resolve) => setTimeout(resolve, 2));
  shared.set("all", shared.get("all") ?? queued(path));
  return shared.get("all") ?? "";
}

/** SDKs throw an error of their own around one of `fetch`. */
const byClient = (get: (path: string) => Promise<string>) => async (path: string) =>
  new Promise<string>((resolve, reject) => jobs.push(() => void get(path).then(resolve, reject)));
const options = { apiKey: "made-up", maxRetries: 0 };
const openai = byClient(async (path) => new OpenAI({ ...options, baseURL: url }).get(path));
const anthropic = byClient(async (path) => new Anthropic({ ...options, baseURL: url }).get(path));

/** Steps that go on without the response: the run that is recorded would be one without the request. */
const withDefault = async (path: string): Promise<string> => queued(path).catch(() => "5");
const withOwnError = async (path: string): Promise<string> =>
  openai(path).catch(() => {
    throw new RangeError("no rate");
  });

test.each([
  ["a queue of a module", queued],
  ["a batch that an earlier run started", batched],
  ["a promise that runs share", awaited],
  ["OpenAI in a queue", openai],
  ["Anthropic in a queue", anthropic],
  ["a queue whose error the step catches", withDefault],
  ["OpenAI whose error the step replaces", withOwnError],
])("with several runs refuses a request of %s by name, and sends none", async (_name, send) => {
  if (send === batched) await withReplay(step(batched), { path: "/first" });
  const before = hits;
  const runs = ["/lima", "/quito"].map(async (path) => withReplay(step(send), { path }));
  const results = await Promise.all(runs);
  for (const { result } of results)
    expect(result).toMatchObject({
      ok: false,
      error: {
        message: expect.stringMatching(
          new RegExp(
            `veritest can't tell which of 2 active runs sent GET ${url}/(?:lima|quito)\\. The request came from shared ` +
              "code, such as a queue, a timer or a cached promise\\. Pass the client as an adapter, or run these tests " +
              "one by one\\.",
          ),
        ),
      },
    });
  expect(hits).toBe(before);
});

test("with several runs a refused request ends each of them, also if its queue never passes the error on", async () => {
  const silent = async (path: string): Promise<string> =>
    new Promise((resolve) => jobs.push(() => void get(path).then(resolve, () => {})));
  const runs = [silent, silent].map(async (send) => withReplay(step(send), { path: "/lima" }));
  const messages = (await Promise.all(runs)).map(({ result }) => (result.ok ? "" : result.error.message));
  expect(messages).toStrictEqual([
    expect.stringMatching(/^veritest can't tell which of 2 active runs sent GET /),
    expect.stringMatching(/^veritest can't tell which of 2 active runs sent GET /),
  ]);
});

/** The start of the message of two runs that share what sends a request. */
async function refusalOf(send: (path: string) => Promise<string>): Promise<string> {
  const runs = await Promise.all(["/a", "/b"].map(async (path) => withReplay(step(send), { path })));
  const [message = ""] = runs.map(({ result }) => (result.ok ? "" : result.error.message));
  return message.slice(0, message.indexOf(". The request came"));
}

test("names a refused request without its query and secrets", async () => {
  const token = `ghp_${"a1B2".repeat(9)}`;
  const write = async (): Promise<string> =>
    new Promise((resolve, reject) =>
      jobs.push(() => {
        const request = new Request(`${url}/${token}/rates?key=hunter2`, { method: "put" });
        void fetch(request).then(async (response) => resolve(await response.text()), reject);
      }),
    );
  const message = await refusalOf(write);
  expect(message).toMatch(/active runs sent PUT http:\/\/127\.0\.0\.1:\d+\/«redacted:github-token[^»]*»\/rates$/);
});

test("names a refused call of a tool", async () => {
  const config = { effect: "read", input: z.object({}), output: z.string(), run: () => "7" } as const;
  const lookup = tool({ name: "lookup", ...config });
  const { fetchRate } = recordTools({ fetchRate: { ...config, execute: async () => "7" } });
  const inQueue = async (call: () => Promise<unknown>): Promise<string> =>
    new Promise((resolve, reject) => jobs.push(() => void call().then((rate) => resolve(String(rate)), reject)));
  expect(await refusalOf(async () => inQueue(async () => lookup({})))).toMatch(/active runs called the tool lookup$/);
  expect(await refusalOf(async () => inQueue(async () => fetchRate.execute()))).toMatch(
    /active runs called the tool fetchRate$/,
  );
});

test("sends a request outside of runs as usual", async () => {
  const before = hits;
  expect(await queued("/lima")).toBe("7");
  expect(hits).toBe(before + 1);
});
