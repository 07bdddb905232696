import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type Json, jsonLike, jsonValue, propertyName, similarJson } from "../../test-support/arbitraries.ts";
import { stableStringify, walkJson } from "./json/canonical-json.ts";
import { hashValueSync } from "./json/hash.ts";
import { runCount } from "../../test-support/run-count.ts";

/**
 * Canonical JSON written as plainly as it can be: the judge of the quick pass, its key cache and its string shortcuts.
 */
function plain(value: unknown, key = ""): string | undefined {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const toJson: unknown = Reflect.get(value, "toJSON");
  if (typeof toJson !== "function") return plainContainer(value);
  const answer: unknown = Reflect.apply(toJson, value, [key]);
  return typeof answer === "object" && answer !== null ? plainContainer(answer) : JSON.stringify(answer);
}

function plainContainer(value: object): string {
  if (Array.isArray(value))
    return `[${Array.from(value, (item, index) => plain(item, String(index)) ?? "null").join(",")}]`;
  const fields = Object.keys(value)
    .toSorted((a, b) => (a < b ? -1 : 1))
    .flatMap((name) => {
      const text = plain(Reflect.get(value, name), name);
      return text === undefined ? [] : [`${JSON.stringify(name)}:${text}`];
    });
  return `{${fields.join(",")}}`;
}

/** More names than a cached shape may have, and shapes enough to push others out of the cache. */
const manyNames = fc
  .uniqueArray(propertyName(), { maxLength: 60 })
  .map((names) => Object.fromEntries(names.map((name, index) => [name, index])));
/** Around the length from which texts are left to the native writer. */
const longText = fc
  .tuple(
    fc.string({ unit: "binary", minLength: 55, maxLength: 75 }),
    fc.constantFrom("", '"', "\\", "\ud800", "\n"),
    fc.nat({ max: 75 }),
  )
  .map(([text, piece, place]) => text.slice(0, place) + piece + text.slice(place));

/** Data whose names are in order, as in what was read from a file: the native writer writes it. */
const inOrder = jsonValue().map((value): unknown => JSON.parse(plain(value) ?? "null"));

function nested(depth: number, core: Json): Json {
  let value = core;
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { "": value };
  return value;
}

test("writes the same text as the plain writer, and hashes it", () => {
  fc.assert(
    fc.property(fc.oneof(jsonLike(), jsonValue(), inOrder, manyNames, longText), (value) => {
      const expected = plain(value) ?? "null";
      expect(stableStringify(value)).toBe(expected);
      expect(walkJson(value)).toBe(expected);
      expect(hashValueSync(value)).toBe(`sha256:${createHash("sha256").update(expected).digest("hex")}`);
    }),
    { numRuns: runCount(10_000) },
  );
});

test("writes a text of 20 MB, and one value ten thousand times", { tags: "deep" }, () => {
  const huge = { b: "x\u2028".repeat(5_000_000), a: '"'.repeat(1_000_000) };
  expect(stableStringify(huge)).toBe(plain(huge));
  const shared = { z: [1, { b: 2, a: 3 }], 10: "ten", 9: "nine" };
  const many = Array.from({ length: 10_000 }, () => shared);
  expect(stableStringify(many)).toBe(plain(many));
});

test("writes the same text at the depth where the fast pass ends", () => {
  fc.assert(
    fc.property(similarJson(), fc.integer({ min: 490, max: 510 }), (core, depth) => {
      expect(stableStringify(nested(depth, core))).toBe(plain(nested(depth, core)));
    }),
    { numRuns: runCount(1000) },
  );
});

test("writes every code unit as JSON does, in short and in long texts and in names", { tags: "deep" }, () => {
  for (let code = 0; code <= 0xffff; code += 1) {
    const unit = String.fromCharCode(code);
    for (const text of [unit, `a${unit}`, unit.padStart(64, "x"), unit.padStart(65, "x")]) {
      if (stableStringify([text]) !== JSON.stringify([text]))
        expect(stableStringify([text])).toBe(JSON.stringify([text]));
    }
    if (code % 16 === 0 || code < 256) expect(stableStringify({ [unit]: unit })).toBe(JSON.stringify({ [unit]: unit }));
  }
});
