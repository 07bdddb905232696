import * as fc from "fast-check";
import { expect, test } from "vitest";
import { stableStringify } from "../kernel/json/canonical-json.ts";
import { hashValueSync } from "../kernel/json/hash.ts";
import { isPlainObject } from "../kernel/json/plain-data.ts";
import { unwrap } from "../kernel/result.ts";
import { escapeInvisible } from "../kernel/text.ts";
import type { AdapterCall } from "../record/adapter-call.ts";
import { isAsyncIterable } from "../record/encode/builtins.ts";
import { recordAdapters } from "../record/proxy/record-adapters.ts";
import { replayAdapters } from "../record/replay/replay-adapters.ts";
import { emit, review } from "../kernel/step/command.ts";
import type { StepBaseline } from "./baseline.ts";
import { createStepBaseline, createValueBaseline } from "./create-baseline.ts";
import { parseBaseline } from "./parse-baseline.ts";
import { verifySerialized, serializeBaseline } from "./serialize-baseline.ts";
import { runCount } from "../../test-support/run-count.ts";

const RUNS = { numRuns: runCount(300) };

// V8 of Node 24 misreads a name that is escaped in JSON once it has met one with a backslash in its place.
const key = fc
  .oneof(fc.string({ unit: "binary" }), fc.constantFrom("__proto__", "constructor", "10", "9", "", "é", "\u202e"))
  .filter((name) => !name.includes("\\"));
const text = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc.constantFrom("<<<<<<< HEAD", "\u2028=======\n", "\ud800", "\u001b[31m", "\ufeff"),
);
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constant(null),
    fc.boolean(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    text,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(key, tie("value"), { maxKeys: 4 }),
  ),
})).value;

const call: fc.Arbitrary<AdapterCall> = fc.record({
  adapter: text,
  occurrence: fc.nat(),
  returns: fc.constantFrom("value", "promise"),
  request: fc.array(json, { maxLength: 2 }),
  response: json,
});

const details = fc.record({
  name: fc.option(text, { nil: undefined }),
  labels: fc.array(text),
  meta: fc.dictionary(key, fc.oneof(text, fc.boolean(), fc.integer())),
});
const result = fc.record({
  input: fc.oneof(json, fc.date(), fc.bigInt().map(String)),
  output: fc.dictionary(key, json),
  events: fc.array(fc.record({ type: text, payload: json })),
  commands: fc.array(
    fc.oneof(
      json.map((payload) => emit("topic", payload)),
      text.map((reason) => review(reason)),
    ),
  ),
  artifacts: fc.constant([]),
  stepName: text,
  workflowId: text,
  workflowVersion: text,
});

const stepBaseline = fc
  .tuple(result, fc.array(call, { maxLength: 3 }), details)
  .map(([kept, calls, called]): StepBaseline => createStepBaseline(kept, calls, called));

/** The same data with every object's keys in reverse order of construction. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, item]) => [name, reversed(item)]),
  );
}

function unwrapRecord(value: unknown): Record<string, unknown> {
  if (isPlainObject(value)) return value;
  throw new TypeError("no record");
}

const RESULT = {
  input: { text: "two\nlines", at: new Date(0) },
  output: { total: "9.00", lines: [{ sku: "A17" }], empty: [], none: {} },
  events: [{ type: "read", payload: { pages: 2 } }],
  commands: [emit("done", { b: 1, a: 2 })],
  artifacts: [],
  stepName: "extract-receipt",
  workflowId: "receipts",
  workflowVersion: "1.0.0",
};

test("formats a step baseline: fixed order of fields, sorted keys in compared parts, a final newline", () => {
  const calls: AdapterCall[] = [
    { adapter: "llm.complete", occurrence: 0, returns: "promise", request: ["p"], response: "r" },
  ];
  expect(
    serializeBaseline(createStepBaseline(RESULT, calls, { name: "march", labels: ["eu"], meta: { pages: 2 } })),
  ).toMatchInlineSnapshot(`
    "{
      "version": 2,
      "kind": "step",
      "step": "extract-receipt",
      "workflow": {
        "id": "receipts",
        "version": "1.0.0"
      },
      "name": "march",
      "labels": [
        "eu"
      ],
      "meta": {
        "pages": 2
      },
      "input": {
        "text": "two\\nlines",
        "at": {
          "$t": "date",
          "v": "1970-01-01T00:00:00.000Z"
        }
      },
      "inputHash": "sha256:92093be8a785d7f12112db6887841a9722d42f352e7ffd52161abd5b9ad26168",
      "output": {
        "empty": [],
        "lines": [
          {
            "sku": "A17"
          }
        ],
        "none": {},
        "total": "9.00"
      },
      "events": [
        {
          "payload": {
            "pages": 2
          },
          "type": "read"
        }
      ],
      "commands": [
        {
          "payload": {
            "a": 2,
            "b": 1
          },
          "topic": "done",
          "type": "emit"
        }
      ],
      "calls": [
        {
          "adapter": "llm.complete",
          "occurrence": 0,
          "request": [
            "p"
          ],
          "response": "r",
          "returns": "promise"
        }
      ],
      "artifacts": [
        {
          "hash": "sha256:7289ff12d9a3c26f198b7a4655ea9f962101c5fec933ddececc21a9c5e6d20d8",
          "kind": "adapter-call"
        },
        {
          "hash": "sha256:e3fe14c26586092d62afc380d3cc7bb2287b363fb6df12253d3575d263af152a",
          "kind": "step-output"
        },
        {
          "hash": "sha256:55eecc026549aff554060fffa344125a7fda5fa16782ec2e5316a64f65bdf6e4",
          "kind": "step-commands"
        }
      ]
    }
    "
  `);
});

test("formats a value baseline the same way", () => {
  expect(
    serializeBaseline(createValueBaseline({ b: 1, a: ["x"] }, { test: "a.test.ts", name: "summary" })),
  ).toMatchInlineSnapshot(`
    "{
      "version": 2,
      "kind": "value",
      "test": "a.test.ts",
      "name": "summary",
      "labels": [],
      "meta": {},
      "value": {
        "a": [
          "x"
        ],
        "b": 1
      },
      "hash": "sha256:9bfce180614e8aaffe8a52084e7be3ee3b4c2e740cae2793550177f953f11c04"
    }
    "
  `);
});

test("escapes invisible and bidirectional characters, and no others", () => {
  const written = serializeBaseline(createValueBaseline("a\u202eb\u200bc\ufeffé🎉\u001b", { test: "t", name: "n" }));
  expect(written).toContain(String.raw`"value": "a\u202eb\u200bc\ufeffé🎉\u001b"`);
});

test("a written baseline reads back equal, and is written again with the same bytes", { tags: "deep" }, () => {
  fc.assert(
    fc.property(stepBaseline, (baseline) => {
      const written = serializeBaseline(baseline);
      const read = unwrap(parseBaseline(written, "a.json"));
      expect(stableStringify(read)).toBe(stableStringify(baseline));
      expect(serializeBaseline(read)).toBe(written);
      expect(verifySerialized(written)).toBeUndefined();
    }),
    RUNS,
  );
});

test("writes compared parts with the same bytes in any order of their keys", () => {
  fc.assert(
    fc.property(result, details, (kept, called) => {
      const turned = {
        ...kept,
        output: unwrapRecord(reversed(kept.output)),
        commands: kept.commands.toReversed(),
      };
      const meta = Object.fromEntries(Object.entries(called.meta).toReversed());
      expect(serializeBaseline(createStepBaseline(turned, [], { ...called, meta }))).toBe(
        serializeBaseline(createStepBaseline(kept, [], called)),
      );
    }),
    RUNS,
  );
});

async function chunksOf(stream: AsyncIterable<unknown>): Promise<readonly unknown[]> {
  const chunks: unknown[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

function isDetailed(error: unknown): error is { readonly detail: unknown } {
  return typeof error === "object" && error !== null && "detail" in error;
}

test("keeps the key order of everything a step receives: responses, streams, errors and its input", async () => {
  const outcome = fc.record({ how: fc.constantFrom("value", "promise", "stream", "error"), value: json });
  const asText = (value: unknown): string => JSON.stringify(value);
  /** Uses the adapters as a step would that hands on all that it gets as text. */
  const used = async (adapters: ReturnType<typeof adaptersOf>, count: number): Promise<readonly string[]> => {
    const texts: string[] = [];
    for (let at = 0; at < count; at += 1) {
      try {
        const answer: unknown = await adapters.ask(at);
        texts.push(asText(isAsyncIterable(answer) ? await chunksOf(answer) : answer));
      } catch (error) {
        texts.push(asText(isDetailed(error) ? error.detail : error));
      }
    }
    return texts;
  };
  const adaptersOf = (outcomes: readonly { readonly how: string; readonly value: unknown }[]) => ({
    ask: (at: number): unknown => {
      const { how, value } = outcomes[at] ?? {};
      if (how === "error") throw Object.assign(new Error("no"), { detail: value });
      if (how === "stream")
        return (async function* stream() {
          yield value;
          yield [value];
        })();
      return how === "promise" ? Promise.resolve(value) : value;
    },
  });
  await fc.assert(
    fc.asyncProperty(json, fc.array(outcome, { minLength: 1, maxLength: 3 }), async (input, outcomes) => {
      const recorder = recordAdapters(adaptersOf(outcomes), { redact: false });
      const texts = await used(recorder.adapters, outcomes.length);
      expect(recorder.problems()).toStrictEqual([]);
      const kept = { ...RESULT, input };
      const read = unwrap(parseBaseline(serializeBaseline(createStepBaseline(kept, recorder.calls(), {})), "a.json"));
      if (read.kind !== "step") throw new TypeError("no step");
      const served = replayAdapters(read.calls, { redact: false });
      const adapters = {
        ask: (at: number): unknown => Reflect.apply(Reflect.get(served.adapters, "ask"), undefined, [at]),
      };
      expect(await used(adapters, outcomes.length)).toStrictEqual(texts);
      expect(asText(read.input)).toBe(asText(input));
    }),
    { numRuns: runCount(10_000) },
  );
});

test("never writes a line that looks like a conflict marker", () => {
  fc.assert(
    fc.property(stepBaseline, (baseline) => {
      expect(serializeBaseline(baseline)).not.toMatch(/^(?:<{7}|={7}|>{7}|\|{7})/mu);
    }),
    RUNS,
  );
});

test("any JSON value reads back unchanged", () => {
  fc.assert(
    fc.property(json, (value) => {
      const read = unwrap(
        parseBaseline(serializeBaseline(createValueBaseline(value, { test: "a.test.ts", name: "n" })), "a.json"),
      );
      expect(read.kind === "value" && hashValueSync(read.value)).toBe(hashValueSync(value));
      expect(read.kind === "value" && read.hash).toBe(hashValueSync(value));
    }),
    RUNS,
  );
});

test("keeps the types of an input that isn't plain JSON, and omits undefined fields", () => {
  const input = { at: new Date(5), none: undefined, never: Number.NaN, zero: -0, url: new URL("https://a.example/") };
  const read = unwrap(parseBaseline(serializeBaseline(createStepBaseline({ ...RESULT, input }, [], {})), "a.json"));
  const { none: _absent, ...kept } = input;
  expect(read.kind === "step" && read.input).toStrictEqual(kept);
});

test("writes each field as on its own, indented one level more", () => {
  fc.assert(
    fc.property(json, details, (value, { name = "n", labels, meta }) => {
      const written = serializeBaseline({ version: 2, kind: "value", test: "t", name, labels, meta, value, hash: "h" });
      const fields = { version: 2, kind: "value", test: "t", name, labels, meta, value, hash: "h" };
      const lines = Object.entries(fields).map(
        ([field, content]) =>
          `  "${field}": ${JSON.stringify(JSON.parse(stableStringify(content)), undefined, 2).replaceAll("\n", "\n  ")}`,
      );
      expect(written).toBe(`${escapeInvisible(`{\n${lines.join(",\n")}\n}`)}\n`);
    }),
    { numRuns: runCount(10_000) },
  );
});
