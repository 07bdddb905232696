import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { isPlainObject, typeName, withArticle } from "./plain-data.ts";

test.each([
  ["an object literal", {}],
  ["a null-prototype object", Object.create(null)],
  ["an object of another realm", runInNewContext("({})")],
  ["an object with an own __proto__", JSON.parse('{"__proto__":1}')],
])("takes %s for plain", (_, value) => {
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
])("does not take %s for plain", (_, value) => {
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

test("puts the article that is spoken", () => {
  expect(["Map", "Error", "Uint8Array", "object"].map(withArticle)).toEqual([
    "a Map",
    "an Error",
    "a Uint8Array",
    "an object",
  ]);
});

test("names a revoked proxy, which throws at every look, an object", () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  expect(typeName(proxy)).toBe("object");
});
