import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Envelope, jsonItems, unpacked } from "./json-items.ts";

async function itemsOf(
  bytes: Uint8Array,
  envelope: Envelope,
  sizes: readonly number[] = [bytes.length],
): Promise<unknown[]> {
  const chunks = function* (): Generator<Uint8Array> {
    for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
      const size = Math.max(1, sizes[turn % sizes.length] ?? 1);
      yield bytes.subarray(at, at + size);
      at += size;
    }
  };
  const found: unknown[] = [];
  for await (const { value } of jsonItems(chunks(), envelope)) found.push(value);
  return found;
}

const bytesOf = (text: string): Uint8Array => Buffer.from(text);
const record = fc.dictionary(
  fc.string().filter((name) => name !== "__proto__" && name !== "runs"),
  fc.jsonValue({ maxDepth: 4 }),
  { maxKeys: 4 },
);

describe("records in a stream of JSON", () => {
  test.each<[written: string, write: (records: readonly unknown[]) => string]>([
    ["in lines", (all) => all.map((one) => `${JSON.stringify(one)}\n`).join("")],
    ["one after the other, over many lines", (all) => all.map((one) => JSON.stringify(one, undefined, 2)).join("")],
    ["as a list", (all) => ` ${JSON.stringify(all)}\n`],
    [
      "in an envelope, other fields around them",
      (all) => JSON.stringify({ cursors: { next: [1, { runs: [2] }] }, runs: all, total: "a]}" }),
    ],
    ["in envelopes in lines", (all) => all.map((one) => `${JSON.stringify({ runs: [one] })}\n`).join("")],
  ])("are the same %s, with any split of the bytes", async (_written, write) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(record, { maxLength: 5 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 6 }),
        async (all, sizes) => {
          expect(await itemsOf(bytesOf(write(all)), { runs: true }, sizes)).toEqual(JSON.parse(JSON.stringify(all)));
        },
      ),
    );
  });

  test("are found in nested envelopes", async () => {
    const text = JSON.stringify({
      resourceSpans: [
        { resource: {}, scopeSpans: [{ scope: { spans: 1 }, spans: [{ spans: [1] }, {}] }, { spans: [3] }] },
        { scopeSpans: [] },
      ],
    });
    expect(await itemsOf(bytesOf(text), { resourceSpans: { scopeSpans: { spans: true } } })).toEqual([
      { spans: [1] },
      {},
      3,
    ]);
  });

  test.each<[what: string, bytes: Uint8Array, message: string]>([
    ["bytes that are no UTF-8", Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d]), "is not UTF-8"],
    ["text that is no JSON", bytesOf("hello\n"), "isn't JSON"],
    [
      "a bracket too many",
      bytesOf('{"a":1}}'),
      "isn't valid JSON: a closing bracket doesn't have a matching opening bracket",
    ],
    ["brackets that do not fit", bytesOf('{"a":[1}]'), "isn't JSON"],
    ["lists without end in each other", bytesOf("[".repeat(100_000)), "is nested more than 128 levels deep"],
    ["objects without end in each other", bytesOf('{"a":'.repeat(100_000)), "is nested more than 128 levels deep"],
    ["a key named __proto__", bytesOf('{"a":[{"__proto__":{"polluted":true}}]}'), "has a key named __proto__"],
    ["the same in escapes", bytesOf('{"\\u005f\\u005Fproto__":{"polluted":true}}'), "has a key named __proto__"],
    [
      "a text without an end",
      bytesOf(`{"a":"${"x".repeat(17 * 1024 * 1024)}`),
      "contains a record of more than 16 MiB, or one without an end",
    ],
    ["a file that was cut", bytesOf('{"a":1}\n{"a":'), "ends in the middle of a record, so it is incomplete"],
    ["a list that was cut", bytesOf('[{"a":1},'), "ends in the middle of a record, so it is incomplete"],
  ])("are refused with one phrase: %s", async (_what, bytes, message) => {
    await expect(itemsOf(bytes, true, [65_536])).rejects.toThrow(new Error(message));
  });

  test("may contain __proto__ in a string", async () => {
    expect(await itemsOf(bytesOf('{"a":"__proto__"}'), true)).toEqual([{ a: "__proto__" }]);
  });

  test("may follow a byte order mark", async () => {
    expect(await itemsOf(Buffer.from([0xef, 0xbb, 0xbf, 0x31]), true)).toEqual([1]);
  });
});

test("unpacks a string with data, and keeps a hostile one unchanged", () => {
  expect(unpacked('{"a":[1]}')).toEqual({ a: [1] });
  expect(unpacked("hello")).toBe("hello");
  expect(unpacked("12")).toBe("12");
  const hostile = ['{"__proto__":{"polluted":true}}', "[".repeat(500) + "]".repeat(500), "{"];
  expect(hostile.map(unpacked)).toEqual(hostile);
});
