import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { cloneData, isPlainObject, typeName, withArticle } from "./plain-data.ts";

test.each([
  ["an object literal", {}],
  ["a null-prototype object", Object.create(null)],
  ["an object of another realm", runInNewContext("({})")],
  ["an object with an own __proto__", JSON.parse('{"__proto__":1}')],
])("accepts %s as plain", (_, value) => {
  expect(isPlainObject(value)).toBe(true);
});

test.each([
  ["null", null],
  ["a string", "a"],
  ["a function", () => 1],
  ["an array", []],
  ["an array of another realm", runInNewContext("[]")],
  ["an array without prototype", Object.setPrototypeOf([], null)],
  ["a Date", new Date(0)],
  ["a Map", new Map()],
  ["a Map of another realm", runInNewContext("new Map()")],
  ["a class instance", new (class {})()],
  ["an object that inherits from plain data", Object.create({ a: 1 })],
  ["an object that inherits from a null-prototype object", Object.create(Object.create(null))],
])("refuses %s as plain", (_, value) => {
  expect(isPlainObject(value)).toBe(false);
});

test.each([
  [null, "null"],
  [undefined, "undefined"],
  [1, "number"],
  [1n, "bigint"],
  [[], "array"],
  [{}, "object"],
  [Object.create(null), "object"],
  [new Map(), "Map"],
  [new (class {})(), "class instance"],
  [Object.create(Object.create(null)), "class instance"],
  [Object.create({ constructor: { name: "\u001b[31m" } }), "\\u001b[31m"],
])("names the type of value %#", (value, expected) => {
  expect(typeName(value)).toBe(expected);
});

test("uses the right article", () => {
  expect(["Map", "Error", "Uint8Array", "object"].map(withArticle)).toEqual([
    "a Map",
    "an Error",
    "a Uint8Array",
    "an object",
  ]);
});

test("names a revoked proxy, which throws at every access, an object", () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  expect(typeName(proxy)).toBe("object");
});

test("copies arrays, plain objects, Dates, Maps and Sets at every depth", () => {
  const value = {
    list: [{ a: 1 }, undefined, null],
    when: new Date(0),
    map: new Map([[{ k: 1 }, [1]]]),
    set: new Set([{ m: 1 }]),
    bare: Object.assign(Object.create(null), { x: 1 }),
  };
  const copy = cloneData(value);
  expect(copy).toStrictEqual(value);
  expect(sharedParts(copy, value)).toStrictEqual([]);
});

test("keeps an own __proto__ key a key", () => {
  const value: unknown = JSON.parse('{"__proto__": {"admin": true}, "a": 1}');
  const copy = Object(cloneData(value));
  expect(Object.keys(copy)).toStrictEqual(["__proto__", "a"]);
  expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
});

test("keeps cycles and shared parts", () => {
  const shared = { n: 1 };
  const value: Record<string, unknown> = { left: shared, right: shared };
  value["self"] = value;
  const copy = Object(cloneData(value));
  expect(copy.self).toBe(copy);
  expect(copy.left).toBe(copy.right);
  expect(copy.left).not.toBe(shared);
});

test("keeps cycles through arrays, Maps and Sets", () => {
  const list: unknown[] = [];
  const map = new Map<unknown, unknown>([["list", list]]);
  list.push(map, new Set([list]));
  const copy = cloneData(list);
  const [copiedMap, copiedSet] = Array.isArray(copy) ? copy : [];
  expect(copiedMap instanceof Map && copiedMap.get("list") === copy && copiedMap !== map).toBe(true);
  expect(copiedSet instanceof Set && copiedSet.has(copy)).toBe(true);
});

test("copies a hole in an array as undefined", () => {
  const holed: unknown[] = [];
  holed[1] = 1;
  expect(Object.hasOwn(holed, 0)).toBe(false);
  expect(cloneData(holed)).toStrictEqual([undefined, 1]);
});

test("copies data 10 000 levels deep", { tags: "deep" }, () => {
  let deep: unknown = "end";
  for (let level = 0; level < 10_000; level += 1) deep = level % 2 === 0 ? { deep } : [deep];
  let copy = cloneData(deep);
  expect(copy).not.toBe(deep);
  for (let level = 0; level < 10_000; level += 1) copy = Array.isArray(copy) ? copy[0] : Object(copy).deep;
  expect(copy).toBe("end");
});

test("keeps other values by reference: instances, functions, bytes", () => {
  const kept = [new (class Money {})(), () => 1, new Uint8Array(2), /x/];
  const copy = cloneData(kept);
  expect(copy).not.toBe(kept);
  expect(Array.isArray(copy) && copy.every((item, index) => item === kept[index])).toBe(true);
});

test("returns primitives unchanged", () => {
  const values = [1, "a", true, null, undefined, 10n, NaN];
  expect(values.map(cloneData)).toStrictEqual(values);
});

test("copies a frozen value to a mutable one", () => {
  const frozen = Object.freeze({ list: Object.freeze([1]) });
  const copy = Object(cloneData(frozen));
  copy.list.push(2);
  copy.more = true;
  expect([frozen, copy]).toStrictEqual([{ list: [1] }, { list: [1, 2], more: true }]);
});

/** The names of fields whose object is the same one on both sides. */
function sharedParts(copy: unknown, value: Readonly<Record<string, object>>): string[] {
  return Object.entries(value)
    .filter(([name, part]) => Reflect.get(Object(copy), name) === part)
    .map(([name]) => name);
}

test("copies inherited names that can't be assigned", () => {
  const value: unknown = runInNewContext(
    'Object.freeze(Object.prototype); ({ toString: "text", constructor: ["list"], plain: 1 })',
  );
  expect(Object.entries(Object(cloneData(value)))).toStrictEqual([
    ["toString", "text"],
    ["constructor", ["list"]],
    ["plain", 1],
  ]);
});
