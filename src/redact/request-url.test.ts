import { describe, expect, test } from "vitest";
import { timesAsLong } from "../../test-support/cpu-ms.ts";
import { createRedactor } from "./create-redactor.ts";
import { findSecrets } from "./find-secrets.ts";

const RANDOM = "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5zA7bC9dE1fG3hI5jK7lM9nO1pQ3rS5t";

/** A host, and the path of a webhook or bot there, with the start of its secret part. */
const HOOKS = [
  ["https://hooks.slack.com", "/services/", "T024BE7LD/B01AB2CD3EF/aBcDeFgHiJkLmNoPqRsTuVwX"],
  ["https://hooks.slack.com", "/triggers/", "T024BE7LD/1234567890/aBcDeFgHiJkLmNoPqRsTuVwX"],
  ["https://discord.com", "/api/webhooks/", `112233445566778899/${RANDOM}`],
  ["https://acme.webhook.office.com", "/webhookb2/", `4b7c1f8e-1111-4222-8333-444455556666/${RANDOM}`],
  ["https://api.telegram.org", "/bot", "123456789:AAE3kf9sLq0Zx_7wYtR5uVbNm2QpLkJhGfD/sendMessage"],
] as const;

describe.each(HOOKS)("the secret path of a webhook at %s%s", (origin, start, secret) => {
  test.each([
    ["origin", "path"],
    ["hostname", "path"],
    ["host", "pathname"],
    ["baseURL", "url"],
  ])("is redacted in the fields %s and %s of a request", (base, name) => {
    const { redact } = createRedactor();
    const redacted = redact([{ method: "POST", [base]: origin, [name]: start + secret, body: { text: "hi" } }]).value;
    expect(redacted).toStrictEqual([
      { method: "POST", [base]: origin, [name]: `${start}«redacted:webhook-url#1»`, body: { text: "hi" } },
    ]);
    expect(redact(redacted)).toStrictEqual({ value: redacted, secrets: [] });
  });

  test.each([
    [`${origin}/`, start],
    [origin, start.slice(1)],
  ])("is redacted if a client joins %s and %s", (base, path) => {
    const request = { baseURL: base, url: path + secret };
    expect(createRedactor().redact(request).value).toStrictEqual({
      baseURL: base,
      url: `${path}«redacted:webhook-url#1»`,
    });
  });

  test.each([undefined, 2])("is found in the JSON of a recorded request with an indent of %s", (indent) => {
    const text = JSON.stringify([{ method: "POST", origin, path: start + secret }], undefined, indent);
    expect(findSecrets(text).map(({ index, length }) => text.slice(index, index + length))).toStrictEqual([secret]);
    expect(createRedactor().redactText(text)).toBe(text.replace(secret, "«redacted:webhook-url#1»"));
  });
});

const PARAMETERS = [
  ["sig", "Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmE=", "signature"],
  ["sig", "short1", "signature"],
  ["Signature", "kJh7fGd5sA3pO1iU9yT7rE5wQ", "signature"],
  ["code", "9Kx8aQ2mN7vB1cX9zL0kJ3hG5fD6sA8p", "key"],
  ["key", "9Kx8aQ2mN7vB1cX9zL0kJ3hG5fD6sA8p", "key"],
] as const;

describe.each(PARAMETERS)("the parameter %s with the value %s", (name, secret, kind) => {
  test.each(["query", "form", "params"])("is redacted in the %s of a request, alone and in a list", (part) => {
    const { redact } = createRedactor();
    const request = { method: "GET", origin: "https://a.test", path: "/b" };
    expect(redact({ ...request, [part]: { se: "2026", [name]: secret } }).value).toStrictEqual({
      ...request,
      [part]: { se: "2026", [name]: `«redacted:${kind}#1»` },
    });
    expect(redact({ ...request, [part]: { [name]: [secret, secret] } }).value).toStrictEqual({
      ...request,
      [part]: { [name]: [`«redacted:${kind}#1»`, `«redacted:${kind}#1»`] },
    });
  });

  test.each([undefined, 2])("is found in the JSON of a recorded query or form with an indent of %s", (indent) => {
    for (const part of ["query", "form"]) {
      const file = { name: "a.txt", type: "text/plain", bytes: "{" };
      const text = JSON.stringify({ [part]: { file, note: 'a "{', [name]: secret }, code: "E1" }, undefined, indent);
      expect(findSecrets(text).map(({ index, length }) => text.slice(index, index + length))).toStrictEqual([secret]);
    }
  });
});

test("keeps words in parameters, and these names outside of parameters", () => {
  const { redact } = createRedactor();
  const secret = "9Kx8aQ2mN7vB1cX9zL0kJ3hG5fD6sA8p";
  for (const value of [
    { method: "GET", origin: "https://a.test", path: "/b", query: { code: "DE", key: "title" } },
    { method: "GET", origin: "https://a.test", path: "/b", body: { code: secret } },
    { query: { code: secret } },
    { origin: "https://hooks.slack.com", path: "/help/articles/115005265063-incoming-webhooks-for-slack" },
  ])
    expect(redact(value)).toStrictEqual({ value, secrets: [] });
});

test("a configured name to keep applies to parameters too", () => {
  const request = { origin: "https://a.test", path: "/b", query: { sig: "Zm9vYmFyYmF6cXV4Zm9v" } };
  expect(createRedactor({ keep: ["sig"] }).redact(request).value).toStrictEqual(request);
});

test("finds the secrets before a signed URL in a text too", () => {
  const text = '{"apiKey":"hunter2hunter2Xz9","пароль":"hunter3","url":"https://a.test/?sig=Zm9vYmFyYmF6cXV4Zm9v"}';
  expect(findSecrets(text).map(({ kind }) => kind)).toStrictEqual(["key", "password", "signature"]);
});

test.each([
  ["open queries", (size: number) => '"query":{'.repeat(size / 9)],
  ["names in a query", (size: number) => `"query":{${'"sig":"a",'.repeat(size / 10)}`],
  ["quotes in a query", (size: number) => `"query":{${'"\\"'.repeat(size / 3)}`],
])("takes time in proportion to the length: %s", async (_name, make) => {
  const [small, large] = [make(20_000), make(320_000)];
  // Sixteen times the text; a quadratic search would take 256 times as long.
  expect(
    await timesAsLong(
      () => findSecrets(small),
      () => findSecrets(large),
    ),
  ).toBeLessThan(80);
});
