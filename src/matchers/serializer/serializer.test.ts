import * as fc from "fast-check";
import { expect, test } from "vitest";
import * as z from "zod";
import { unwrap } from "../../kernel/result.ts";
import { diff } from "../../kernel/diff/diff.ts";
import { createSnapshotFromResult } from "../../record/snapshot.ts";
import { withReplay } from "../../record/with-replay.ts";
import { configureRedaction, currentRedactor } from "../../redact/current-redactor.ts";
import { emit, invoke, review } from "../../kernel/step/command.ts";
import { defineStep } from "../../kernel/step/define-step.ts";
import { fail, kernelError } from "../../kernel/step/fail.ts";
import { run } from "../../kernel/step/run.ts";
import { type StepResult, rememberKeyBy } from "../../kernel/step/step-result.ts";
import { type Printer, test as isOurs, serialize, stepResultView } from "./serializer.ts";

expect.addSnapshotSerializer({ test: isOurs, serialize });

interface Line {
  readonly sku?: string | number | undefined;
  readonly qty: number;
}

async function resultOf(
  lines: readonly Line[],
  keyBy: Readonly<Record<string, string | ((item: unknown) => string)>> = { "receipt.lines": "sku" },
): Promise<StepResult> {
  const line = z.object({ sku: z.union([z.string(), z.number()]).optional(), qty: z.number() });
  const step = defineStep({
    name: "read",
    input: z.object({ text: z.string() }),
    output: z.object({ receipt: z.object({ total: z.number(), lines: z.array(line) }) }),
    keyBy,
    run: (_input, ctx) => {
      ctx.emitEvent({
        type: "traced",
        llmTrace: {
          model: "m",
          promptTokens: 1,
          completionTokens: 2,
          durationMs: Math.random(),
          inputHash: "a",
          outputHash: "b",
        },
      });
      return {
        output: {
          receipt: { total: 9, lines: lines.map(({ sku, qty }) => (sku === undefined ? { qty } : { sku, qty })) },
        },
        events: [{ type: "read", payload: { pages: 2 } }],
        commands: [invoke("verify", { b: 1, a: 2 }), emit("read", null), review("unsure")],
      };
    },
  });
  return unwrap(await run(step, { text: "a" }));
}

const LINES: readonly Line[] = [
  { sku: "B", qty: 1 },
  { sku: "A", qty: 2 },
  { sku: 10, qty: 3 },
];

test("shows a step result without values that vary between runs, with sorted keyed arrays and commands", async () => {
  expect(await resultOf(LINES)).toMatchInlineSnapshot(`
    StepResult {
      "commands": [
        {
          "payload": null,
          "topic": "read",
          "type": "emit",
        },
        {
          "input": {
            "a": 2,
            "b": 1,
          },
          "step": "verify",
          "type": "invoke",
        },
        {
          "reason": "unsure",
          "type": "review",
        },
      ],
      "events": [
        {
          "type": "traced",
        },
        {
          "payload": {
            "pages": 2,
          },
          "type": "read",
        },
      ],
      "input": {
        "text": "a",
      },
      "output": {
        "receipt": {
          "lines": [
            {
              "qty": 3,
              "sku": 10,
            },
            {
              "qty": 2,
              "sku": "A",
            },
            {
              "qty": 1,
              "sku": "B",
            },
          ],
          "total": 9,
        },
      },
      "step": "read",
    }
  `);
});

test("any order of keyed elements and commands is shown the same", async () => {
  const result = await resultOf(LINES);
  const view = JSON.stringify(stepResultView(result));
  await fc.assert(
    fc.asyncProperty(
      fc.shuffledSubarray([...LINES], { minLength: 3 }),
      fc.shuffledSubarray([...(result.commands ?? [])], { minLength: 3 }),
      async (lines, commands) => {
        const other = rememberKeyBy({ ...(await resultOf(lines)), commands }, { "receipt.lines": "sku" });
        expect(JSON.stringify(stepResultView(other))).toBe(view);
      },
    ),
  );
});

test.each<[string, readonly Line[], Readonly<Record<string, string | ((item: unknown) => string)>>]>([
  ["an element has no key", [{ sku: "b", qty: 1 }, { qty: 2 }], { "receipt.lines": "sku" }],
  [
    "two elements share a key",
    [
      { sku: "b", qty: 1 },
      { sku: "a", qty: 2 },
      { sku: "b", qty: 3 },
    ],
    { "receipt.lines": "sku" },
  ],
  [
    "the key function throws",
    [
      { sku: "b", qty: 1 },
      { sku: "a", qty: 2 },
    ],
    {
      "receipt.lines": () => {
        throw new Error("no");
      },
    },
  ],
  [
    "the key is inherited",
    [
      { sku: "b", qty: 1 },
      { sku: "a", qty: 2 },
    ],
    { "receipt.lines": "toString" },
  ],
  [
    "the path leads nowhere",
    [
      { sku: "b", qty: 1 },
      { sku: "a", qty: 2 },
    ],
    { "receipt.items": "sku", total: "sku", "receipt.lines.qty": "sku" },
  ],
])("an array keeps its order if %s", async (_what, lines, keyBy) => {
  expect(Reflect.get(stepResultView(await resultOf(lines, keyBy)), "output")).toStrictEqual({
    receipt: { total: 9, lines },
  });
});

test("doesn't change the result", async () => {
  const result = await resultOf(LINES);
  const before = structuredClone(result.output);
  stepResultView(result);
  expect(result.output).toStrictEqual(before);
});

test("shows a snapshot without time and hashes", async () => {
  expect(await createSnapshotFromResult(await resultOf([]))).toMatchInlineSnapshot(`
    Snapshot {
      "artifacts": [
        {
          "content": {
            "events": [
              {
                "type": "traced",
              },
              {
                "payload": {
                  "pages": 2,
                },
                "type": "read",
              },
            ],
            "output": {
              "receipt": {
                "lines": [],
                "total": 9,
              },
            },
          },
          "kind": "step-output",
        },
        {
          "content": [
            {
              "payload": null,
              "topic": "read",
              "type": "emit",
            },
            {
              "input": {
                "a": 2,
                "b": 1,
              },
              "step": "verify",
              "type": "invoke",
            },
            {
              "reason": "unsure",
              "type": "review",
            },
          ],
          "kind": "step-commands",
        },
      ],
      "input": {
        "text": "a",
      },
      "step": "read",
      "workflow": "read@0.0.0",
    }
  `);
});

test("shows a diff as its lines, even below other data", () => {
  expect(diff({ a: 1, b: [1] }, { a: 2, b: [], c: "x" })).toMatchInlineSnapshot(`
    Diff
      a: 1 → 2
    - b[0]: 1
    + c: "x"
  `);
  expect(diff(1, 1)).toMatchInlineSnapshot(`
    Diff
    (no changes)
  `);
  expect({ nested: [diff({ a: 1, b: 1 }, { a: 2, b: 2 })] }).toMatchInlineSnapshot(`
    {
      "nested": [
        Diff
          a: 1 → 2
          b: 1 → 2,
      ],
    }
  `);
});

test("shows failures as one escaped line", () => {
  expect(
    fail("no_answer", "nothing\ncame\u001b[31m\u202e", { retryable: true, cause: new Error("x") }),
  ).toMatchInlineSnapshot(`StepFailure no_answer: nothing\\ncame\\u001b[31m\\u202e (retryable)`);
  expect(kernelError("execution_failed", "it broke", new Error("cause"))).toMatchInlineSnapshot(
    `StepError execution_failed: it broke`,
  );
  expect({ ok: false, error: kernelError("execution_failed", "it broke") }).toMatchInlineSnapshot(`
    {
      "error": StepError execution_failed: it broke,
      "ok": false,
    }
  `);
});

/** Put together at run time, so that no scanner takes this file for a leak. */
const SECRETS = { key: ["AKIA", "IOSFODNN7EXAMPLQ"].join(""), word: ["Xk7", "pQ2m", "Zt9"].join("") };

test("shows no secret of a result, snapshot, diff or error, and the same text after other secrets", async () => {
  const login = defineStep({
    name: "login",
    input: z.object({ text: z.string() }),
    output: z.object({ note: z.string() }),
    run: async ({ text }, ctx) => {
      const { password } = await Reflect.get(ctx.adapters, "open")("ada");
      return { output: { note: `${text}: use ${password}` }, commands: [emit("opened", { password })] };
    },
  });
  const adapters = { open: async () => ({ password: SECRETS.word }) };
  const result = unwrap((await withReplay(login, { text: `with ${SECRETS.key}` }, { adapters })).result);
  const shown = [
    result,
    await createSnapshotFromResult(result),
    diff({ password: "a", key: SECRETS.key, b: 1 }, { password: "b", key: SECRETS.key.replace("Q", "R"), b: 2 }),
    fail("refused", `no ${SECRETS.key}`),
    kernelError("execution_failed", `no ${SECRETS.key}`),
  ];
  for (const other of ["words only", SECRETS.key.replace("Q", "Z")]) {
    currentRedactor().redactText(other);
    const texts = shown.map((value) => serialize(value, {}, "", 0, [], (view) => JSON.stringify(view)));
    expect(texts).toStrictEqual([
      'StepResult {"step":"login","input":{"text":"with «redacted:aws-key-id#1»"},"output":{"note":"with ' +
        '«redacted:aws-key-id#1»: use «redacted:password#2»"},"events":[],"commands":[{"type":"emit","topic":"opened",' +
        '"payload":{"password":"«redacted:password#2»"}}]}',
      expect.stringMatching(/^Snapshot (?!.*(?:AKIA|Xk7)).*«redacted:password#2»/),
      'Diff\n  b: 1 → 2\n  key: "«redacted:aws-key-id#1»" → "«redacted:aws-key-id#2»"\n' +
        '  password: "«redacted:password#3»" → "«redacted:password#4»"',
      "StepFailure refused: no «redacted:aws-key-id#1»",
      "StepError execution_failed: no «redacted:aws-key-id#1»",
    ]);
  }
  configureRedaction({});
});

test.each([
  ["an error of an API", { code: "UNKNOWN_ORDER", message: "no order 31", retryable: false }],
  ["an error with its cause", { code: "a", message: "b", retryable: true, cause: { status: 503 } }],
  ["what equals a diff", { equal: true, entries: [] }],
  ["a record of a snapshot's shape", { stepName: "a", inputHash: "b", artifacts: [], capturedAt: 1 }],
  [
    "a record of a result's shape",
    { input: 1, output: 2, events: [], artifacts: [], stepName: "a", workflowId: "w", runId: "r" },
  ],
  ["a copy of a step error", { ...kernelError("a", "b") }],
  ["a diff with more fields", { equal: true, entries: [], more: 1 }],
  ["entries that are no diff's", { equal: false, entries: [{ path: ["a"], status: "new" }] }],
  ["a list of entries", { equal: "yes", entries: [] }],
  ["an error with more fields", { code: "a", message: "b", retryable: false, status: 500 }],
  ["an error without retryable", { code: "a", message: "b" }],
  ["an Error", Object.assign(new Error("b"), { code: "a", retryable: true })],
  ["half a snapshot", { stepName: "a", artifacts: [], capturedAt: 1 }],
  ["half a result", { stepName: "a", input: 1, output: 2, events: [], artifacts: [] }],
  ["a tagged thing that is no failure", { _tag: "StepFailure", code: 1, message: "b" }],
  ["null", null],
  ["undefined", undefined],
  ["a text", "StepResult"],
  ["a function", () => 1],
])("doesn't change the user's own data: %s", (_what, value) => {
  expect(isOurs(value)).toBe(false);
});

test("leaves other values to the printer", () => {
  const printer: Printer<object, unknown[]> = (value) => `printed ${String(value)}`;
  expect(serialize(1, {}, "", 0, [], printer)).toBe("printed 1");
});
