import { expect, test } from "vitest";
import { typeName, withArticle } from "./type-name.ts";

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
