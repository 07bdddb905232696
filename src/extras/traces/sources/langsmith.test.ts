import { expect, test } from "vitest";
import { langsmithSource } from "./langsmith.ts";

test("child runs without a trace of their own belong to the trace of the run above them", () => {
  const lookup = { id: "c2", name: "lookup", run_type: "tool" };
  const model = { id: "c1", name: "chat", run_type: "llm", child_runs: [lookup] };
  const run = { id: "r1", name: "triage", run_type: "chain", child_runs: [model, { ...lookup, id: "c3" }] };
  expect(
    langsmithSource
      .observer("")(run)
      .map(({ id, trace, parent }) => [id, trace, parent]),
  ).toStrictEqual([
    ["r1", "r1", undefined],
    ["c1", "r1", "r1"],
    ["c2", "r1", "c1"],
    ["c3", "r1", "r1"],
  ]);
});
