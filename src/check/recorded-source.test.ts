import { expect, test } from "vitest";
import type { AdapterCall } from "../record/adapter-call.ts";
import { serveAdapters } from "../record/serve-adapters.ts";
import { RecordedSource } from "./recorded-source.ts";

const CALLS: readonly AdapterCall[] = [
  { adapter: "load", occurrence: 0, returns: "value", request: ["a"], response: 1 },
  { adapter: "load", occurrence: 0, returns: "value", request: ["b"], response: 2 },
  { adapter: "model", occurrence: 0, returns: "property", request: [], response: "m" },
];

function ask(adapters: object, text: string): unknown {
  const load: unknown = Reflect.get(adapters, "load");
  return typeof load === "function" ? Reflect.apply(load, adapters, [text]) : undefined;
}

test("a source that nobody asks has made no call and missed none, and names what was left", () => {
  const source = new RecordedSource(CALLS);
  expect([source.kind, source.calls(), source.misses(), source.unused(), source.problems()]).toStrictEqual([
    "recorded",
    [],
    [],
    ["load", "load"],
    [],
  ]);
});

test("a source that was asked tells what its server does", () => {
  const [source, server] = [new RecordedSource(CALLS), serveAdapters(CALLS)];
  expect([ask(source.adapters, "b"), ask(server.adapters, "b")]).toStrictEqual([2, 2]);
  for (const adapters of [source.adapters, server.adapters]) expect(() => ask(adapters, "c")).toThrow();
  expect(source.calls()).toStrictEqual([CALLS[1]]);
  expect(source.unused()).toStrictEqual(["load"]);
  expect(source.misses()).toStrictEqual(server.misses());
});

test("a source without calls misses each", () => {
  const source = new RecordedSource([]);
  expect(() => ask(source.adapters, "a")).toThrow();
  expect([source.calls(), source.unused(), source.misses().length]).toStrictEqual([[], [], 1]);
});
