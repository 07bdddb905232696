import { isDeepStrictEqual } from "node:util";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { messageOf } from "../../kernel/error-message.ts";
import { jsonLike, jsonValue } from "../../../test-support/arbitraries.ts";
import { decode, decodeOwn } from "./decode.ts";
import { encode } from "./encode.ts";
import { TAG } from "../../kernel/json/plain-data.ts";
import { runCount } from "../../../test-support/run-count.ts";

function restored(value: unknown): unknown {
  return decode(JSON.parse(JSON.stringify(encode(value))));
}

test.each([
  ["JSON", { a: [1, "two", null, { b: true }] }],
  ["dates", [new Date(5), new Date(NaN)]],
  [
    "collections",
    new Map<unknown, unknown>([
      [{ k: 1 }, new Set([[undefined], 2n ** 70n])],
      [NaN, -0],
    ]),
  ],
  ["numbers JSON lacks", [NaN, Infinity, -Infinity, -0]],
  ["undefined", undefined],
  ["URLs and regular expressions", [new URL("https://example.org/"), /a\/b/gu]],
  [
    "bytes",
    [
      new Uint8Array([1]),
      new Float64Array([1.5]),
      new BigInt64Array([3n]),
      new Uint8Array([4]).buffer,
      new DataView(new ArrayBuffer(2)),
    ],
  ],
  ["objects that look like tags", [{ $t: "date" }, { $t: { $t: "escaped", v: 1 } }, { $t: undefined, a: 1 }]],
])("restores %s", (_name, value) => {
  expect(restored(value)).toEqual(value);
});

test("restores a Buffer as a Buffer", () => {
  const buffer = restored(Buffer.from("hi"));
  expect(Buffer.isBuffer(buffer) && buffer.toString()).toBe("hi");
});

test("decodes an omitted value as undefined", () => {
  expect(decode(encode({ a: () => 1 }, { opaque: "omit" }))).toStrictEqual({ a: undefined });
});

test("restores an error with its built-in class, name, code, status and cause", () => {
  const error = Object.assign(new TypeError("no", { cause: new RangeError("inner") }), {
    code: "E1",
    status: 500,
    name: "Custom",
  });
  const twin = restored(error);
  expect(twin).toBeInstanceOf(TypeError);
  expect(twin).toMatchObject({ name: "Custom", message: "no", code: "E1", status: 500 });
  expect(twin instanceof TypeError && [Object.keys(twin), twin.cause]).toStrictEqual([
    ["code", "status"],
    new RangeError("inner"),
  ]);
});

test("restores an AggregateError with its errors", () => {
  const twin = restored(new AggregateError([new TypeError("a"), "b"], "many"));
  expect(twin).toBeInstanceOf(AggregateError);
  expect(twin).toMatchObject({ message: "many", errors: [new TypeError("a"), "b"] });
});

test("restores a DOMException with its name and code", () => {
  const twin = restored(new DOMException("stopped", "AbortError"));
  expect(twin).toBeInstanceOf(DOMException);
  expect(twin).toMatchObject({ name: "AbortError", message: "stopped", code: 20 });
});

test("makes new objects at every call", () => {
  const encoded = encode({ a: [1] });
  expect(decode(encoded)).not.toBe(decode(encoded));
  expect(decode(encoded)).toStrictEqual(decode(encoded));
});

test.each([
  [{ a: [{ $t: "function", v: "alert" }] }, 'cannot decode the unknown tag "function" at "a[0]"'],
  [{ $t: 1 }, "cannot decode the unknown tag number"],
  [{ $t: "toString" }, 'cannot decode the unknown tag "toString"'],
  [{ $t: "date", v: "yesterday-ish" }, 'cannot decode a malformed "date"'],
  [{ $t: "date" }, 'cannot decode a malformed "date"'],
  [{ $t: "map", v: [[1]] }, 'cannot decode a malformed "map"'],
  [{ $t: "map", v: [[1, { $t: "set" }]] }, 'cannot decode a malformed "set" at "[0][1]"'],
  [{ $t: "bigint", v: "0x1" }, 'cannot decode a malformed "bigint"'],
  [{ $t: "bytes", v: { kind: "Proxy", base64: "" } }, 'cannot decode a malformed "bytes"'],
  [{ $t: "bytes", v: { kind: "Float32Array", base64: "AQ==" } }, 'cannot decode a malformed "bytes"'],
  [{ $t: "url", v: "nowhere" }, 'cannot decode a malformed "url"'],
  [{ $t: "regexp", v: { source: "(", flags: "" } }, 'cannot decode a malformed "regexp"'],
  [{ $t: "escaped", v: 1 }, 'cannot decode a malformed "escaped"'],
  [{ $t: "error", v: { class: "Function", name: "f", message: "return 1" } }, 'cannot decode a malformed "error"'],
  [{ $t: "error", v: { class: "Error" } }, 'cannot decode a malformed "error"'],
])("rejects damaged data with its path: %j", (encoded, message) => {
  expect(() => decode(encoded)).toThrow(new TypeError(message));
});

test("decodes the deepest value that encodes and rejects a deeper one", () => {
  let value: unknown = 1;
  for (let level = 0; level < 500; level += 1) value = { $t: value };
  expect(decode(encode(value))).toStrictEqual(value);
  let deeper: unknown = 1;
  for (let level = 0; level < 501; level += 1) deeper = [deeper];
  expect(() => decode(deeper)).toThrow(new TypeError("cannot decode a value nested deeper than 500 levels"));
});

test("decoding in place gives the same results and errors", { tags: "deep" }, () => {
  const tagged = fc.tuple(
    fc.constantFrom("date", "-0", "nan", "set", "escaped", "unknown", "bigint"),
    fc.option(jsonValue(), { nil: undefined }),
  );
  const part = fc.oneof(
    jsonValue(),
    jsonLike().map((value) => encode(value)),
    tagged.map(([tag, v]) => ({ [TAG]: tag, ...(v !== undefined && { v }) })),
  );
  const deep = fc.oneof(
    { weight: 40, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.integer({ min: 498, max: 501 }) },
  );
  const encoded = fc.tuple(part, fc.integer({ min: 0, max: 3 }), deep);
  fc.assert(
    fc.property(encoded, ([inner, wraps, deep]) => {
      let whole: unknown = inner;
      for (let at = 0; at < wraps; at += 1) whole = at % 2 === 0 ? { at, whole } : [whole, at];
      for (let at = 0; at < deep; at += 1) whole = [whole];
      const text = JSON.stringify(whole);
      const [own, copied] = [decodeOwn, decode].map((each) => outcomeOf(() => each(JSON.parse(text))));
      // Not by `toStrictEqual`, which takes a field named "constructor" for the class.
      if (!isDeepStrictEqual(own, copied)) expect(own).toBe(copied);
    }),
    { numRuns: runCount(10_000) },
  );
});

test("what holds nothing encoded is handed on as it is, and what does is made again", () => {
  const bare = { a: [1, { b: null }], ["__proto__"]: "own" };
  expect(decodeOwn(bare)).toBe(bare);
  expect(decodeOwn({ a: [encode(-0)] })).toStrictEqual({ a: [-0] });
});

function outcomeOf(decoding: () => unknown): unknown {
  try {
    return { value: decoding() };
  } catch (thrown) {
    return { message: messageOf(thrown) };
  }
}
