import { describe, expect, test } from "vitest";
import { createRedactor } from "./create-redactor.ts";
import { findSecrets } from "./find-secrets.ts";
import { PLANTED_SECRETS, type PlantedSecret, SECRET_NAMES } from "../../test-support/planted-secrets.ts";

const { redact, redactChunks, redactText } = createRedactor();

/** Every form of a secret that must not be in what is written. */
function traces(secret: string): readonly string[] {
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    Buffer.from(secret).toString("base64").slice(0, -4),
  ];
}

function expectNoTrace(written: unknown, secret: string): void {
  const text = typeof written === "string" ? written : JSON.stringify(written);
  for (const trace of traces(secret)) expect(text).not.toContain(trace);
}

const POSITIONS: readonly (readonly [name: string, plant: (text: string) => unknown])[] = [
  ["a value", (text) => ({ a: [text] })],
  ["the middle of a text", (text) => `See ${text} there.`],
  ["a key", (text) => ({ [text]: 1 })],
  ["JSON in a text", (text) => JSON.stringify({ a: [`x\n${text}`] })],
  ["JSON in JSON in a text", (text) => ({ body: JSON.stringify({ body: JSON.stringify([{ deep: text }], null, 2) }) })],
  ["a URL's query", (text) => `https://example.com/search?q=${encodeURIComponent(text)}&page=2`],
  ["a header", (text) => ({ headers: { "x-note": text } })],
  [
    "an error's message",
    (text) => ({ $t: "error", v: { class: "Error", name: "Error", message: `401: ${text} is not valid` } }),
  ],
  ["a Map", (text) => ({ $t: "map", v: [["k", { $t: "set", v: [text] }]] })],
  ["a server-sent event", (text) => `event: delta\ndata: ${JSON.stringify({ delta: text })}\n\ndata: [DONE]\n\n`],
];

const named = PLANTED_SECRETS.map((planted, index): [string, PlantedSecret] => [`${planted.kind} (${index})`, planted]);

test("has at least 40 kinds of secrets", () => {
  expect(new Set(PLANTED_SECRETS.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(40);
});

describe.each(POSITIONS)("in %s", (_name, plant) => {
  test.each(named)("%s", (_kind, { kind, text, secret }) => {
    const { value, secrets } = redact(plant(text));
    expectNoTrace(value, secret);
    expect(secrets.map((one) => one.kind)).toContain(kind);
    expect(JSON.stringify(value)).toContain(`«redacted:${kind}#`);
    expect(redact(value)).toStrictEqual({ value, secrets: [] });
    expect(findSecrets(JSON.stringify(value))).toStrictEqual([]);
  });
});

test("finds a secret split between events of one text, or between chunks of bytes", () => {
  const key = PLANTED_SECRETS[0]?.text ?? "";
  const events = [key.slice(0, 9), key.slice(9, 25), key.slice(25)].map(
    (delta, index) => `data: ${JSON.stringify({ n: index, delta })}\n\n`,
  );
  const placeholder = redactText(key);
  const redacted = `data: {"n":0,"delta":"${placeholder}"}\n\ndata: {"n":1,"delta":""}\n\ndata: {"n":2,"delta":""}\n\n`;
  expect(redactText(events.join(""))).toBe(redacted);
  const bytes = Buffer.from(events.join(""));
  const chunks = [bytes.subarray(0, 31), bytes.subarray(31, 50), bytes.subarray(50)].map((part) => ({
    $t: "bytes",
    v: { kind: "Uint8Array", base64: part.toString("base64") },
  }));
  const texts = redactChunks(chunks).value.map((chunk) =>
    Buffer.from(String(Reflect.get(Object(chunk), "v").base64), "base64").toString(),
  );
  expect([texts.length, texts.join("")]).toStrictEqual([3, redacted]);
});

test.each(SECRET_NAMES)("treats any text in the field %s as a secret", (name) => {
  const secret = "hunter two!";
  const placed = {
    [name]: secret,
    list: [{ name, value: secret }],
    json: JSON.stringify({ [name]: secret }),
    map: { $t: "map", v: [[name, secret]] },
  };
  const { value } = redact(placed);
  expectNoTrace(value, secret);
  expect(redact(value).value).toBe(value);
});

test.each(["authorization", "X-Api-Key", "x-auth-token"])("redacts headers in lists: %s", (name) => {
  expectNoTrace(
    redact({
      headers: [
        ["accept", "*/*"],
        [name, "plain words"],
      ],
    }).value,
    "plain words",
  );
  expectNoTrace(redact({ rawHeaders: ["accept", "*/*", name, "plain words"] }).value, "plain words");
});
