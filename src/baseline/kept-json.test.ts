import { expect, test } from "vitest";
import { hashValueSync, hashWithContentSync } from "../base/hash.ts";
import { PLANTED_SECRETS } from "../testing/planted-secrets.ts";
import { keptJson } from "./kept-json.ts";

const key = PLANTED_SECRETS[0]?.text ?? "";

test("what holds no secret is kept as it was written and hashed", () => {
  const value = { b: 1, a: "plain" };
  const known = { ...hashWithContentSync(value), hash: "the hash that was made" };
  expect(keptJson(value, known)).toStrictEqual({ hash: "the hash that was made", data: value });
  expect(keptJson(value)).toStrictEqual({ hash: hashValueSync(value), data: value });
});

test("of what holds a secret nothing that is known is kept", () => {
  const value = { note: `with ${key}` };
  const { hash, data } = keptJson(value, hashWithContentSync(value));
  expect(data).toStrictEqual({ note: expect.stringMatching(/^with «redacted:openai-key:[0-9a-f]{8}»$/) });
  expect(hash).toBe(hashValueSync(data));
});

test("bytes are searched as bytes, though JSON writes them as numbers", () => {
  const value = { body: Buffer.from(`key=${key}`) };
  const { data } = keptJson(value, hashWithContentSync(value));
  const bytes: { readonly body: { readonly data: number[] } } = JSON.parse(JSON.stringify(data));
  expect(Buffer.from(bytes.body.data).toString()).toMatch(/^key=«redacted:openai-key:[0-9a-f]{8}»$/);
});

test("what was written is searched itself: its test may have changed the value since, and taken a secret out of it", () => {
  const known = hashWithContentSync({ note: key });
  expect(keptJson({ note: "taken out" }, known)).toStrictEqual({
    hash: hashValueSync({ note: "taken out" }),
    data: { note: "taken out" },
  });
});
