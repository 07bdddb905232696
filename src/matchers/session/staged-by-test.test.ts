import { expect, test } from "vitest";
import { StagedByTest } from "./staged-by-test.ts";

test("a retry replaces the updates of its test", () => {
  const ledger = new StagedByTest(() => undefined);
  expect([...ledger.earlier("t")]).toStrictEqual([]);
  ledger.note("t", ["a", "b"]);
  expect([...ledger.earlier("t")]).toStrictEqual(["a", "b"]);
  ledger.note("t", ["b"]);
  expect(ledger.take()).toStrictEqual(["b"]);
});

test("a repeated test, or another one with the same name, adds updates, and its retries replace those", () => {
  let round = 0;
  const ledger = new StagedByTest(() => round);
  ledger.note("t", ["a"]);
  round = 1;
  expect([...ledger.earlier("t")]).toStrictEqual([]);
  ledger.note("t", ["b"]);
  expect([...ledger.earlier("t")]).toStrictEqual(["b"]);
  ledger.note("t", ["c"]);
  expect([...ledger.ofFailed(() => false)]).toStrictEqual(["a", "c"]);
  expect(ledger.take()).toStrictEqual(["a", "c"]);
});

test("returns updates of tests that failed in the end", () => {
  const ledger = new StagedByTest(() => undefined);
  ledger.note("passed", ["a"]);
  ledger.note("failed", ["b", "c"]);
  ledger.note("failed too", []);
  expect([...ledger.ofFailed((test) => test === "passed")]).toStrictEqual(["b", "c"]);
});

test("knows updates of failed attempts early, unless another attempt passed with them", () => {
  const ledger = new StagedByTest(() => undefined);
  ledger.note("failed", ["a"], false);
  ledger.note("passed once", ["b"], true);
  ledger.note("passed once", ["b", "c"], false);
  ledger.note("of the same case", ["b"], false);
  expect([...ledger.ofFailed(() => false)]).toStrictEqual(["b"]);
  expect(ledger.take()).toStrictEqual(["a", "b", "c"]);
  ledger.note("in the next file", ["b"], false);
  expect([...ledger.ofFailed(() => false)]).toStrictEqual([]);
});

test("is empty for the next file", () => {
  const ledger = new StagedByTest(() => undefined);
  ledger.note("t", ["a"]);
  ledger.keep([{ kind: "add", root: "/r", path: "/r/g/a.json", group: "g", before: undefined, after: "{}" }]);
  expect(ledger.updates.indexesOf("/r/g").map(({ names }) => names)).toStrictEqual([["a.json"]]);
  expect(ledger.take()).toStrictEqual(["a"]);
  expect([ledger.take(), ledger.updates.has("/r/g/a.json"), ledger.earlier("t").size]).toStrictEqual([[], false, 0]);
  expect(ledger.updates.indexesOf("/r/g")).toStrictEqual([]);
});
