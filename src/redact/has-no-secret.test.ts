import { deepStrictEqual } from "node:assert/strict";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { jsonValue } from "../../test-support/arbitraries.ts";
import { type RedactorOptions, createRedactor } from "./create-redactor.ts";
import { RevealedSecrets } from "./revealed-secrets.ts";
import { PLANTED_SECRETS, SECRET_NAMES } from "../../test-support/planted-secrets.ts";
import { cpuMs } from "../../test-support/cpu-ms.ts";
import { runCount } from "../../test-support/run-count.ts";

const KNOWN: RedactorOptions = {
  fields: ["memberNumber"],
  values: [{ name: "USER_KEY", value: "ada lovelace\n1815" }],
};

/**
 * The same redactor, which may not look quickly: paths say what only the place of a value tells. This one names none.
 */
function careful(options: RedactorOptions): RedactorOptions {
  return { ...options, paths: ["no.such.place"] };
}

const names = fc.constantFrom(
  ...SECRET_NAMES,
  "token",
  "cookies",
  "value",
  "name",
  "key",
  "$t",
  "v",
  "__proto__",
  "1",
  "a",
  "note",
  "member-number",
);
const pieces = fc.constantFrom(
  ...PLANTED_SECRETS.map(({ text }) => text),
  ...SECRET_NAMES,
  "sk-",
  "Basic ",
  "bearer ",
  "4111",
  "1111",
  "-----BEGIN PRIVATE KEY-----",
  "ada lovelace",
  "\n1815",
  "«redacted:key#12»",
  "redacted",
  "AKIAIOSF",
  "ODNN7EXAMPLE",
  ":",
  "=",
  "%3D",
  "{",
  "}",
  "[",
  "]",
  '"',
  "\\",
  "\\n",
  "\n",
  "://",
  "@",
  " ",
  ", ",
  "a",
  "plain words of some length",
  "0123456789abcdef0123",
);
const texts = fc.oneof(
  fc.array(pieces, { maxLength: 6 }).map((parts) => parts.join("")),
  fc.constantFrom("a plain text, long enough", "x-api-key", "short"),
);

const values = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    texts,
    jsonValue(),
    fc.constantFrom(
      4111111111111111,
      4111111111111112,
      378282246310005,
      -1,
      2n ** 70n,
      4111111111111111n,
      undefined,
      null,
      true,
    ),
    fc.constantFrom(
      new Date(0),
      new Map([["apiKey", "abc"]]),
      new Set(["sk-a"]),
      new URL("https://a:b@c.example"),
      Buffer.from("x"),
      () => 1,
      Symbol("s"),
    ),
    fc.array(tie("value"), { maxLength: 5 }),
    fc.dictionary(fc.oneof(names, texts), tie("value"), { maxKeys: 4, noNullPrototype: false }),
    fc.record({ name: names, value: tie("value") }),
  ),
})).value;

test.each([
  ["no known values", {}],
  ["known values and fields", KNOWN],
])("the fast check doesn't change a result, with %s", (_, options) => {
  const [quick, slow] = [createRedactor(options), createRedactor(careful(options))];
  fc.assert(
    fc.property(values, (value) => {
      const [found, expected] = [quick.redact(value), slow.redact(value)];
      // toStrictEqual takes a field named "constructor" for a class, and two copies of it for two classes.
      deepStrictEqual(found, expected);
      expect(found.value === value).toBe(expected.value === value);
    }),
    { numRuns: runCount(6000) },
  );
});

/** Texts cut into deltas, as a model streams them. */
const deltas = fc
  .array(fc.tuple(texts, fc.integer({ min: 2, max: 9 })), { minLength: 1, maxLength: 2 })
  .map((parts) => parts.flatMap(([text, size]) => text.match(new RegExp(`[^]{1,${size}}`, "gu")) ?? []));
const event = fc.oneof(
  { weight: 4, arbitrary: fc.record({ index: fc.nat(1), content: fc.constant("") }) },
  fc.dictionary(names, texts, { maxKeys: 2, noNullPrototype: true }),
  fc.constantFrom({ bytes: "eyJhIjoxfQ==" }, { token: "sk-" }, { created: 1732612345 }),
);
const streamed = fc.tuple(deltas, fc.array(event, { minLength: 1, maxLength: 3 })).map(([contents, events]) =>
  contents.map((content, at) => {
    const like = events[at % events.length] ?? {};
    return "content" in like ? { ...like, content } : { ...like, delta: { content } };
  }),
);
const streams = fc.oneof(
  streamed,
  deltas,
  streamed.map((events) => events.map((one) => `data: ${JSON.stringify(one)}\n\n`)),
  streamed.map((events) => [
    ...events.map((one) => `event: delta\ndata: ${JSON.stringify(one)}\n\n`),
    "data: [DONE]\n\n",
  ]),
  streamed.map((events) => events.map((one) => `${JSON.stringify(one)}\n`)),
  deltas.map((parts) => parts.map((part) => `data: ${part}\n\n`)),
  deltas.map((parts) => parts.map((part) => `0:${JSON.stringify(part)}\n`)),
  fc.tuple(streamed, fc.integer({ min: 5, max: 60 })).map(
    ([events, size]) =>
      events
        .map((one) => `data: ${JSON.stringify(one)}\n\n`)
        .join("")
        .match(new RegExp(`[^]{1,${size}}`, "gu")) ?? [],
  ),
);

test.each([
  ["no known values", {}],
  ["known values and fields", KNOWN],
])("the fast check doesn't change a stream's chunks, with %s", (_, options) => {
  fc.assert(
    fc.property(streams, (chunks) => {
      const [quick, slow] = [createRedactor(options), createRedactor(careful(options))];
      const [found, expected] = [quick.redactChunks(chunks), slow.redactChunks(chunks)];
      deepStrictEqual(found, expected);
      expect(found.value === chunks).toBe(expected.value === chunks);
      // Its response is checked again with what is known about its chunks.
      deepStrictEqual(quick.redact({ body: { chunks } }), slow.redact({ body: { chunks } }));
    }),
    { numRuns: runCount(3000) },
  );
});

test("a text that begins or ends another text's secret isn't part of it", () => {
  const { redact } = createRedactor(KNOWN);
  const value = {
    a: "here is sk-proj-a1b2c3",
    b: "d4e5f6g7h8i9j0k1l2m3n4",
    c: "ada lovelace",
    d: "1815 or so it is said",
  };
  expect(redact(value)).toStrictEqual({ value, secrets: [] });
  expect(redact(["ada lovelace\n1815"]).value).not.toStrictEqual(["ada lovelace\n1815"]);
});

test("finds a secret at the boundary of two long equal chunks", () => {
  const key = `sk-ant-api03-${"aB3dE5gH7jK9".repeat(8)}AA`;
  const text = `${key.slice(20)} ${"x ".repeat(5000)}${key.slice(0, 20)}`;
  const { value } = createRedactor().redactChunks([{ text }, { text }]);
  // The first chunk begins with the rest of a key, too, but nothing is before it.
  expect(JSON.stringify(value[1]).includes(key.slice(20))).toBe(false);
});

test("finds a secret at any position among more texts than one search takes", { tags: "deep" }, () => {
  const { redact } = createRedactor();
  const lines = Array.from({ length: 3000 }, (_unused, index) => `a line of plain words, number ${index}`);
  const key = PLANTED_SECRETS[0]?.text ?? "";
  for (const at of [0, 1, 1499, 2999]) {
    const { value, secrets } = redact(lines.with(at, `with ${key}.`));
    expect(secrets).toStrictEqual([{ kind: "openai-key", path: `[${at}]` }]);
    expect(value).toStrictEqual(lines.with(at, String(redact(`with ${key}.`).value)));
  }
  expect(redact(lines).value).toBe(lines);
});

test("finds a secret in a long text that had none before, once it's known, and in a text like it", () => {
  const secrets = new RevealedSecrets();
  const here: RevealedSecrets[] = [];
  const { redact, redactText } = createRedactor({}, () => here[0]);
  const text = `${"A line of plain words.\n".repeat(20)}The word is k7Qz2mXw9L.`;
  expect([redact([text]).value, redactText(text)]).toStrictEqual([[text], text]);
  const like = `${text} ${PLANTED_SECRETS[0]?.text ?? ""}`;
  expect(redactText(like)).toMatch(/«redacted:openai-key#1»$/);
  secrets.note("password", "k7Qz2mXw9L");
  here.push(secrets);
  const hidden = text.replace("k7Qz2mXw9L", "«redacted:password#1»");
  expect([redact([text]).value, redactText(text)]).toStrictEqual([[hidden], hidden]);
});

test("checks values that are too deep for the fast check completely", () => {
  const { redact } = createRedactor();
  const nested = (leaf: unknown, depth: number): unknown => (depth === 0 ? leaf : { a: nested(leaf, depth - 1) });
  expect(redact(nested({ password: "s3cret" }, 300)).secrets).toHaveLength(1);
  expect(redact(nested({ note: "nothing" }, 300)).secrets).toHaveLength(0);
});

test("calls custom functions with each unchanged text", () => {
  const asked: string[] = [];
  const { redact } = createRedactor({
    custom: [(text) => (asked.push(text), /^CASE-\d+$/.test(text) ? [text] : [])],
  });
  expect(redact({ a: "CASE-1", b: "words about a case" }).secrets).toStrictEqual([{ kind: "custom", path: "a" }]);
  expect(new Set(asked)).toStrictEqual(
    new Set(["a", "b", "CASE-1", "words about a case", expect.stringMatching(/^«redacted:custom#/)]),
  );
});

test("doesn't search long texts again", async () => {
  const line = "Shelf b12 and drawer c40 have the letters of may 1974, in boxes of 20 each.\n";
  const [first, second]: [number[], number[]] = [[], []];
  // In turns, and the fastest of each, because the engine compiles what runs often, and collects garbage at any time.
  for (let turn = 0; turn < 7; turn += 1) {
    const prompts = Array.from({ length: 24 }, (_, index) => `${turn}.${index}\n${line.repeat(1300)}`);
    const copies = prompts.map((text) => `${text.slice(0, 5)}${text.slice(5)}`);
    const { redact } = createRedactor();
    first.push(await cpuMs(() => redact(prompts)));
    second.push(await cpuMs(() => redact(copies)));
  }
  expect(Math.min(...second)).toBeLessThan(Math.min(...first) * 0.8);
});
