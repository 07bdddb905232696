import { expect, test } from "vitest";
import { type AdapterCall, responsePath } from "./adapter-call.ts";
import { changeCalls } from "./redact-calls.ts";

function call(adapter: string, request: unknown, more: Partial<AdapterCall> = {}): AdapterCall {
  return { adapter, occurrence: 0, returns: "promise", request, response: adapter, ...more };
}

function withRequest(calls: readonly AdapterCall[], call: AdapterCall, request: unknown): readonly AdapterCall[] {
  return changeCalls(calls, { request: (_adapter, own, known) => (known === call ? request : own) });
}

test("counts a request that becomes equal to another one after it", () => {
  const [one, two, three] = [call("llm", ["a"]), call("llm", ["b"]), call("llm", ["a"], { occurrence: 1 })];
  const calls = [one, two, three];
  expect(withRequest(calls, two, ["a"])).toStrictEqual([
    one,
    { ...two, request: ["a"], occurrence: 1 },
    { ...three, occurrence: 2 },
  ]);
  expect(withRequest(calls, one, ["c"])).toStrictEqual([{ ...one, request: ["c"] }, two, { ...three, occurrence: 0 }]);
});

test("moves uses of a response with its call, at any depth, and keeps those of other calls", () => {
  const [mine, other] = [call("llm.stream", ["a"]), call("llm.stream", ["b"])];
  const use = call(`${responsePath(mine)}.tool`, ["x"]);
  const deep = call(`${responsePath(use)}.id`, [], { returns: "property" });
  const foreign = call(`${responsePath(other)}.tool`, ["x"]);
  const calls = [mine, other, use, deep, foreign];
  const moved = { ...mine, request: ["new"] };
  const movedUse = { ...use, adapter: `${responsePath(moved)}.tool` };
  expect(withRequest(calls, mine, ["new"])).toStrictEqual([
    moved,
    other,
    movedUse,
    { ...deep, adapter: `${responsePath(movedUse)}.id` },
    foreign,
  ]);
});

test("moves the calls of a long chain of one method, whose paths don't contain each call", () => {
  const list = call("files.list", []);
  const chainFrom = (first: AdapterCall): AdapterCall[] => {
    const calls = [first];
    for (let last = first; calls.length < 25; calls.push(last))
      last = call(`${responsePath(last)}.next`, [calls.length]);
    return [...calls, call(`${responsePath(calls.at(-1) ?? first)}.data`, [], { returns: "property" })];
  };
  const second = call(`${responsePath(list)}.next`, ["a"]);
  const moved = { ...second, request: ["new"] };
  const [before, after] = [chainFrom(second), chainFrom(moved)];
  expect(Math.max(...before.map(({ adapter }) => adapter.length))).toBeLessThan(250);
  const paths = (calls: readonly AdapterCall[]): readonly string[] => calls.map(({ adapter }) => adapter);
  expect(paths(withRequest([list, ...before], second, ["new"]))).toStrictEqual(paths([list, ...after]));
});

test("doesn't take an adapter whose name begins like a response's path for a use of it", () => {
  const mine = call("llm", ["a"]);
  const alike = call(`${responsePath(mine)}2.x`, ["b"]);
  expect(withRequest([mine, alike], mine, ["c"])[1]).toStrictEqual(alike);
});
