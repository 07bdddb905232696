import { expect, test } from "vitest";
import { StageLedger } from "./stage-ledger.ts";

test("a retry replaces what its test staged before", () => {
  const ledger = new StageLedger(() => undefined);
  expect([...ledger.earlier("t")]).toStrictEqual([]);
  ledger.note("t", ["a", "b"]);
  expect([...ledger.earlier("t")]).toStrictEqual(["a", "b"]);
  ledger.note("t", ["b"]);
  expect(ledger.take()).toStrictEqual(["b"]);
});

test("a repetition, or another test of the same name, stands beside what was staged, and its own retries replace it", () => {
  let round = 0;
  const ledger = new StageLedger(() => round);
  ledger.note("t", ["a"]);
  round = 1;
  expect([...ledger.earlier("t")]).toStrictEqual([]);
  ledger.note("t", ["b"]);
  expect([...ledger.earlier("t")]).toStrictEqual(["b"]);
  ledger.note("t", ["c"]);
  expect([...ledger.ofFailed(() => false)]).toStrictEqual(["a", "c"]);
  expect(ledger.take()).toStrictEqual(["a", "c"]);
});

test("names what tests staged that did not pass in the end", () => {
  const ledger = new StageLedger(() => undefined);
  ledger.note("passed", ["a"]);
  ledger.note("failed", ["b", "c"]);
  ledger.note("failed too", []);
  expect([...ledger.ofFailed((test) => test === "passed")]).toStrictEqual(["b", "c"]);
});

test("what was staged by attempts that failed is known as theirs already, unless another attempt passed with it", () => {
  const ledger = new StageLedger(() => undefined);
  ledger.note("failed", ["a"], false);
  ledger.note("passed once", ["b"], true);
  ledger.note("passed once", ["b", "c"], false);
  ledger.note("of the same case", ["b"], false);
  expect([...ledger.ofFailed(() => false)]).toStrictEqual(["b"]);
  expect(ledger.take()).toStrictEqual(["a", "b", "c"]);
  ledger.note("in the next file", ["b"], false);
  expect([...ledger.ofFailed(() => false)]).toStrictEqual([]);
});

test("the next file begins with nothing", () => {
  const ledger = new StageLedger(() => undefined);
  ledger.note("t", ["a"]);
  ledger.keep([{ kind: "add", root: "/r", path: "/r/g/a.json", group: "g", before: undefined, after: "{}" }]);
  expect([...ledger.proposals.keys()]).toStrictEqual(["/r/g/a.json"]);
  expect(ledger.take()).toStrictEqual(["a"]);
  expect([ledger.take(), ledger.proposals.size, ledger.earlier("t").size]).toStrictEqual([[], 0, 0]);
});
