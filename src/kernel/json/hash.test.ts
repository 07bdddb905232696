import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import {
  canonicalPieces,
  hashInPieces,
  hashPieces,
  hashText,
  hashValue,
  hashValueSync,
  hashWithContent,
  hashWithContentSync,
} from "./hash.ts";
import * as fc from "fast-check";
import { jsonLike, propertyName } from "../../../test-support/arbitraries.ts";
import { stableStringify } from "./canonical-json.ts";
import { runCount } from "../../../test-support/run-count.ts";

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

/** What a writer comes to: a text, or the error it throws. */
function answerOf(work: () => unknown): unknown {
  try {
    return work();
  } catch (thrown) {
    return thrown;
  }
}

function writtenInPieces(value: unknown): unknown {
  const pieces = canonicalPieces(value);
  return { text: pieces.join(""), hash: hashPieces(pieces) };
}

const refused = fc.constantFrom<unknown>(1n, () => 1, Symbol("s"), new Map(), { a: [new Set()] });
/** Tells what name it was asked for by. */
const speaking = fc.constant({ toJSON: (name: string) => ({ name }) });
const item = fc.oneof(
  { weight: 12, arbitrary: jsonLike() },
  { weight: 1, arbitrary: speaking },
  { weight: 1, arbitrary: refused },
);

const leaf = fc.constantFrom<unknown>(
  undefined,
  null,
  Number.NaN,
  -0,
  "é\ud800",
  "",
  [],
  {},
  [[1]],
  { b: 1, a: undefined, 10: 2, 9: [{}] },
  JSON.parse('{"__proto__":[1]}'),
);

/** A list around the length from which lists are taken apart, of few elements that recur. */
const longList = fc
  .tuple(
    fc.array(fc.oneof({ weight: 5, arbitrary: leaf }, item), { minLength: 1, maxLength: 3 }),
    fc.constantFrom(63, 64, 65, 128, 129),
  )
  .map(([items, length]): unknown => Array.from({ length }, (_, index) => items[(index * 7) % items.length]));
const holed = item.map((one): unknown => Object.assign(Array.from({ length: 0 }), { 70: one, length: 100 }));
const field = fc.oneof(longList, holed, item);
const fields = fc.dictionary(fc.oneof(propertyName(), fc.constantFrom("items", "b")), field, {
  maxKeys: 3,
  noNullPrototype: false,
});
const value = fc.oneof(
  field,
  fields,
  fc.tuple(fields, field).map(([inner, other]) => ({ z: { inner, d: { e: other } }, items: [inner] })),
  field.map((inner) => ({ a: { b: { c: { d: { e: inner } } } } })),
);

test("the joined pieces are the canonical JSON, and their hash or error is the same", () => {
  fc.assert(
    fc.property(value, (whole) => {
      const text = answerOf(() => stableStringify(whole));
      const hash = typeof text === "string" ? hashText(text) : text;
      expect(answerOf(() => writtenInPieces(whole))).toStrictEqual(typeof text === "string" ? { text, hash } : text);
      expect(answerOf(() => hashInPieces(whole))).toStrictEqual(hash);
    }),
    { numRuns: runCount(10_000) },
  );
});

test("a small value is one piece, a large one many of similar length", () => {
  expect(canonicalPieces({ b: 1, a: [2] })).toStrictEqual(['{"a":[2],"b":1}']);
  const pieces = canonicalPieces({
    data: { items: Array.from({ length: 20_000 }, (_, id) => ({ note: "é \ud800", id })) },
  });
  expect(pieces.length).toBeGreaterThan(8);
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(80_000);
});

test("a cycle in a long list is refused with its path", () => {
  const items: unknown[] = Array.from({ length: 100 }, (_, id) => ({ id }));
  items[80] = { items };
  const message = 'JSON cannot represent a cycle at "[80].items". Convert it to plain data first';
  expect(() => canonicalPieces(items)).toThrow(new TypeError(message));
  expect(() => hashInPieces(items)).toThrow(new TypeError(message));
});
