import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { stableStringify } from "./json/canonical-json.ts";
import { walkJson } from "./json/canonical-json.ts";

class Money {
  readonly amount = 1;
}

function refusal(problem: string): TypeError {
  return new TypeError(`JSON cannot represent ${problem}. Convert it to plain data first`);
}

describe.each([
  ["quick pass", stableStringify],
  ["careful pass", walkJson],
])("%s", (_, write) => {
  test.each([
    ["a bigint", 1n],
    ["a function", () => 1],
    ["a symbol", Symbol("s")],
    ["a Map", new Map([[1, 2]])],
    ["a Set", new Set([1])],
    ["an Error", new Error("e")],
    ["a RegExp", /x/],
    ["a Uint8Array", new Uint8Array(2)],
    ["a Number", Object(1)],
    ["a String", Object("s")],
    ["a Boolean", Object(false)],
    ["a Promise", Promise.resolve()],
    ["a Money", new Money()],
    ["a Map", runInNewContext("new Map()")],
    ["a class instance", new (class {})()],
  ])("refuses %s and names its path", (name, value) => {
    expect(() => write(value)).toThrow(refusal(`${name} at "(root)"`));
    expect(() => write({ a: { b: [0, 1, value] } })).toThrow(refusal(`${name} at "a.b[2]"`));
  });

  test("refuses an instance that toJSON returns", () => {
    expect(() => write([{ toJSON: () => new Date(0) }])).toThrow(refusal('a Date at "[0]"'));
  });

  test("refuses a cycle, and names where it closes", () => {
    const loop: Record<string, unknown> = { a: {} };
    loop["a"] = { b: [loop] };
    expect(() => write(loop)).toThrow(refusal('a cycle at "a.b[0]"'));
    const self: unknown[] = [];
    self.push(self);
    expect(() => write(self)).toThrow(refusal('a cycle at "[0]"'));
  });

  test("refuses a toJSON that returns itself endlessly", () => {
    const loop = { toJSON: (): object => ({ inner: loop }) };
    expect(() => write(loop)).toThrow(refusal('a cycle at "inner"'));
  });
});
