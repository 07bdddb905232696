import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { isPlainObject } from "../../kernel/json/plain-data.ts";
import { unwrap } from "../../kernel/result.ts";
import { type BaselineLibrary, openLibrary } from "../../baseline/baseline-library.ts";
import { rehashed } from "../../baseline/number-placeholders.ts";
import { parseBaseline, readFields } from "../../baseline/parse-baseline.ts";
import { isLaidOut, verifySerialized, serializeBaseline, writtenBaseline } from "../../baseline/serialize-baseline.ts";
import { replacePlaceholders } from "../../redact/placeholder.ts";
import { captureArtifactSync } from "../../record/snapshot.ts";
import { emit, invoke } from "../../kernel/step/command.ts";
import { type AnyStep, defineStep } from "../../kernel/step/define-step.ts";
import { checkInputCase, replayStoredCase, checkStoredCase } from "../../../test-support/check-stored-case.ts";
import { checkValue } from "../check-value.ts";
import type { Check } from "../check.ts";
import { replayProblem } from "./verify-update.ts";
import { temporaryProject } from "../../../test-support/temporary-project.ts";

const X = "AKIAIOSFODNN7EXAMPLQ";
const Y = "AKIAJ2FODNN7EXAMPLEZ";
const CARD = "4242424242424242";
const PASSWORD = ["Xk7", "pQ2m", "Zt9"].join("");

type Ask = (name: string, ...request: readonly unknown[]) => unknown;

/** A step of which one part holds secrets. */
function stepOf(work: (ask: Ask, input: { readonly a: unknown; readonly b: unknown }) => Promise<object>): AnyStep {
  return defineStep({
    name: "carrier",
    input: z.object({ a: z.unknown(), b: z.unknown() }),
    output: z.looseObject({}),
    run: async (input, { adapters, onArtifact }) => {
      const ask: Ask = (name, ...request) => Reflect.get(adapters, name)(...request);
      const { output = {}, events, commands, artifact } = z.looseObject({}).parse(await work(ask, input));
      if (artifact !== undefined) onArtifact?.(captureArtifactSync("note", artifact));
      return {
        output: z.looseObject({}).parse(output),
        ...(events !== undefined && {
          events: z.array(z.looseObject({ type: z.string(), payload: z.unknown() })).parse(events),
        }),
        ...(commands !== undefined && { commands: z.array(z.custom<ReturnType<typeof emit>>()).parse(commands) }),
      };
    },
  });
}

const adapters = {
  echo: async (request: unknown) => ({ heard: request, password: PASSWORD }),
  size: async (bytes: Buffer) => bytes.length > 0,
  fail: async () => {
    throw Object.assign(new Error(`refused ${X}`), { details: { password: PASSWORD } });
  },
  stream: async function* () {
    for (const piece of [Y.slice(0, 9), Y.slice(9)]) yield { text: piece };
    yield { token: X };
  },
};

const INPUT = { a: { apiKey: X }, b: `use ${Y} for card ${CARD}` };
const PLAIN = { a: 1, b: 2 };

/** Every kind of place for a placeholder. */
const KINDS: readonly (readonly [kind: string, input: { a: unknown; b: unknown }, step: AnyStep])[] = [
  ["input", INPUT, stepOf(async () => ({ output: { done: true } }))],
  ["bytes in the input", { a: Buffer.from(`key=${X}`), b: 1 }, stepOf(async () => ({ output: { done: true } }))],
  ["output", PLAIN, stepOf(async () => ({ output: { list: [Y, X, Y], text: `pay ${CARD}`, [`k ${X}`]: 1 } }))],
  ["output of the input", INPUT, stepOf(async (_ask, { a, b }) => ({ output: { b, a } }))],
  [
    "requests and responses",
    INPUT,
    stepOf(async (ask, { a, b }) => ({
      output: { said: [await ask("echo", a, Y), await ask("echo", b), await ask("echo", a)] },
    })),
  ],
  [
    "requests that differ in secrets alone",
    PLAIN,
    stepOf(async (ask) => ({ output: { said: [await ask("echo", X), await ask("echo", Y), await ask("echo", X)] } })),
  ],
  [
    "bytes in a request",
    PLAIN,
    stepOf(async (ask) => ({ output: { ok: await ask("size", Buffer.from(`key=${Y}; ${X}`)) } })),
  ],
  [
    "a stream",
    PLAIN,
    stepOf(async (ask) => {
      const heard: unknown[] = [];
      for await (const chunk of z.custom<AsyncIterable<unknown>>().parse(ask("stream"))) heard.push(chunk);
      return { output: { heard } };
    }),
  ],
  [
    "an error",
    PLAIN,
    stepOf(async (ask) => {
      const message = await Promise.resolve(ask("fail")).catch((thrown: unknown) => String(thrown));
      return { output: { message } };
    }),
  ],
  [
    "events and commands, a tool call too",
    INPUT,
    stepOf(async (_ask, { a, b }) => ({
      events: [{ type: "seen", payload: { b, a } }],
      commands: [emit("paid", { card: CARD }), invoke("next", a), emit("paid", { card: X })],
    })),
  ],
  ["an artifact", INPUT, stepOf(async (_ask, { b }) => ({ artifact: { kept: b, also: X } }))],
  [
    "a URL",
    PLAIN,
    stepOf(async (ask) => ({
      output: { said: await ask("echo", new URL(`https://example.com/?api_key=${X}&page=2`)) },
    })),
  ],
];

function makeLibrary(): BaselineLibrary {
  return openLibrary(join(temporaryProject("formats"), "__baselines__"));
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function proposed(check: Check): string {
  const after = check.update?.propose().after;
  if (after === undefined) throw new Error(`nothing was proposed: ${JSON.stringify(check.verdict)}`);
  return after;
}

/** A file as format 1 has it: eight digits for a secret, made by each machine, and the name of its salt. */
function inFormat1(text: string): string {
  const digits = (placeholder: string): string =>
    placeholder.replace(
      /#(\d+)»/,
      (_found, number: string) => `:${createHash("sha256").update(number).digest("hex").slice(0, 8)}»`,
    );
  const fields: unknown = JSON.parse(text);
  const old = replacePlaceholders(fields, digits);
  const [before, next] = [fields, old].map((one) => (isPlainObject(one) ? readFields(one) : ""));
  if (typeof before !== "object" || typeof next !== "object") throw new Error("no baseline");
  const own = serializeBaseline(rehashed(before, next)).replace('"version": 2', '"version": 1');
  return own.replace(/\n {2}"(?:input|value)": /, (field) => `\n  "hiddenBy": "0a1b2c3d",${field}`);
}

test.each(KINDS)("both formats are clean, replay, and migrate to the same file: %s", async (_kind, input, step) => {
  const library = makeLibrary();
  const question = { input, label: "case", mayCapture: true, adapters };
  const captured = await checkInputCase(step, question, library);
  const text = proposed(captured);
  expect(text).not.toMatch(new RegExp([X, Y, CARD, PASSWORD].join("|")));
  const old = inFormat1(text);
  expect([old.includes("#1"), verifySerialized(old), isLaidOut(old), isLaidOut(text)]).toStrictEqual([
    false,
    undefined,
    true,
    true,
  ]);
  expect(writtenBaseline(unwrap(parseBaseline(old, "old")))).toBe(text);
  expect(await replayProblem(step, writtenBaseline(unwrap(parseBaseline(old, "old"))))).toBe(undefined);
  for (const file of [text, old]) {
    write(captured.path, file);
    const [stored] = library.all("carrier");
    if (stored === undefined) throw new Error("nothing is stored");
    const checks = [
      await checkInputCase(step, question, library),
      await checkInputCase(step, { ...question, mode: "replay" }, library),
      await checkStoredCase(step, stored, { root: library.root, mode: "replay" }),
      await replayStoredCase(step, stored),
    ];
    expect(checks.map(({ verdict }) => verdict)).toStrictEqual(checks.map(() => ({ kind: "clean" })));
    expect(readFileSync(captured.path, "utf8")).toBe(file);
  }
});

test("writes a changed case of format 1 in format 2", async () => {
  const library = makeLibrary();
  const value = { list: [Y, X, Y], text: `pay ${CARD}`, n: 1 };
  const question = { test: "a.test.ts", details: { name: "v" }, keyBy: {} };
  const { path, ...captured } = checkValue(value, question, library);
  const text = proposed({ ...captured, path });
  write(path, inFormat1(text));
  expect(checkValue(value, question, library).verdict).toStrictEqual({ kind: "clean" });
  expect(proposed(checkValue({ ...value, n: 2 }, question, library))).toBe(
    proposed(checkValue({ ...value, n: 2 }, question, makeLibrary())),
  );
});

test("reads a damaged file of format 1 as damaged", async () => {
  const library = makeLibrary();
  const question = { input: INPUT, label: "case", mayCapture: true, adapters };
  const step = stepOf(async (_ask, { a, b }) => ({ output: { b, a } }));
  const captured = await checkInputCase(step, question, library);
  write(captured.path, inFormat1(proposed(captured)).replace('"apiKey": "«', '"apiKey": "edited «'));
  const { verdict } = await checkInputCase(step, { ...question, details: {} }, library);
  expect(verdict.kind).not.toBe("clean");
});

test("a file written by the previous version is valid, and so is its migrated form", () => {
  const text = readFileSync(new URL("../../../fixtures/baselines/format-1.json", import.meta.url), "utf8");
  const migrated = writtenBaseline(unwrap(parseBaseline(text, "format-1.json")));
  expect([verifySerialized(text), isLaidOut(text), verifySerialized(migrated), isLaidOut(migrated)]).toStrictEqual([
    undefined,
    true,
    undefined,
    true,
  ]);
  expect(migrated).not.toMatch(/hiddenBy|:[0-9a-f]{8}»/);
  expect([...new Set(migrated.match(/#\d+»/g))]).toStrictEqual(["#1»", "#2»", "#3»", "#4»"]);
});
