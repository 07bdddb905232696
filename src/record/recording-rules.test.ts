import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createRedactor } from "../redact/create-redactor.ts";
import { findSecrets } from "../redact/find-secrets.ts";
import { PLANTED_SECRETS, type PlantedSecret } from "../../test-support/planted-secrets.ts";
import type { StepContext } from "../kernel/step/context.ts";
import { defineStep } from "../kernel/step/define-step.ts";
import type { AdapterCall } from "./adapter-call.ts";
import { recordAdapters } from "./proxy/record-adapters.ts";
import type { RecordingOptions } from "./recording-rules.ts";
import { replayAdapters } from "./replay/replay-adapters.ts";
import { withReplay } from "./with-replay.ts";

const throughJson = (calls: readonly AdapterCall[]): readonly AdapterCall[] => JSON.parse(JSON.stringify(calls));

interface Adapters {
  ask(request: object): Promise<object>;
  fail(request: object): Promise<never>;
  stream(text: string): AsyncIterable<object>;
  download(text: string): AsyncIterable<Uint8Array>;
  readonly config: { readonly note: string };
}

function isAdapters(adapters: object): adapters is Adapters {
  return "ask" in adapters;
}

/** Adapters that give a text back in every position. */
function echo(text: string): Adapters {
  const half = Math.floor(text.length / 2);
  return {
    ask: async (request) => ({
      request,
      nested: JSON.stringify({ deep: [text] }),
      map: new Map([[text, new Set([text])]]),
      bytes: Buffer.from(text),
      url: new URL(`https://example.com/?q=${encodeURIComponent(text)}`),
    }),
    fail: async () => {
      throw Object.assign(new TypeError(`401: ${text}`, { cause: new Error(text) }), {
        code: "denied",
        config: { text },
      });
    },
    async *stream(given) {
      yield { delta: given.slice(0, half) };
      yield { delta: given.slice(half) };
    },
    async *download(given) {
      yield Buffer.from(given.slice(0, half));
      yield Buffer.from(given.slice(half));
    },
    config: { note: text },
  };
}

async function useAll(adapters: Adapters, text: string): Promise<unknown> {
  const seen: unknown[] = [
    await adapters.ask({ text, [text]: 1, list: [text], headers: { "x-note": text } }),
    adapters.config.note,
  ];
  seen.push(await adapters.fail({ text }).catch((error: unknown) => error));
  for await (const chunk of adapters.stream(text)) seen.push(chunk);
  for await (const chunk of adapters.download(text)) seen.push(chunk);
  return seen;
}

const named = PLANTED_SECRETS.map((planted, index): [string, PlantedSecret] => [`${planted.kind} (${index})`, planted]);

describe("a recording contains no secret, and a replay with the same secret finds its responses", () => {
  test.each(named)("%s", async (_kind, { text, secret }) => {
    const recorder = recordAdapters(echo(text), { redact: createRedactor() });
    await useAll(recorder.adapters, text);
    expect(recorder.problems()).toStrictEqual([]);
    const written = JSON.stringify(recorder.calls());
    const bytes = [...written.matchAll(/"base64":"([^"]*)"/g)].map(([, base64 = ""]) =>
      Buffer.from(base64, "base64").toString(),
    );
    for (const form of [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]) {
      expect(written).not.toContain(form);
      expect(bytes.join("")).not.toContain(form);
    }
    expect(findSecrets(written)).toStrictEqual([]);
    // Another machine, which finds its secrets in another order.
    const server = replayAdapters(throughJson(recorder.calls()), { redact: createRedactor() });
    if (!isAdapters(server.adapters)) throw new Error("nothing recorded");
    await useAll(server.adapters, text);
    expect([server.unrecorded(), server.uncalled()]).toStrictEqual([[], []]);
  });
});

test("redacts by the adapter's name, for calls and properties", async () => {
  const recorder = recordAdapters({
    vault: { getSecret: async () => "open sesame", accessToken: "words only", countTokens: () => "12 of 20" },
  });
  const { vault } = recorder.adapters;
  expect([await vault.getSecret(), vault.accessToken, vault.countTokens()]).toStrictEqual([
    "open sesame",
    "words only",
    "12 of 20",
  ]);
  expect(recorder.made()).toBe(2);
  expect(recorder.calls().map(({ response }) => response)).toStrictEqual([
    expect.stringMatching(/^«redacted:secret#\d+»$/),
    expect.stringMatching(/^«redacted:token#\d+»$/),
    "12 of 20",
  ]);
});

async function recordTwo(
  secrets: readonly [string, string],
  options: RecordingOptions,
): Promise<readonly AdapterCall[]> {
  const recorder = recordAdapters(
    { ask: async ({ apiKey }: { apiKey: string }) => `answer to ${apiKey.length}` },
    options,
  );
  for (const apiKey of secrets) await recorder.adapters.ask({ apiKey });
  return throughJson(recorder.calls());
}

test("pairs requests that differ only in secrets by secret with one redactor, in order with another", async () => {
  const here = { redact: createRedactor() };
  const calls = await recordTwo(["a", "bb"], here);
  const ask = async (options: RecordingOptions): Promise<unknown> => {
    const { adapters, unrecorded } = replayAdapters(calls, options);
    const answers = isAsking(adapters)
      ? [await adapters.ask({ apiKey: "bb" }), await adapters.ask({ apiKey: "a" })]
      : [];
    return [...answers, unrecorded().length];
  };
  expect(await ask(here)).toStrictEqual(["answer to 2", "answer to 1", 0]);
  expect(await ask({ redact: createRedactor() })).toStrictEqual(["answer to 1", "answer to 2", 0]);
});

function isAsking(adapters: object): adapters is { ask(request: object): Promise<string> } {
  return "ask" in adapters;
}

test("replays a recording made without redaction, which can be turned off", async () => {
  const calls = await recordTwo(["a", "bb"], { redact: false });
  expect(calls.map(({ request }) => request)).toStrictEqual([[{ apiKey: "a" }], [{ apiKey: "bb" }]]);
  const { adapters, unrecorded, replayed } = replayAdapters(calls);
  expect(isAsking(adapters) && (await adapters.ask({ apiKey: "a" }))).toBe("answer to 1");
  expect([unrecorded(), replayed()]).toStrictEqual([[], 1]);
});

test("removes ignored parts of requests when recording and replaying", async () => {
  const ignore = ["ask[0].id", "**.meta.*", "ask[0].tags[1]"];
  const asked = (id: string): object => ({ id, q: "why", meta: { at: id, by: [id] }, tags: ["a", id] });
  const recorder = recordAdapters({ ask: async (given: object) => Object.keys(given) }, { ignore });
  await recorder.adapters.ask(asked("1"));
  await recorder.adapters.ask(asked("2"));
  const calls = throughJson(recorder.calls());
  expect(calls.map(({ request, occurrence }) => [request, occurrence])).toStrictEqual(
    [0, 1].map((occurrence) => [[{ q: "why", meta: {}, tags: ["a", { $t: "omitted", v: "ignored" }] }], occurrence]),
  );
  const { adapters, unrecorded } = replayAdapters(calls, { ignore });
  expect(isAsking(adapters) && (await adapters.ask(asked("3")))).toStrictEqual(["id", "q", "meta", "tags"]);
  expect(unrecorded()).toStrictEqual([]);
  expect(
    isAsking(adapters) && (await adapters.ask({ ...asked("3"), q: "how" }).catch((error: unknown) => String(error))),
  ).toContain("No recorded call");
  const bare = recordAdapters({ ask: async (given: object) => Object.keys(given) });
  await bare.adapters.ask(asked("1"));
  const older = replayAdapters(throughJson(bare.calls()), { ignore });
  expect(isAsking(older.adapters) && (await older.adapters.ask(asked("9")))).toHaveLength(4);
});

test("artifacts of a snapshot and messages of problems contain no secret", async () => {
  const key = PLANTED_SECRETS[0]?.text ?? "";
  const step = defineStep({
    name: "leaky",
    input: z.string(),
    output: z.object({}),
    run: async (_input, ctx: StepContext<{ open(): object }>) => {
      ctx.adapters.open();
      return { output: {} };
    },
  });
  const { result } = await withReplay(step, "a", {
    adapters: {
      open: () => ({
        toJSON: () => {
          throw new Error(`bad ${key}`);
        },
      }),
    },
  });
  expect(result).toMatchObject({
    ok: false,
    error: {
      message: expect.stringMatching(
        /^adapter "open" returned a value that can't be recorded: bad «redacted:openai-key#/,
      ),
    },
  });
});
