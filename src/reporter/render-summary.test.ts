import { join } from "node:path";
import { expect, test } from "vitest";
import { type RunEnding, renderSummary } from "./render-summary.ts";

const NOTHING: RunEnding = {
  outcomes: [{ path: "a", outcome: "clean" }],
  obsolete: [],
  removed: false,
  updateResult: undefined,
  dropped: [],
  remarks: [],
  problems: [],
};

test("what several baselines have to say alike is one line, with how many", () => {
  const at = (name: string): string => join(process.cwd(), "__baselines__", name);
  const asks = "requests differ from the recording (CI will fail): run with -u";
  const remarks = [
    { path: at("a.json"), text: asks },
    { path: at("b.json"), text: "1 write skipped" },
    { path: at("c.json"), text: asks },
  ];
  expect(renderSummary({ ...NOTHING, remarks })).toStrictEqual([
    "  Baselines  1 clean",
    `             2 baselines  ${asks}`,
    "             __baselines__/b.json  1 write skipped",
  ]);
});

test.each<[string, NonNullable<RunEnding["live"]>, string]>([
  [
    "calls of models with a price",
    { calls: 1_204, ms: 4_210, usage: { calls: 3, inputTokens: 1_000, outputTokens: 204, cost: 0.01234 } },
    "  Live       1,204 calls, 1,204 tokens, 4.2 s, $0.012",
  ],
  [
    "calls of models without prices",
    { calls: 1, ms: 12, usage: { calls: 1, inputTokens: 1, outputTokens: 0 } },
    "  Live       1 call, 1 token, 12 ms",
  ],
  [
    "calls whose responses report no tokens",
    { calls: 2, ms: 65_000, usage: { calls: 0, inputTokens: 0, outputTokens: 0 } },
    "  Live       2 calls, no tokens reported, 1 min 5 s",
  ],
])("a run with live %s ends with one line about them", (_what, live, line) => {
  expect(renderSummary({ ...NOTHING, problems: ["No."], live })).toStrictEqual([
    "  Baselines  1 clean",
    "             No.",
    line,
  ]);
});
