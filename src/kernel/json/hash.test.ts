import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { hashText, hashValue, hashValueSync, hashWithContent, hashWithContentSync } from "./hash.ts";

const AB = "sha256:43258cff783fe7036d8a43033f830adfc60ec037382473548ac742b888292777";
const NULL = "sha256:74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b";
const refusal = new TypeError('JSON cannot represent a bigint at "a". Convert it to plain data first');

test("hashes the canonical JSON of a value", async () => {
  expect(hashValueSync({ b: 2, a: 1 })).toBe(AB);
  expect(await hashValue({ a: 1, b: 2 })).toBe(AB);
});

test("hashes undefined as null", async () => {
  expect([hashValueSync(null), hashValueSync(undefined), await hashValue(undefined)]).toEqual([NULL, NULL, NULL]);
});

test("returns the hashed text with the hash", async () => {
  const expected = { hash: AB, content: '{"a":1,"b":2}' };
  expect(hashWithContentSync({ b: 2, a: 1 })).toEqual(expected);
  expect(await hashWithContent({ b: 2, a: 1 })).toEqual(expected);
});

test("hashes the UTF-8 bytes of a text", () => {
  const text = "€ 😀 ä";
  expect(hashText(text)).toBe(`sha256:${createHash("sha256").update(Buffer.from(text, "utf8")).digest("hex")}`);
  expect(hashText("")).toBe("sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
});

test("throws at once if synchronous, and rejects otherwise", async () => {
  expect(() => hashValueSync({ a: 1n })).toThrow(refusal);
  expect(() => hashWithContentSync({ a: 1n })).toThrow(refusal);
  await expect(hashValue({ a: 1n })).rejects.toThrow(refusal);
  await expect(hashWithContent({ a: 1n })).rejects.toThrow(refusal);
});
