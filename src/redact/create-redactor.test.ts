import * as fc from "fast-check";
import { z } from "zod";
import { describe, expect, test } from "vitest";
import { jsonValue } from "../../test-support/arbitraries.ts";
import { createRedactor } from "./create-redactor.ts";
import { findSecrets } from "./find-secrets.ts";
import { secretVariables } from "./known-values.ts";
import { PLANTED_SECRETS, SECRET_NAMES } from "../../test-support/planted-secrets.ts";
import { runCount } from "../../test-support/run-count.ts";

const { redact, redactText } = createRedactor();
const key = PLANTED_SECRETS[0]?.text ?? "";

test("a placeholder has the kind, and the same number for the same secret everywhere", () => {
  const placeholder = redactText(key);
  expect(placeholder).toMatch(/^«redacted:openai-key#\d+»$/);
  expect(redact({ authorization: `Bearer ${key}`, apiKey: key, note: `with ${key}.` })).toStrictEqual({
    value: { authorization: `Bearer ${placeholder}`, apiKey: placeholder, note: `with ${placeholder}.` },
    secrets: [
      { kind: "openai-key", path: "authorization" },
      { kind: "openai-key", path: "apiKey" },
      { kind: "openai-key", path: "note" },
    ],
  });
  expect(redactText(PLANTED_SECRETS[1]?.text ?? "")).not.toBe(placeholder);
  expect(createRedactor().redactText(`${PLANTED_SECRETS[2]?.text} ${key} ${PLANTED_SECRETS[2]?.text}`)).toMatch(
    /^«redacted:[a-z-]+#1» «redacted:openai-key#2» «redacted:[a-z-]+#1»$/,
  );
});

test("returns a value without secrets itself", () => {
  const value = {
    a: [1, "two", { $t: "date", v: "1970-01-01T00:00:00.000Z" }],
    b: new Map([["k", new Set([1])]]),
    c: new Uint8Array([1]),
  };
  expect(redact(value)).toStrictEqual({ value, secrets: [] });
  expect(redact(value).value).toBe(value);
});

test.each([
  [{ max_tokens: 100, tokenCount: 5, tokens: ["the", "cat"], usage: { prompt_tokens: 11, total_tokens: 18 } }],
  [
    {
      logprobs: {
        content: [
          { token: "Hello", logprob: -0.1 },
          { token: " international", logprob: -1 },
        ],
      },
    },
  ],
  [{ nextPageToken: "CAUQAA", page_token: "a1b2c3d4e5", stopToken: "<|end1|>", eos_token: "</s1234567>" }],
  [
    {
      token: "abc",
      secret: true,
      password: 123,
      key: "A-17",
      primaryKey: "id12345678",
      sortKey: "name1",
      monkey: "x1y2z3",
    },
  ],
  ["sha256:43258cff783fe7036d8a43033f830adfc60ec037382473548ac742b888292777"],
  ["7c9e6679-7425-40de-944b-e07fc1f90afe and 4111-2222-3333-4444 and order 20240117-000123 and 1700000000000"],
  [
    {
      orderNumber: "4000123412341235",
      isbn: "9783161484100",
      iban: "DE89370400440532013000",
      at: 1795269729000,
      id: 4111111111111112,
    },
  ],
  ["The token was spent. Keep it secret: never tell. Password: please choose one. The bearer responsibilities remain."],
  ["Read https://example.com:8080/docs/sk-some-kebab-case-of-words and mail me@example.com"],
  [
    {
      properties: {
        password: { type: "string" },
        credentials: { type: "object", properties: { user: { type: "string" } } },
      },
    },
  ],
  [
    {
      cookie: "chocolate chip",
      signature: "EqQBCkYIBxgCKkDp1a2b3c4d5e6f7",
      description: "An authorization is required",
    },
  ],
  ["const apiKey = process.env.OPENAI_API_KEY1; password = getPassword(user1)"],
  [
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  ],
])("keeps data that only resembles secrets: %j", (value) => {
  expect(redact(value)).toStrictEqual({ value, secrets: [] });
  expect(findSecrets(JSON.stringify(value))).toStrictEqual([]);
});

describe("options", () => {
  test("fields adds names, in any notation", () => {
    const { redact } = createRedactor({ fields: ["memberNumber"] });
    const { value } = redact({ member_number: "M-1", "Member-Number": "M-1", text: '{"memberNumber": "M-1"}' });
    expect(JSON.stringify(value)).not.toContain("M-1");
  });

  test("paths hides complete values of any type", () => {
    const { redact } = createRedactor({ paths: ["input.user.email", "**.ssn", "input.rows[0].*"] });
    const input = {
      user: { email: "a@example.com", name: "A" },
      deep: [{ ssn: 123 }],
      rows: [{ a: 1, b: null }, { a: 1 }],
    };
    const { value, secrets } = redact(input, ["input"]);
    expect(value).toMatchObject({ user: { name: "A" }, rows: [{ b: null }, { a: 1 }] });
    expect(secrets).toStrictEqual([
      { kind: "path", path: "input.user.email" },
      { kind: "path", path: "input.deep[0].ssn" },
      { kind: "path", path: "input.rows[0].a" },
    ]);
    expect(redact(value, ["input"])).toStrictEqual({ value, secrets: [] });
  });

  test("values finds known secrets in every form", () => {
    const secret = 'p/a+s s&w=ö"rd\\9';
    const values = secretVariables({
      DB_PASSWORD: secret,
      HOME: "/home/somebody",
      API_KEY: "short",
      EMPTY_TOKEN: undefined,
    });
    expect(values).toStrictEqual([{ name: "DB_PASSWORD", value: secret }]);
    const { redactText } = createRedactor({ values });
    const forms = [
      secret,
      JSON.stringify(secret),
      JSON.stringify(JSON.stringify(secret)),
      encodeURIComponent(secret),
      encodeURIComponent(secret).toLowerCase(),
      Buffer.from(secret).toString("base64"),
      Buffer.from(`u:${secret}`).toString("base64"),
      Buffer.from(`us:${secret}!`).toString("base64url"),
      Buffer.from(secret).toString("hex"),
    ];
    for (const form of forms) {
      expect(redactText(`<${form}>`)).toMatch(/^<[^<>]{0,8}«redacted:env-db-password#\d+»[^<>]{0,8}>$/);
      expect(findSecrets(`<${form}>`, { values })).toHaveLength(1);
    }
  });

  test("the working directory of the shell isn't a secret, despite its name", () => {
    expect(secretVariables({ PWD: "/home/somebody/project", DB_PWD: "correct horse" })).toStrictEqual([
      { name: "DB_PWD", value: "correct horse" },
    ]);
  });

  test("custom functions return the parts of a text that are secrets", () => {
    const { redact } = createRedactor({ custom: [(text) => text.match(/CASE-\d+/g) ?? []] });
    const { value } = redact({ a: "CASE-1 and CASE-22 and CASE-1" });
    expect(value).toMatchObject({
      a: expect.stringMatching(/^(«redacted:custom#\d+») and «redacted:custom#\d+» and \1$/),
    });
  });

  test("keep excludes names and paths", () => {
    const { redact } = createRedactor({ keep: ["session_token", "input.auth.**"] });
    const value = { sessionToken: "abc123def456", auth: { apiKey: key } };
    expect(redact(value, ["input"]).value).toStrictEqual(value);
  });
});

test("copies Map, Set, Error, URL and bytes without their secrets", () => {
  const error = Object.assign(new TypeError(`bad ${key}`, { cause: new Error(key) }), {
    config: { headers: { authorization: "x y" } },
  });
  const value = {
    map: new Map<unknown, unknown>([
      ["password", "p"],
      ["k", key],
    ]),
    set: new Set([key]),
    error,
    url: new URL(`https://u:pass1@h/?token=${key}`),
    bytes: Buffer.from(key),
  };
  const redacted = redact(value).value;
  const shown = new Map(Object.entries(Object(redacted)));
  expect(shown.get("error")).toBeInstanceOf(TypeError);
  expect(shown.get("url")).toBeInstanceOf(URL);
  expect(Buffer.isBuffer(shown.get("bytes"))).toBe(true);
  const { map, set, error: twin, url, bytes } = Object(redacted);
  const text = [
    ...map,
    ...set,
    twin.message,
    twin.stack,
    twin.cause.message,
    JSON.stringify(twin),
    url.href,
    String(bytes),
  ].join(" ");
  expect(text).not.toContain(key);
  expect(text).not.toContain("pass1");
  expect([map.get("password"), twin.config.headers.authorization].join()).not.toMatch(/(^|,)(p|x y)/);
  expect(error.message).toBe(`bad ${key}`);
});

test("recognizes a placeholder that was encoded in a URL or in JSON", () => {
  const placeholder = redactText(key);
  expect(redactText(new URL(`https://example.com/?q=${placeholder}`).href)).toBe(
    `https://example.com/?q=${placeholder}`,
  );
  expect(redactText(`"${placeholder.replace("«", "\\u00ab").replace("»", "\\u00bb")}"`)).toBe(`"${placeholder}"`);
});

test("keeps the form of JSON in a text: numbers, whitespace, escapes", () => {
  const text = `{\n  "id": 12345678901234567890,\n  "apiKey": "a\\"b",\n  "card": 4111111111111111\n}`;
  const redacted = redactText(text);
  expect(redacted).toMatch(
    /^\{\n {2}"id": 12345678901234567890,\n {2}"apiKey": "«redacted:key#\d+»",\n {2}"card": "«redacted:card-number#\d+»"\n\}$/,
  );
  expect(redactText('{"tokens":{"a":1},"cookies":{"sid":"x"},"list":["a"]}')).toMatch(
    /^\{"tokens":\{"a":1\},"cookies":\{"sid":"«redacted:cookies#\d+»"\},"list":\["a"\]\}$/,
  );
});

test("refuses a value that contains itself", () => {
  const loop: unknown[] = [];
  loop.push(loop);
  expect(() => redact(loop)).toThrow(
    new TypeError(
      "can't redact a value nested deeper than 1000 levels, or in itself. Flatten it, or turn it into a string",
    ),
  );
});

/** Texts of secrets, names, and the signs around them, in any order. */
function adversarialText(): fc.Arbitrary<string> {
  const planted = fc.constantFrom(...PLANTED_SECRETS.map(({ text }) => text));
  const part = fc.constantFrom(
    ...SECRET_NAMES,
    "«redacted:key#12»",
    "«redacted:",
    ":",
    "=",
    '"',
    '\\"',
    "\\",
    "\\n",
    "\n",
    "data: ",
    "{",
    "}",
    "[",
    "]",
    ",",
    "&",
    "?",
    "%3D",
    "%",
    "%22",
    " ",
    "Bearer ",
    "://",
    "@",
    "a1b2c3d4e5",
    "x",
  );
  return fc
    .array(fc.oneof({ weight: 1, arbitrary: planted }, { weight: 4, arbitrary: part }), { maxLength: 12 })
    .map((parts) => parts.join(""));
}

function adversarialValue(): fc.Arbitrary<unknown> {
  return fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      adversarialText(),
      jsonValue(),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(
        fc.oneof(
          fc.constantFrom(...SECRET_NAMES, "token", "cookies", "a", "$t", "v", "name", "value"),
          adversarialText(),
        ),
        tie("value"),
        { maxKeys: 4, noNullPrototype: false },
      ),
      tie("value").map((value) => JSON.stringify(value)),
    ),
  })).value;
}

test("redacting is idempotent, and leaves no secret to find", { tags: "deep" }, () => {
  fc.assert(
    fc.property(adversarialValue(), (value) => {
      const once = redact(value);
      const twice = redact(once.value);
      expect(twice.value).toStrictEqual(once.value);
      expect(twice.secrets).toStrictEqual([]);
    }),
    { numRuns: runCount(2000) },
  );
});

test("redacting a text is idempotent, in parts or complete", () => {
  fc.assert(
    fc.property(adversarialText(), fc.integer({ min: 0, max: 400 }), (text, at) => {
      const once = redactText(text);
      expect(redactText(once)).toBe(once);
      expect(findSecrets(once)).toStrictEqual([]);
      const { value } = createRedactor().redactChunks([text.slice(0, at), text.slice(at)]);
      expect(value).toHaveLength(2);
      expect(redactText(value.join(""))).toBe(value.join(""));
    }),
    { numRuns: runCount(2000) },
  );
});

test("reads a placeholder in a URL's user or password as one", () => {
  for (const text of ["://authorization%3Dauthorization:@", "postgres://ada:s3cret-word@db", "postgres://ada:p@db"]) {
    const once = redactText(text);
    expect(redactText(once)).toBe(once);
  }
  const known = createRedactor({ values: [{ name: "USER_KEY", value: "ada-lovelace" }] });
  const once = known.redactText("postgres://ada-lovelace:s3cret@db");
  expect(once).toMatch(/^postgres:\/\/«redacted:env-user-key#\d+»:«redacted:url-password#\d+»@db$/);
  expect(redactText(once.replace(/«redacted:url-password#\d+»/, "s3cret"))).toMatch(
    /»:«redacted:url-password#\d+»@db$/,
  );
});

/** Keys whose beginnings look like whole ones: a piece that is found alone must not keep the others from being found. */
const LONG_KEYS: readonly (readonly [string, string])[] = [
  ["Anthropic", `sk-ant-api03-${"aB3dE5fG7h".repeat(9)}xyQAA`],
  ["OpenAI", `sk-proj-${"Zx9Cv8Bn7M".repeat(12)}`],
  ["GitHub", `github_pat_${"11ABCDEFG0".repeat(2)}2_${"aB3dE5fG7h".repeat(5)}xyz123456`],
  ["Slack", `xoxb-${"1234567890".repeat(2)}-4321098765-aB3dE5fG7hJk9LmN1pQr3StU`],
  ["Stripe", `sk_live_${"4eC39HqLyjWDarjtT1zdp7dc".repeat(4)}`],
];

describe.each(LONG_KEYS)("a key of %s that a model sends in pieces", (_whose, key) => {
  test.each([2, 3, 4, 5, 7, 12, 1000])("leaves no part of it in %i events", (count) => {
    const size = Math.ceil(key.length / count);
    const pieces = [...key.matchAll(new RegExp(`.{1,${size}}`, "g"))].map(([piece]) => piece);
    const { redactText, redactChunks } = createRedactor();
    const events = pieces.map((text) => ({ type: "delta", index: 0, delta: { text } }));
    const lines = events.map((event) => `data: ${JSON.stringify(event)}\n\n`);
    const bytes = lines.map((line) => ({
      $t: "bytes",
      v: { kind: "Uint8Array", base64: Buffer.from(line).toString("base64") },
    }));
    const said = (line: string): string => JSON.parse(line.slice("data: ".length)).delta.text;
    const texts = (chunks: readonly unknown[]): string =>
      chunks
        .map((chunk) => (typeof chunk === "string" ? chunk : Buffer.from(bytesOf(chunk), "base64").toString()))
        .map(said)
        .join("");
    const hidden = /^«redacted:[a-z0-9-]+#\d+»$/;
    expect(redactText(lines.join("")).trim().split("\n\n").map(said).join("")).toMatch(hidden);
    expect(texts(redactChunks(lines).value)).toMatch(hidden);
    expect(texts(redactChunks(bytes).value)).toMatch(hidden);
    const objects = z.array(z.object({ delta: z.object({ text: z.string() }) })).parse(redactChunks(events).value);
    expect(objects.map(({ delta }) => delta.text).join("")).toMatch(hidden);
  });
});

function bytesOf(chunk: unknown): string {
  return z.object({ v: z.object({ base64: z.string() }) }).parse(chunk).v.base64;
}
