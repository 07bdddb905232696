import { expect, test } from "vitest";
import type { LoggedCheck } from "./append-run-log.ts";
import { liveTotals, liveText } from "./live-totals.ts";

test("counts live calls of each attempt, of models and other adapters, but none of a replayed run", () => {
  const check = (more: Partial<LoggedCheck>): LoggedCheck => ({
    test: "t",
    path: "/a/__baselines__/s/a.json",
    outcome: "clean",
    ...more,
  });
  const file = (...checks: readonly LoggedCheck[]): Parameters<typeof liveTotals>[0][number] => ({ checks });
  const usage = { calls: 1, inputTokens: 10, outputTokens: 5, cost: 0.5 };
  const attempt = check({ source: "live", liveCalls: 3, ms: 20, usage });
  const own = check({ source: "live", liveCalls: 2, ms: 2 });
  const traced = check({ source: "live", ms: 1, usage: { calls: 1, inputTokens: 1, outputTokens: 1 } });
  const replayed = check({ source: "recorded", ms: 500 });
  expect(liveTotals([file(attempt, attempt, replayed), file(own, traced)])).toStrictEqual({
    calls: 9,
    ms: 43,
    usage: { calls: 3, inputTokens: 21, outputTokens: 11, cost: 1 },
  });
  expect(liveText({ calls: 9, ms: 43, usage: { calls: 3, inputTokens: 1210, outputTokens: 11, cost: 1 } })).toBe(
    "9 calls (3 to models), 1,221 tokens, 43 ms in total, $1.00",
  );
  expect(liveText({ calls: 3, ms: 43, usage: { calls: 3, inputTokens: 1210, outputTokens: 11 } })).toBe(
    "3 calls, 1,221 tokens, 43 ms in total",
  );
  expect(liveTotals([file(replayed)])).toBeUndefined();
});
