import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { isPlainObject } from "./is-plain-object.ts";

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
