import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { run } from "../../kernel/step/run.ts";
import type { Schema } from "../../kernel/step/schema.ts";
import { defineExtractionStep, extract, stripFences } from "./extract.ts";
import { jsonFormat } from "./json-format.ts";
import type { LLMError } from "./llm-error.ts";
import type { LLMCallContext, LLMProvider, LLMResult } from "./provider.ts";
import type { LLMRequest } from "./request.ts";
import type { LLMResponse } from "./response.ts";
import { runCount } from "../../../test-support/run-count.ts";

const request: LLMRequest = { model: "m", messages: [{ role: "user", content: "?" }] };

function responseOf(content: string): LLMResponse {
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, reasoning: 0, raw: {} };
  const hashes = { inputHash: "i", outputHash: "o", requestHash: "r" };
  return {
    content,
    trace: {
      provider: "p",
      model: "m",
      promptTokens: 1,
      completionTokens: 1,
      durationMs: 1,
      usage,
      stop: "stop",
      requestId: "req_1",
      ...hashes,
    },
  };
}

/** A model that answers what it is told to, and keeps what it was asked. */
function modelOf(answer: LLMResult): { llm: LLMProvider; asked: unknown[]; ctx: LLMCallContext } {
  const asked: unknown[] = [];
  const llm: LLMProvider = {
    complete: async (...args) => {
      asked.push(args);
      return answer;
    },
    async *stream() {
      yield* [];
      return answer;
    },
  };
  return { llm, asked, ctx: { adapters: { llm } } };
}

const saying = (content: string): ReturnType<typeof modelOf> => modelOf({ ok: true, value: responseOf(content) });

describe("extract", () => {
  const schema = z.object({ at: z.string().transform((text) => text.length) });

  test("returns the parsed data, the JSON and the response, and requests the schema's format", async () => {
    const { ctx, asked } = saying('{"at":"now"}');
    expect(await extract(ctx, request, schema)).toStrictEqual({
      ok: true,
      value: { data: { at: 3 }, json: { at: "now" }, response: responseOf('{"at":"now"}') },
    });
    const format = {
      name: "output",
      schema: { type: "object", properties: { at: { type: "string" } }, required: ["at"], additionalProperties: false },
    };
    expect(asked).toStrictEqual([[{ ...request, responseFormat: format }]]);
  });

  test("removes a code fence around the JSON", async () => {
    expect(await extract(saying('```json\n{"at":"now"}\n```').ctx, request, schema)).toMatchObject({
      ok: true,
      value: { data: { at: 3 }, json: { at: "now" } },
    });
  });

  test("keeps the request's own response format, and passes options on", async () => {
    const { ctx, asked } = saying('{"at":"now"}');
    const { signal } = new AbortController();
    await extract(ctx, { ...request, responseFormat: "json" }, schema, { signal });
    await extract(ctx, request, schema, { name: "Odd name!" });
    expect(asked).toMatchObject([
      [{ responseFormat: "json" }, { signal }],
      [{ responseFormat: { name: "Odd_name_" } }],
    ]);
    expect(asked[1]).toHaveLength(1);
  });

  test("requests plain JSON for a schema of another library", async () => {
    const any: Schema<unknown, { readonly n: unknown }> = {
      "~standard": { version: 1, vendor: "own", validate: (value) => ({ value: { n: value } }) },
    };
    const { ctx, asked } = saying("1");
    expect(await extract(ctx, request, any)).toMatchObject({ ok: true, value: { data: { n: 1 } } });
    expect(asked).toStrictEqual([[{ ...request, responseFormat: "json" }]]);
  });

  test.each([
    ["{", '"{"'],
    ["Sure! \u202e", '"Sure! \\u202e"'],
    [" \n", "nothing"],
  ])("a response that isn't JSON is retryable: %j", async (content, shown) => {
    expect(await extract(saying(content).ctx, request, schema)).toStrictEqual({
      ok: false,
      error: {
        code: "json_error",
        message: expect.stringMatching(
          new RegExp(
            `^The model's response isn't valid JSON \\(.+\\): ${shown.replaceAll(/[\\{}"!]/g, String.raw`\$&`)}\\. Send the request again\\.$`,
          ),
        ),
        retryable: true,
        provider: "p",
        requestId: "req_1",
        response: responseOf(content),
      },
    });
  });

  test("JSON that doesn't match the schema isn't retryable", async () => {
    expect(await extract(saying('{"at":1}').ctx, request, schema)).toStrictEqual({
      ok: false,
      error: {
        code: "schema_error",
        message:
          "The model's JSON doesn't match the schema: at: Invalid input: expected string, received number. Change the prompt or the schema.",
        retryable: false,
        provider: "p",
        requestId: "req_1",
        response: responseOf('{"at":1}'),
      },
    });
  });

  test("returns the error of a failed call unchanged", async () => {
    const error: LLMError = { code: "rate_limit", message: "Later.", retryable: true, provider: "p" };
    expect(await extract(modelOf({ ok: false, error }).ctx, request, schema)).toStrictEqual({ ok: false, error });
  });
});

describe("stripFences", () => {
  test.each([
    ['```json\n{"a":1}\n```', '{"a":1}'],
    ['  ```\r\n{"a":1}\r\n```\n', '{"a":1}'],
    ['```{"a":1}```', '{"a":1}'],
    ['```json {"a":1}```', '{"a":1}'],
    ["```JSON5  [1, 2] ```", "[1, 2]"],
    ["```true ```", "true"],
    ["```true```", "true"],
    ["```JSON5\n[1,\n2]```", "[1,\n2]"],
    ['{"a":"```"}', '{"a":"```"}'],
    ["Here: ```json\n{}\n```", "Here: ```json\n{}\n```"],
    ["```json\n{}", "```json\n{}"],
    ["```", ""],
    ["", ""],
  ])("%j → %j", (text, expected) => {
    expect(stripFences(text)).toBe(expected);
  });

  test("keeps any JSON, in a fence or not", () => {
    fc.assert(
      fc.property(
        fc.json(),
        fc.constantFrom("", "json", "JSON"),
        fc.constantFrom("\n", "\r\n"),
        (json, language, eol) => {
          expect(JSON.parse(stripFences(json))).toStrictEqual(JSON.parse(json));
          expect(JSON.parse(stripFences(`\`\`\`${language}${eol}${json}${eol}\`\`\``))).toStrictEqual(JSON.parse(json));
        },
      ),
      { numRuns: runCount(1000) },
    );
  });
});

describe("jsonFormat", () => {
  test("closes objects unless they are open, and joins unions by anyOf", () => {
    const schema = z.object({
      kind: z.discriminatedUnion("type", [
        z.object({ type: z.literal("a"), n: z.number().min(1) }),
        z.object({ type: z.literal("b") }),
      ]),
      free: z.looseObject({ x: z.string().optional() }),
      counts: z.record(z.string(), z.number()),
    });
    expect(jsonFormat(schema, "kinds")).toStrictEqual({
      name: "kinds",
      schema: {
        type: "object",
        properties: {
          kind: {
            anyOf: [
              {
                type: "object",
                properties: { type: { type: "string", const: "a" }, n: { type: "number", minimum: 1 } },
                required: ["type", "n"],
                additionalProperties: false,
              },
              {
                type: "object",
                properties: { type: { type: "string", const: "b" } },
                required: ["type"],
                additionalProperties: false,
              },
            ],
          },
          free: { type: "object", properties: { x: { type: "string" } }, additionalProperties: {} },
          counts: { type: "object", propertyNames: { type: "string" }, additionalProperties: { type: "number" } },
        },
        required: ["kind", "free", "counts"],
        additionalProperties: false,
      },
    });
  });

  test("names a schema that JSON Schema can't express", () => {
    expect(() => jsonFormat(z.object({ at: z.date() }), "when")).toThrow(
      new TypeError(
        'The schema of "when" can\'t be converted to a JSON Schema: Date cannot be represented in JSON Schema. Describe the JSON itself, e.g. z.string() for a date.',
      ),
    );
  });
});

describe("defineExtractionStep", () => {
  const step = defineExtractionStep({
    name: "extract when",
    input: z.object({ text: z.string().trim() }),
    output: z.object({
      at: z.string().transform((text) => text.length),
      items: z.array(z.object({ id: z.string() })).default([]),
    }),
    keyBy: { items: "id" },
    request: ({ text }) => ({ model: "m", messages: [{ role: "user", content: text }] }),
  });

  test("is a step that parses its input and the model's JSON once, and emits the call's trace", async () => {
    const { llm, asked } = saying('{"at":"now","items":[{"id":"x"}]}');
    const result = await run(step, { text: " hi " }, { adapters: { llm } });
    expect(result).toMatchObject({
      ok: true,
      value: {
        output: { at: 3, items: [{ id: "x" }] },
        events: [{ type: "llm.extracted", llmTrace: { model: "m", requestId: "req_1" } }],
        stepName: "extract when",
      },
    });
    expect(asked).toMatchObject([
      [{ model: "m", messages: [{ role: "user", content: "hi" }], responseFormat: { name: "extract_when" } }],
    ]);
    expect(result.ok && result.value.artifacts.map(({ kind }) => kind)).toStrictEqual([
      "llm-input",
      "llm-output",
      "llm-trace",
    ]);
    expect(step.keyBy).toStrictEqual({ items: "id" });
  });

  test.each([
    ["no JSON", "json_error", true],
    ['{"items":[]}', "schema_error", false],
    ["[]", "schema_error", false],
  ])("fails with the codes of extract: %s", async (content, code, retryable) => {
    expect(await run(step, { text: "" }, { adapters: { llm: saying(content).llm } })).toMatchObject({
      ok: false,
      error: { code, retryable },
    });
  });

  test("a schema whose JSON isn't an object fails with its own error", async () => {
    const any: Schema<object, object> = {
      "~standard": { version: 1, vendor: "own", validate: (value) => ({ value: { value } }) },
    };
    const odd = defineExtractionStep({ name: "odd", input: z.string(), output: any, request: () => request });
    expect(await run(odd, "", { adapters: { llm: saying('"x"').llm } })).toMatchObject({
      ok: false,
      error: {
        code: "schema_error",
        message: "The model's JSON isn't an object. Use an object schema for the output.",
      },
    });
  });
});
