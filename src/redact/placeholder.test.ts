import { expect, test } from "vitest";
import { createRedactor } from "./create-redactor.ts";
import { containsHashOnly, isHashOnly, hashOnlyHash } from "./placeholder.ts";

const SECRET = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789";
const HASH = /^«sha256:[0-9a-f]{64}»$/;

const { redact, redactChunks } = createRedactor({
  hashOnly: ["document", "input.letter", "llm.stream.response"],
});

test("replaces a value at a configured path by its hash, and is idempotent", () => {
  const { value } = redact({ letter: { to: "Ada", lines: ["Dear all"] }, note: "kept" }, ["input"]);
  expect(value).toStrictEqual({ letter: expect.stringMatching(HASH), note: "kept" });
  expect(redact(value, ["input"])).toStrictEqual({ value, secrets: [] });
  expect(redact({ letter: { lines: ["Dear all"], to: "Ada" } }, ["input"]).value).toStrictEqual({
    letter: Reflect.get(Object(value), "letter"),
  });
  expect(redact("whole", ["document"]).value).toMatch(HASH);
  expect(redact({ letter: null, other: undefined }, ["input"]).value).toStrictEqual({ letter: null, other: undefined });
});

test("hashes the content without its secrets, independently of their numbers", () => {
  const elsewhere = createRedactor({ hashOnly: ["document"] });
  elsewhere.redactText("password=correct-horse-battery");
  const [here, there] = [redact({ key: SECRET }, ["document"]), elsewhere.redact({ key: SECRET }, ["document"])];
  expect(here.value).toBe(there.value);
  expect(here.value).toBe(redact({ key: `${SECRET}2` }, ["document"]).value);
  expect(here.value).not.toBe(redact({ key: "another text" }, ["document"]).value);
});

test("hashes a part below a configured path, even if it is redacted alone", () => {
  expect(redact("final", ["llm", "stream", "response", "finalMessage", "response"]).value).toMatch(HASH);
});

test.each(["hashOnly", "paths"] as const)("hides every chunk of a stream that %s names", (option) => {
  const redactor = createRedactor({ [option]: ["llm.stream.response"] });
  const { value } = redactor.redactChunks([{ delta: "Dear" }, { delta: " all" }], ["llm", "stream", "response"]);
  expect(value).toHaveLength(2);
  expect(JSON.stringify(value)).not.toMatch(/Dear|all"/);
  expect(value[0]).toBe(value[1]);
});

test("keeps a stream excluded by keep, even a secret split between its chunks", () => {
  const chunks = [{ delta: SECRET.slice(0, 20) }, { delta: SECRET.slice(20) }];
  expect(
    createRedactor({ keep: ["llm.stream.response"] }).redactChunks(chunks, ["llm", "stream", "response"]).value,
  ).toStrictEqual(chunks);
  expect(JSON.stringify(redactChunks(chunks, ["llm", "other", "response"]).value)).not.toContain(SECRET.slice(0, 20));
});

test("data shows whether a part of it is kept as a hash", () => {
  const { value } = redact("a", ["document"]);
  expect([hashOnlyHash(value), isHashOnly(value)]).toStrictEqual([String(value).slice(1, -1), true]);
  expect([
    containsHashOnly({ a: [{ b: value }] }),
    containsHashOnly({ a: [`see ${String(value)}`, "«sha256:1»", 1, null] }),
  ]).toStrictEqual([true, false]);
});
