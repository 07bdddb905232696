import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createRedactor } from "../redact/create-redactor.ts";
import { PLANTED_SECRETS } from "../../test-support/planted-secrets.ts";
import type { StepContext } from "../kernel/step/context.ts";
import { defineStep } from "../kernel/step/define-step.ts";
import type { AdapterCall } from "./adapter-call.ts";
import { encodeArguments } from "./encode/encode.ts";
import { recordAdapters } from "./proxy/record-adapters.ts";
import { type RecordingOptions, recordingRules } from "./recording-rules.ts";
import { replayAdapters } from "./replay/replay-adapters.ts";
import { withReplay } from "./with-replay.ts";

const throughJson = (calls: readonly AdapterCall[]): readonly AdapterCall[] => JSON.parse(JSON.stringify(calls));

test("redacts a secret that two chunks of a stream share, in text and in bytes", async () => {
  const key = PLANTED_SECRETS[0]?.text ?? "";
  const parts = [key.slice(0, 9), key.slice(9)];
  const { adapters, calls } = recordAdapters({
    text: async function* () {
      for (const delta of parts) yield { delta };
    },
    bytes: async function* () {
      for (const part of parts) yield Buffer.from(part);
    },
  });
  for await (const _chunk of adapters.text());
  for await (const _chunk of adapters.bytes());
  const written = JSON.stringify(calls());
  for (const part of parts.flatMap((text) => [text, Buffer.from(text).toString("base64")]))
    expect(written).not.toContain(part);
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

describe("the secret parts of a recorded request's URL", () => {
  const secret = "T024BE7LD/B01AB2CD3EF/aBcDeFgHiJkLmNoPqRsTuVwX";
  const request = [
    { method: "POST", origin: "https://hooks.slack.com", path: `/services/${secret}`, query: "sig=Zm9v" },
  ];
  const hidden = { path: "/services/«redacted:webhook-url#1»", query: { sig: "«redacted:signature#2»" } };

  test.each<[string, RecordingOptions, object]>([
    ["without options", {}, { method: "POST", origin: "https://hooks.slack.com", ...hidden }],
    ["if the origin is ignored", { ignore: ["fetch[0].origin"] }, { method: "POST", ...hidden }],
    [
      "if the request is normalized",
      { normalizeRequest: (data) => ({ ...Object(data), origin: "https://a.test" }) },
      { method: "POST", origin: "https://a.test", ...hidden },
    ],
  ])("are redacted %s", (_when, options, redacted) => {
    const rules = recordingRules({ ...options, redact: createRedactor() });
    expect(rules.request("fetch", request)).toStrictEqual([redacted]);
    expect(rules.request("fetch", [redacted])).toStrictEqual([redacted]);
  });

  test("stay with redact: false", () => {
    const options: RecordingOptions = { redact: false, ignore: ["fetch[0].method"] };
    expect(recordingRules(options).request("fetch", request)).toStrictEqual([
      { origin: "https://hooks.slack.com", path: `/services/${secret}`, query: { sig: "Zm9v" } },
    ]);
  });
});

test.each([
  ["without arguments", [undefined], []],
  ["with one argument", ["hello", undefined, undefined], ["hello"]],
  ["with an undefined argument before another", [undefined, "hello"], [{ $t: "undefined" }, "hello"]],
])("leaves out undefined arguments at the end: a call %s", (_what, args, request) => {
  const [sent, stored] = [encodeArguments(args), JSON.parse(JSON.stringify(encodeArguments(args)))];
  for (const form of [sent, stored]) expect(recordingRules().request("llm.ask", form)).toStrictEqual(request);
});
