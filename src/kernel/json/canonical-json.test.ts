import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { stableStringify } from "./canonical-json.ts";
import { walkJson } from "./canonical-json.ts";

function nest(depth: number, wrap: (inner: unknown) => unknown, core: unknown): unknown {
  let value = core;
  for (let level = 0; level < depth; level += 1) value = wrap(value);
  return value;
}

// Both passes must write the same text, so every rule is asked of both.
describe.each([
  ["quick pass", stableStringify],
  ["careful pass", walkJson],
])("%s", (_, write) => {
  test.each([
    [333333333.33333329, "333333333.3333333"],
    [1e30, "1e+30"],
    [4.5, "4.5"],
    [2e-3, "0.002"],
    [0.000000000000000000000000001, "1e-27"],
    [1e21, "1e+21"],
    [1e20, "100000000000000000000"],
    [5e-324, "5e-324"],
    [-1.7976931348623157e308, "-1.7976931348623157e+308"],
    [9007199254740992, "9007199254740992"],
    [-0, "0"],
    [Number.NaN, "null"],
    [Number.POSITIVE_INFINITY, "null"],
    [Number.NEGATIVE_INFINITY, "null"],
  ])("writes the number %d as RFC 8785 and JSON do", (value, expected) => {
    expect(write(value)).toBe(expected);
  });

  test("writes the example of RFC 8785, section 3.2.2", () => {
    const value = {
      numbers: [333333333.33333329, 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: "\u20ac$\u000f\u000aA'\u0042\u0022\u005c\\\"\u002f",
      literals: [null, true, false],
    };
    expect(write(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  test("sorts names by UTF-16 code unit as in RFC 8785, section 3.2.3", () => {
    const value = {
      "\u20ac": "Euro Sign",
      "\r": "Carriage Return",
      "\ufb33": "Hebrew Letter Dalet With Dagesh",
      "1": "One",
      "\ud83d\ude00": "Emoji: Grinning Face",
      "\u0080": "Control",
      "\u00f6": "Latin Small Letter O With Diaeresis",
    };
    expect([...write(value).matchAll(/:"([^"]+)"/g)].map((match) => match[1])).toEqual([
      "Carriage Return",
      "One",
      "Control",
      "Latin Small Letter O With Diaeresis",
      "Euro Sign",
      "Emoji: Grinning Face",
      "Hebrew Letter Dalet With Dagesh",
    ]);
  });

  test("sorts integer-like names as text, not as numbers", () => {
    expect(write({ 10: "b", 9: "c", 1: "a" })).toBe('{"1":"a","10":"b","9":"c"}');
  });

  test("writes undefined as null at the root and in arrays, and omits it as a property", () => {
    expect(write(undefined)).toBe("null");
    expect(write([undefined, 1])).toBe("[null,1]");
    expect(write({ a: undefined, b: 1, c: undefined })).toBe('{"b":1}');
    expect(write({ a: undefined })).toBe("{}");
  });

  test("writes holes as null", () => {
    const sparse: unknown[] = [1];
    sparse[3] = 4;
    expect(write(sparse)).toBe("[1,null,null,4]");
  });

  test("writes empty containers, empty names and shared references", () => {
    const shared = { x: [] };
    expect(write({ "": {}, a: shared, b: shared })).toBe('{"":{},"a":{"x":[]},"b":{"x":[]}}');
  });

  test("escapes quotes, backslashes and control characters in names and text", () => {
    expect(write({ "\\": "\\", '"': '"', "\n": "\u0001" })).toBe('{"\\n":"\\u0001","\\"":"\\"","\\\\":"\\\\"}');
  });

  test("escapes lone surrogates in names and text", () => {
    expect(write({ "\ud800": "\udfff", "😀": "😀" })).toBe('{"\\ud800":"\\udfff","😀":"😀"}');
  });

  test("keeps an own __proto__", () => {
    expect(write(JSON.parse('{"__proto__":{"a":1},"b":2}'))).toBe('{"__proto__":{"a":1},"b":2}');
  });

  test("ignores symbol names and properties that are not enumerable", () => {
    const value = Object.defineProperty({ a: 1, [Symbol("s")]: 2 }, "hidden", { value: 3 });
    expect(write(value)).toBe('{"a":1}');
  });

  test("accepts null-prototype objects and objects of other realms as plain", () => {
    expect(write(Object.assign(Object.create(null), { b: 1, a: 2 }))).toBe('{"a":2,"b":1}');
    expect(write(runInNewContext("({ b: [1], a: new Date(0) })"))).toBe('{"a":"1970-01-01T00:00:00.000Z","b":[1]}');
  });

  test("calls toJSON once and canonicalizes its result", () => {
    const keys: string[] = [];
    const speaker = { toJSON: (key: string) => (keys.push(key), { z: 1, a: new Date(0) }) };
    expect(write({ when: speaker, list: [speaker] })).toBe(
      '{"list":[{"a":"1970-01-01T00:00:00.000Z","z":1}],"when":{"a":"1970-01-01T00:00:00.000Z","z":1}}',
    );
    expect(keys).toEqual(["0", "when"]);
  });

  test("writes primitive results of toJSON as JSON does", () => {
    const says = (answer: unknown): object => ({ toJSON: () => answer });
    expect(write({ a: says(undefined), b: says("t"), c: says(null), d: says(-0) })).toBe('{"b":"t","c":null,"d":0}');
    expect(write([says(undefined), new Date(Number.NaN)])).toBe("[null,null]");
    expect(write(says(undefined))).toBe("null");
    expect(write(Buffer.from([1, 2]))).toBe('{"data":[1,2],"type":"Buffer"}');
  });

  test("treats a toJSON that isn't a function as data", () => {
    expect(write({ toJSON: 1 })).toBe('{"toJSON":1}');
  });

  test("rethrows an error of a getter", () => {
    const broken = Object.defineProperty({}, "a", {
      enumerable: true,
      get: () => {
        throw new RangeError("no");
      },
    });
    expect(() => write(broken)).toThrow(new RangeError("no"));
  });

  test("writes values nested 10 000 and 100 000 deep", () => {
    for (const depth of [499, 500, 501, 10_000, 100_000]) {
      expect(write(nest(depth, (inner) => [inner], 1))).toBe(`${"[".repeat(depth)}1${"]".repeat(depth)}`);
    }
    expect(write(nest(10_000, (a) => ({ b: 1, a }), null))).toBe(
      `${'{"a":'.repeat(10_000)}null${',"b":1}'.repeat(10_000)}`,
    );
  });
});

test("distinguishes shapes with the same first name", () => {
  for (let round = 0; round < 3; round += 1) {
    for (let shape = 0; shape < 20; shape += 1) {
      expect(stableStringify({ id: 1, [`n${shape}`]: 2, a: 3 })).toBe(`{"a":3,"id":1,"n${shape}":2}`);
    }
  }
});

test("forgets old shapes but keeps their order", () => {
  for (let shape = 0; shape < 600; shape += 1) {
    expect(stableStringify({ [`z${shape}`]: 1, a: 2 })).toBe(`{"a":2,"z${shape}":1}`);
  }
});

test("sorts the names of large records", () => {
  const names = Array.from({ length: 100 }, (_, index) => `k${99 - index}`);
  const record = Object.fromEntries(names.map((name) => [name, 1]));
  expect(Object.keys(JSON.parse(stableStringify(record)))).toEqual(names.sort());
});
