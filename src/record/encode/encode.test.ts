import { createContext, runInContext } from "node:vm";
import { expect, test } from "vitest";
import { decode } from "./decode.ts";
import { encode } from "./encode.ts";
import { recordAdapters } from "../proxy/record-adapters.ts";

class Money {
  amount = 5;
  readonly #secret = "hidden";
  reveal(): string {
    return this.#secret;
  }
}

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = { a: value };
  return value;
}

test("encodes JSON data as itself", () => {
  const data = { a: [1, "two", null, true, { b: {} }], c: 1.5, "": [] };
  expect(encode(data)).toStrictEqual(data);
});

test.each([
  ["a date", new Date(0), { $t: "date", v: "1970-01-01T00:00:00.000Z" }],
  ["an invalid date", new Date(NaN), { $t: "date", v: null }],
  ["a map", new Map([["k", new Set([1n])]]), { $t: "map", v: [["k", { $t: "set", v: [{ $t: "bigint", v: "1" }] }]] }],
  ["undefined", undefined, { $t: "undefined" }],
  [
    "undefined and holes in arrays",
    Object.assign([undefined], { 2: 1 }),
    [{ $t: "undefined" }, { $t: "undefined" }, 1],
  ],
  [
    "numbers JSON lacks",
    [NaN, Infinity, -Infinity, -0],
    [{ $t: "nan" }, { $t: "infinity" }, { $t: "-infinity" }, { $t: "-0" }],
  ],
  ["a URL", new URL("https://example.org/a?b=1"), { $t: "url", v: "https://example.org/a?b=1" }],
  ["a regular expression", /a"b/giu, { $t: "regexp", v: { source: 'a"b', flags: "giu" } }],
  ["bytes", new Uint8Array([1, 2, 3]), { $t: "bytes", v: { kind: "Uint8Array", base64: "AQID" } }],
  [
    "a window of bytes",
    new Uint8Array([9, 1, 2, 9]).subarray(1, 3),
    { $t: "bytes", v: { kind: "Uint8Array", base64: "AQI=" } },
  ],
  ["a Buffer", Buffer.from("hi"), { $t: "bytes", v: { kind: "Buffer", base64: "aGk=" } }],
  ["an ArrayBuffer", new Uint8Array([1]).buffer, { $t: "bytes", v: { kind: "ArrayBuffer", base64: "AQ==" } }],
  ["an embedding", new Float32Array([1]), { $t: "bytes", v: { kind: "Float32Array", base64: "AACAPw==" } }],
  ["boxed primitives", [Object("s"), Object(1), Object(2n)], ["s", 1, { $t: "bigint", v: "2" }]],
])("encodes %s", (_name, value, expected) => {
  expect(encode(value)).toStrictEqual(expected);
});

test.each([
  ["of a match", /b(?<rest>.)/.exec("abc"), { index: 1, input: "abc", groups: { rest: "c" } }],
  ["of a long list", Object.assign(Array.from({ length: 150 }, String), { total: 9 }), { total: 9 }],
  ["of a list with holes", Object.assign([undefined], { 3: 1, total: 9 }), { total: 9 }],
])("keeps the properties %s", (_name, list, properties) => {
  expect(encode(list)).toMatchObject({ $t: "list", v: { fields: properties } });
  expect(decode(encode(list))).toMatchObject(properties);
});

test("omits undefined properties, even those whose toJSON returns undefined", () => {
  expect(encode({ a: undefined, b: { toJSON: () => undefined }, c: 1 })).toStrictEqual({ c: 1 });
});

test("keeps fields under every name, and no symbols", () => {
  const fields = { ...JSON.parse('{ "__proto__": { "a": -0 }, "toString": [1] }'), b: undefined, [Symbol("c")]: 1 };
  const encoded = encode(fields);
  expect(Reflect.ownKeys(Object(encoded))).toStrictEqual(["__proto__", "toString"]);
  expect(JSON.stringify(encoded)).toBe('{"__proto__":{"a":{"$t":"-0"}},"toString":[1]}');
});

test("keeps the result of toJSON, tagged if JSON lacks it, and calls it once", () => {
  const asked: string[] = [];
  const speaking = {
    toJSON(key: string): unknown {
      asked.push(key);
      return { at: new Date(0), toJSON: 1 };
    },
  };
  expect(encode({ it: speaking })).toStrictEqual({
    it: { at: { $t: "date", v: "1970-01-01T00:00:00.000Z" }, toJSON: 1 },
  });
  expect(asked).toStrictEqual(["it"]);
});

test("keeps the own fields of a class instance as plain data", () => {
  expect(new Money().reveal()).toBe("hidden");
  expect(encode(new Money())).toStrictEqual({ amount: 5 });
});

test("escapes an object with a $t key of its own", () => {
  expect(encode({ $t: "date", v: { $t: 1 } })).toStrictEqual({
    $t: "escaped",
    v: { $t: "date", v: { $t: "escaped", v: { $t: 1 } } },
  });
});

test("keeps an own __proto__ key as an own key", () => {
  const value: unknown = JSON.parse('{ "__proto__": { "polluted": true } }');
  expect(JSON.stringify(encode(value))).toBe('{"__proto__":{"polluted":true}}');
  expect(JSON.stringify(decode(encode(value)))).toBe('{"__proto__":{"polluted":true}}');
});

test("writes shared references each time", () => {
  const shared = { a: 1 };
  expect(encode([shared, shared])).toStrictEqual([{ a: 1 }, { a: 1 }]);
});

test.each([
  [() => [{ callback: () => 1 }], 'cannot record a function at "[0].callback"'],
  [() => () => 1, "cannot record a function"],
  [() => ({ id: Symbol("s") }), 'cannot record a symbol at "id"'],
  [() => new Map([["k", () => 1]]), 'cannot record a function at "[0][1]"'],
  [() => ({ signal: new AbortController().signal }), 'cannot record an AbortSignal at "signal"'],
  [() => ({ "a b": [Promise.resolve(1)] }), 'cannot record a Promise at "["a b"][0]"'],
  [() => recordAdapters({}).adapters, "cannot record an adapter"],
  [() => nested(501), "cannot record a value nested deeper than 500 levels. Flatten it, or turn it into a string"],
])("refuses values that aren't data, and names their path: %#", (make, message) => {
  expect(() => encode(make())).toThrow(new TypeError(message));
});

test("refuses a cycle", () => {
  const loop: Record<string, unknown> = {};
  loop["self"] = [loop];
  expect(() => encode({ loop })).toThrow(new TypeError('cannot record a cycle at "loop.self[0]"'));
});

test("omit mode replaces values that aren't data by a placeholder", () => {
  const loop: Record<string, unknown> = { signal: new AbortController().signal, log: () => 1, id: Symbol("s") };
  loop["self"] = loop;
  expect(encode(loop, { opaque: "omit" })).toStrictEqual({
    signal: { $t: "omitted", v: "AbortSignal" },
    log: { $t: "omitted", v: "function" },
    id: { $t: "omitted", v: "symbol" },
    self: { $t: "omitted", v: "cycle" },
  });
});

test("keeps class, name, message, code, status, data and cause of an error, and no stack", () => {
  class RateLimitError extends RangeError {
    override name = "RateLimitError";
    code = "rate_limit";
    retry = { after: 2, again: () => 1 };
    again = (): number => 1;
    get status(): number {
      return 429;
    }
  }
  expect(encode(new RateLimitError("slow down", { cause: new TypeError("inner") }))).toStrictEqual({
    $t: "error",
    v: {
      class: "RangeError",
      name: "RateLimitError",
      message: "slow down",
      cause: { $t: "error", v: { class: "TypeError", name: "TypeError", message: "inner" } },
      data: { code: "rate_limit", retry: { after: 2, again: { $t: "omitted", v: "function" } }, status: 429 },
    },
  });
});

test("recognizes built-in objects of another realm", () => {
  const source = `[new Date(0), new Map([[1, 2]]), new Set([1]), /a/g, new Uint8Array([1]), new RangeError("r"), { a: [] }]`;
  const value: unknown = runInContext(source, createContext());
  expect(encode(value)).toStrictEqual([
    { $t: "date", v: "1970-01-01T00:00:00.000Z" },
    { $t: "map", v: [[1, 2]] },
    { $t: "set", v: [1] },
    { $t: "regexp", v: { source: "a", flags: "g" } },
    { $t: "bytes", v: { kind: "Uint8Array", base64: "AQ==" } },
    { $t: "error", v: { class: "RangeError", name: "RangeError", message: "r" } },
    { a: [] },
  ]);
});
