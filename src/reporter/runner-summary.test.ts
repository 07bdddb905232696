import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { pendingChange } from "../updates/pending/pending-change.ts";
import type { PendingChange } from "../updates/pending/pending-change.ts";
import type { ChangeShape, Risk, ShapeLine } from "../check/update/change-shape.ts";
import type { RunUpdateResult } from "../updates/apply-run.ts";
import { keyOf } from "../updates/pending/key-of.ts";
import { type RunEffects, renderSummary } from "./runner-summary.ts";

const NOTHING: RunEffects = {
  outcomes: [{ path: "a", outcome: "clean" }],
  obsolete: [],
  removed: false,
  updateResult: undefined,
  dropped: [],
  remarks: [],
  problems: [],
};

function line(path: string, risk: Risk, sides: Partial<ShapeLine> = {}): ShapeLine {
  const string = { kind: "string" } as const;
  return { part: risk === "writes" ? "calls" : "output", path, before: string, after: string, risk, ...sides };
}

/** A pending change of a step. */
function change(group: string, name: string, shape: ChangeShape): PendingChange {
  const target = `steps/__baselines__/${group}/${name}-0a1b2c3d.json`;
  const update = { kind: "update", root: "/p", group, path: `/p/${target}`, before: "{}", after: "{ }" } as const;
  return pendingChange(
    { update, intent: "review", verdict: shape.kind, shown: [], shape },
    {
      projectRoot: "/p",
      testPath: "/p/a.test.ts",
      test: name,
      passed: false,
      run: "r",
      at: "2026-01-01T00:00:00.000Z",
    },
  );
}

function ended(failing: readonly PendingChange[], root = "/p"): RunUpdateResult {
  return {
    root,
    written: [],
    receipt: undefined,
    pending: [],
    incomplete: [],
    reasons: [],
    notices: [],
    failing,
    earlier: 0,
    failed: true,
  };
}

const WRITE: ChangeShape = {
  kind: "calls_changed",
  cause: "model",
  lines: [line("tools.refund", "writes", { before: { kind: "absent" }, after: { kind: "object" } })],
};
const PROSE: ChangeShape = { kind: "value_changed", cause: null, lines: [line("summary", "prose")] };

describe("the summary of a run", () => {
  test("has a line for each kind of change, by risk, and the commands to review them", () => {
    const failing = [
      ...["a", "b", "c"].map((name) => change("summarise", name, PROSE)),
      change("answer-mail", "refunds-a-broken-lamp-of-a-customer", WRITE),
    ];
    const outcomes = [
      ...failing.map(({ target, verdict }) => ({ path: `/p/${target}`, outcome: verdict })),
      { path: "/p/steps/__baselines__/extract/x-1.json", outcome: "failed" },
      { path: "/p/steps/__baselines__/extract/y-1.json", outcome: "failed" },
      { path: "/p/steps/__baselines__/extract/z-1.json", outcome: "clean" },
    ];
    const lines = renderSummary({ ...NOTHING, outcomes, updateResult: ended(failing) });
    expect(lines.map((text) => text.replace(/g-[0-9a-f]{6}/, "g-xxxxxx"))).toStrictEqual([
      "  Baselines  1 clean, 3 value_changed, 1 calls_changed, 2 failed",
      "             g-xxxxxx  1 × answer-mail  new write: tools.refund(object) (model)",
      "             –         2 × extract  failed",
      "             g-xxxxxx  3 × summarise  summary changed",
      "             4 changes are pending: npx veritest review",
      "             To see the changes as a page, run again with VERITEST_REPORT=html",
    ]);
  });

  test("has a line for each kind of change that isn't pending, as in CI without a state directory", () => {
    const outcomes = ["a", "b"].map((name) => ({
      path: `/p/steps/__baselines__/summarise/${name}-1.json`,
      outcome: "value_changed",
      shape: PROSE,
    }));
    expect(renderSummary({ ...NOTHING, outcomes })).toStrictEqual([
      "  Baselines  2 value_changed",
      "             2 × summarise  summary changed",
    ]);
  });

  test.each([13, 10_000])("has at most twelve lines of kinds and fits 80 columns: %i failures", (count) => {
    const failing = Array.from({ length: count }, (_, at) =>
      change(`a-step-with-a-long-name-${at}`, `日本語のケース-${"name ".repeat(20)}${at}`, {
        ...PROSE,
        lines: [line(`a.path.${"deep.".repeat(10)}${at}`, "prose")],
      }),
    );
    const outcomes = failing.map(({ target }) => ({ path: join(process.cwd(), target), outcome: "value_changed" }));
    const at = (name: string): string =>
      join(process.cwd(), "a/very/long/directory/with/a/name", "of/many/parts", name);
    const lines = renderSummary({
      ...NOTHING,
      outcomes: [...outcomes, { path: at("captured-with-a-longer-name.json"), outcome: "captured" }],
      obsolete: Array.from({ length: count }, (_, index) => at(`obsolete-${index}.json`)),
      updateResult: { ...ended(failing), root: process.cwd() },
      remarks: Array.from({ length: count }, (_, index) => ({
        path: at(`r-${index}.json`),
        text: `${index} requests differ`,
      })),
    });
    expect(lines.length).toBeLessThanOrEqual(40);
    expect(lines.filter((text) => text.includes(" × "))).toHaveLength(12);
    expect(lines.find((text) => text.includes("more group"))?.trim()).toBe(
      count === 13 ? "… and 1 more group with 1 change" : "… and 9,988 more groups with 9,988 changes",
    );
    for (const text of lines)
      expect(Array.from(text).reduce((sum, one) => sum + (one > "\u2fff" ? 2 : 1), 0)).toBeLessThanOrEqual(80);
    expect(lines.find((text) => text.endsWith("longer-name.json"))).toBe(
      "               a/very/long/directory/with/a/nam…captured-with-a-longer-name.json",
    );
  });

  test("wraps counts and reasons at 80 columns, and names no way to a page that the run wrote", () => {
    const kinds = ["clean", "captured", "value_changed", "commands_changed", "calls_changed", "schema_violation"];
    const outcomes = kinds.map((outcome, at) => ({ path: `/p/steps/__baselines__/a/${at}.json`, outcome }));
    const file = "test/a/very/long/directory/support.test.ts";
    const reasons = [`1 test file failed: ${file} (transaction.scope is "run").`];
    const updateResult = { ...ended([change("summarise", "a", PROSE)]), reasons };
    const lines = renderSummary({ ...NOTHING, outcomes, updateResult, hasPage: true });
    expect(lines.filter((text) => !text.includes(" × "))).toStrictEqual([
      "  Baselines  1 clean, 1 captured, 1 value_changed, 1 commands_changed,",
      "                 1 calls_changed, 1 schema_violation",
      "             captured: read and commit",
      "               /p/steps/__baselines__/a/1.json",
      "             pending: 1 test file failed:",
      `                 ${file} (transaction.scope`,
      '                 is "run").',
      "             1 change is pending: npx veritest review",
    ]);
  });

  test("counts pending changes of earlier runs too, which the commands also accept", () => {
    const updateResult = { ...ended([change("summarise", "a", PROSE)]), earlier: 2 };
    expect(renderSummary({ ...NOTHING, updateResult, hasPage: true }).slice(-1)).toStrictEqual([
      "             1 change is pending (3 with earlier runs): npx veritest review",
    ]);
  });

  test("in CI with an uploaded state directory says how to review it elsewhere", () => {
    const updateResult = ended([change("summarise", "a", PROSE)]);
    expect(renderSummary({ ...NOTHING, updateResult, uploads: true }).slice(-3)).toStrictEqual([
      "             1 change is pending in CI's state directory. Download it, then",
      "             npx veritest review --from veritest-state.zip",
      "             To see the changes as a page, run again with VERITEST_REPORT=html",
    ]);
  });
});

test("merges equal remarks of several baselines into one line with a count", () => {
  const at = (name: string): string => join(process.cwd(), "__baselines__", "rank", name);
  const asks = "requests differ from the recording (CI will fail): run with -u";
  const remarks = [
    { path: at("a.json"), text: asks },
    { path: at("b.json"), text: "1 request differs" },
    { path: at("c.json"), text: asks },
  ];
  expect(renderSummary({ ...NOTHING, remarks })).toStrictEqual([
    "  Baselines  1 clean",
    `             2 baselines of rank  ${asks}`,
    "             __baselines__/rank/b.json  1 request differs",
  ]);
  const other = { path: join(process.cwd(), "__baselines__", "order", "d.json"), text: asks };
  expect(renderSummary({ ...NOTHING, remarks: [...remarks, other] })[1]).toBe(
    `             3 baselines of order and 1 other step  ${asks}`,
  );
  const ignored = "keyBy ignores the order (hits). If the order matters, use { by, ordered: true }";
  expect(renderSummary({ ...NOTHING, remarks: [{ path: at("first-44136fa3.json"), text: ignored }] })).toStrictEqual([
    "  Baselines  1 clean",
    `             rank/first-44136fa3.json  ${ignored}`,
  ]);
});

test.each<[string, NonNullable<RunEffects["live"]>, string]>([
  [
    "calls of models with a price",
    { calls: 1_204, ms: 4_210, usage: { calls: 3, inputTokens: 1_000, outputTokens: 204, cost: 0.01234 } },
    "  Live       1,204 calls (3 to models), 1,204 tokens, 4.2 s in total, $0.012",
  ],
  [
    "calls of models without prices",
    { calls: 1, ms: 12, usage: { calls: 1, inputTokens: 1, outputTokens: 0 } },
    "  Live       1 call, 1 token, 12 ms in total",
  ],
  [
    "calls whose responses report no tokens",
    { calls: 2, ms: 65_000, usage: { calls: 0, inputTokens: 0, outputTokens: 0 } },
    "  Live       2 calls, no tokens reported, 1 min 5 s in total",
  ],
])("a run with live %s ends with one line about them", (_what, live, line) => {
  expect(renderSummary({ ...NOTHING, problems: ["No."], live })).toStrictEqual([
    "  Baselines  1 clean",
    "             No.",
    line,
  ]);
});

describe("a changed input that -u doesn't replace", () => {
  const changed = change("triage", "a", { kind: "input_changed", cause: null, lines: [] });
  const summaryOf = (unreplaced: readonly PendingChange[], effects: Partial<RunEffects> = {}): readonly string[] => {
    const updateResult = { ...ended([]), root: process.cwd(), pending: unreplaced, unreplaced };
    return renderSummary({ ...NOTHING, updateResult, hasPage: true, update: true, ...effects }).slice(2);
  };
  const command = (count: string): string => `             ${count} pending: npx veritest review`;
  const reason = [
    "             -u replaces the baseline of an earlier input only if all tests run",
    "                 and pass.",
  ];

  test("has the reason and the command that accepts it", () => {
    const replacing = { ...changed, replaces: "a-00000000.json" };
    expect(summaryOf([replacing])).toStrictEqual([
      ...reason,
      `             To accept the new input: npx veritest accept ${keyOf(replacing)}`,
      command("1 change is"),
    ]);
    expect(summaryOf([replacing], { update: false })).toStrictEqual([command("1 change is")]);
  });

  test("is kept by accepting the new one if a test that didn't run may use it", () => {
    expect(summaryOf([changed])).toStrictEqual([
      ...reason,
      "             Accepting keeps the earlier baseline if a test that didn't run may",
      "                 use it.",
      `             To accept the new input: npx veritest accept ${keyOf(changed)}`,
      command("1 change is"),
    ]);
  });

  test("has the command of the review if there are more than three", () => {
    const changes = ["a", "b", "c", "d"].map((name) => ({
      ...changed,
      key: name.repeat(12),
      replaces: "a-00000000.json",
    }));
    expect(summaryOf(changes)).toStrictEqual([
      ...reason,
      "             To accept the new inputs: npx veritest review",
      command("4 changes are"),
    ]);
  });
});

test("commands name the project's directory if the run was started above it", () => {
  const updateResult = ended([change("refund", "a", WRITE)], join(process.cwd(), "src"));
  const lines = renderSummary({ ...NOTHING, outcomes: [{ path: "a", outcome: "incomplete" }], updateResult });
  expect(lines.filter((line) => line.includes("npx"))).toStrictEqual([
    "             may or may not contain the update. Run: (cd src && npx veritest doctor)",
    "             1 change is pending: (cd src && npx veritest review)",
  ]);
});

test("names the files of dropped changes that the run didn't check", () => {
  const dropped = [
    { change: change("route", "old", WRITE), reason: "expired" },
    { change: change("route", "older", WRITE), reason: "expired" },
    { change: change("route", "fine", WRITE), reason: "clean again" },
  ] as const;
  expect(renderSummary({ ...NOTHING, dropped })).toStrictEqual([
    "  Baselines  1 clean",
    "             2 pending changes dropped: expired",
    "               steps/__baselines__/route/old-0a1b2c3d.json",
    "               steps/__baselines__/route/older-0a1b2c3d.json",
    "             1 pending change dropped: clean again",
  ]);
});
