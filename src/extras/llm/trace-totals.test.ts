import { expect, test } from "vitest";
import { captureArtifactSync } from "../../record/snapshot.ts";
import type { LLMUsage } from "./response.ts";
import { sumUsage, traceTotals } from "./trace-totals.ts";

function trace(usage: Partial<LLMUsage>, durationMs: number): { usage: LLMUsage; durationMs: number } {
  return { usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0, raw: {}, ...usage }, durationMs };
}

const traces = [
  trace({ input: 10, output: 2, cacheRead: 4, reasoning: 1 }, 30),
  trace({ input: 5, output: 3, cacheWrite: 2 }, 12),
  trace({ raw: null }, 1),
];

const totals = {
  calls: 3,
  tokens: 20,
  usage: { input: 15, output: 5, cacheRead: 4, cacheWrite: 2, reasoning: 1 },
  durationMs: 43,
  unreported: 1,
};

test("adds up calls, tokens and time, and counts calls without reported tokens", () => {
  expect(sumUsage(traces)).toStrictEqual(totals);
});

test("returns zeros without traces", () => {
  expect(sumUsage([])).toStrictEqual({
    calls: 0,
    tokens: 0,
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
    durationMs: 0,
    unreported: 0,
  });
});

test("reads the traces from a run's artifacts", () => {
  const artifacts = traces.flatMap((content) => [
    captureArtifactSync("llm-output", { content: "" }),
    captureArtifactSync("llm-trace", content),
  ]);
  expect(traceTotals(artifacts)).toStrictEqual(totals);
});

test("counts a trace that is hash-only or damaged as a call of unknown cost", () => {
  const artifacts = [
    captureArtifactSync("llm-trace", traces[0], { hashOnly: true }),
    captureArtifactSync("llm-trace", { usage: { input: "10", raw: {} }, durationMs: -1 }),
  ];
  expect(traceTotals(artifacts)).toMatchObject({ calls: 2, tokens: 0, durationMs: 0, unreported: 1 });
});
