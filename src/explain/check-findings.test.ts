import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { checkWithoutCause } from "../check/check-case.ts";
import type { Check, GridCell, OutcomeGrid } from "../check/check.ts";
import { defineStep } from "../kernel/step/define-step.ts";
import type { Verdict } from "../check/verdict.ts";
import { diff } from "../kernel/diff/diff.ts";
import type { Cause } from "../check/cause/cause.ts";
import { reportFindings } from "./check-findings.ts";
import { reportCase } from "../reporter/build-run-model.ts";
import { NO_FINDINGS, type ReportFindings } from "./report-case.ts";
import { RevealedSecrets } from "../redact/revealed-secrets.ts";

const place = {
  root: "/app",
  step: "claims",
  labels: ["eight"],
  test: null,
  updateState: "none",
  durationMs: 1.5,
  usage: null,
} as const;

function found(verdict: Verdict): ReportFindings | null {
  return reportFindings({ verdict, findings: {} });
}

test("a case is named by its location below the project's root", () => {
  const check = {
    path: "/app/steps/__baselines__/claims/a-1.json",
    verdict: { kind: "clean" },
    findings: { source: "live" },
  } as const;
  expect(reportCase(check, place)).toStrictEqual({
    step: "claims",
    labels: ["eight"],
    test: null,
    updateState: "none",
    durationMs: 1.5,
    usage: null,
    baseline: "steps/__baselines__/claims/a-1.json",
    kind: "clean",
    source: "live",
    findings: null,
  });
});

test.each<Verdict>([
  { kind: "clean" },
  { kind: "missing" },
  { kind: "obsolete" },
])("$kind alone has no findings", (verdict) => {
  expect(found(verdict)).toBeNull();
});

test("changes are reported by part and path; a side that is absent has no value", () => {
  const changes = [
    { part: "output", diff: diff({ a: { b: 1 }, gone: 1 }, { a: { b: 2 }, came: null }) },
    { part: "commands", diff: diff([{ type: "send" }], [{ type: "hold" }]) },
    { part: "input", diff: { equal: false, entries: [] } },
  ] as const;
  expect(found({ kind: "value_changed", changes })?.changes).toStrictEqual([
    { part: "output", path: "a.b", before: 1, after: 2, cut: false },
    { part: "output", path: "came", after: null, cut: false },
    { part: "output", path: "gone", before: 1, cut: false },
    { part: "commands", path: "[0].type", before: "send", after: "hold", cut: false },
    { part: "input", path: "", cut: false },
  ]);
});

test("of very many changes the first are reported and the others counted", () => {
  const words = Array.from({ length: 500 }, (_, index) => `word ${index}`);
  const findings = found({
    kind: "value_changed",
    changes: [
      {
        part: "output",
        diff: diff(
          words,
          words.map((word) => `other ${word}`),
        ),
      },
    ],
  });
  expect([findings?.changes.length, findings?.more]).toStrictEqual([200, 300]);
});

test("changes of many numbers of one list are one change with their number", () => {
  const vector = (add: number, name: string): object => ({
    name,
    vector: Array.from({ length: 1536 }, (_, at) => at + add),
  });
  const changes = [{ part: "output", diff: diff(vector(0, "a"), vector(0.5, "b")) }] as const;
  expect(found({ kind: "value_changed", changes })).toMatchObject({
    changes: [
      { path: "name", before: "a", after: "b" },
      { path: "vector[0]", before: 0, after: 0.5, count: 1536 },
    ],
    more: 0,
  });
});

test("what stopped a case is reported as it is", () => {
  expect(
    found({ kind: "failed", error: { code: "rate_limit", message: "wait\nlonger", retryable: true } }),
  ).toStrictEqual({ ...NO_FINDINGS, error: { code: "rate_limit", message: "wait\nlonger" } });
  expect(found({ kind: "broken", problem: "no JSON" })).toStrictEqual({ ...NO_FINDINGS, problem: "no JSON" });
});

test("an unrecorded request is reported with where it differs from the nearest recorded request", () => {
  const nearest = {
    adapter: "llm",
    request: [{ prompt: "a" }],
    requestHash: "sha256:1",
    occurrence: 0,
    returns: "promise",
    response: null,
  } as const;
  const unrecorded = {
    adapter: "llm",
    request: [{ prompt: "b" }],
    reason: "unknown_request",
    recorded: 2,
    nearest,
  } as const;
  expect(found({ kind: "request_changed", unrecorded, recordedCount: 3 })?.unrecorded).toStrictEqual({
    adapter: "llm",
    reason: "unknown_request",
    recorded: 2,
    changes: [{ part: "request", path: "[0].prompt", before: "a", after: "b", cut: false }],
  });
});

test("each cause is reported with its evidence, its parts named apart from their paths", () => {
  const entry = (part: string, ...path: string[]): { path: string[]; before: string; after: string } => ({
    path: [part, ...path],
    before: "old",
    after: "new",
  });
  const cause: Cause = {
    kind: "mixed",
    evidence: [
      { kind: "code", entries: [{ path: ["total"], before: 1, after: 2 }] },
      { kind: "prompt", requests: [{ kind: "changed", adapter: "llm", entries: [entry("request", "prompt")] }] },
      { kind: "model", requests: [], responses: [{ adapter: "llm", entries: [entry("response", "text")] }] },
      {
        kind: "schema",
        entries: [{ path: ["date"], before: "x", after: null }],
        violations: [{ path: ["total"], kind: "type", message: "no number" }],
      },
    ],
  };
  const told = found({ kind: "value_changed", changes: [], cause })?.cause;
  expect(told?.kind).toBe("mixed");
  expect(told?.line).toMatch(/^cause: mixed: code .*, prompt .*, model .*, schema /);
  expect(told?.evidence).toStrictEqual([
    {
      kind: "code",
      calls: [],
      changes: [{ part: "output", path: "total", before: 1, after: 2, cut: false }],
      violations: [],
    },
    {
      kind: "prompt",
      calls: [
        {
          adapter: "llm",
          kind: "changed",
          changes: [{ part: "request", path: "prompt", before: "old", after: "new", cut: false }],
        },
      ],
      changes: [],
      violations: [],
    },
    {
      kind: "model",
      calls: [
        {
          adapter: "llm",
          kind: "answered",
          changes: [{ part: "response", path: "text", before: "old", after: "new", cut: false }],
        },
      ],
      changes: [],
      violations: [],
    },
    {
      kind: "schema",
      calls: [],
      changes: [{ part: "input", path: "date", before: "x", after: null, cut: false }],
      violations: [{ path: "total", kind: "type", message: "no number" }],
    },
  ]);
});

test("a clean case reports what was tolerated, what was not called, and its trials", () => {
  const tolerated = [{ entry: { path: ["score"], before: 0.91, after: 0.92 }, rule: "score", label: "within(0.05)" }];
  const trials = {
    planned: 3,
    min: 2,
    run: 3,
    clean: 2,
    interval: [0.2, 0.9],
    classes: { clean: 2, value_changed: 1 },
    unstable: [{ path: ["a", 0], equal: 2, of: 3 }],
  } as const;
  expect(
    reportFindings({ verdict: { kind: "clean", tolerated }, findings: { uncalled: ["search.find"], trials } }),
  ).toStrictEqual({
    ...NO_FINDINGS,
    tolerated: [
      { part: "output", path: "score", before: 0.91, after: 0.92, cut: false, rule: "score", label: "within(0.05)" },
    ],
    unused: ["search.find"],
    trials: { ...trials, unstable: [{ path: "a[0]", equal: 2, of: 3 }] },
  });
});

describe("a grid", () => {
  const same = { text: "same", wrong: false } as const;
  const wrote = { text: "wrote twice", wrong: true } as const;
  const changed = { kind: "value_changed", changes: [] } as const;
  const gridOf = (cells: readonly (GridCell | null)[]): OutcomeGrid => ({
    columns: cells.map((_, index) => `fault ${index}`),
    rows: [{ name: "tools.pay#1", cells }],
  });

  test("is reported as a table", () => {
    const before = { ...wrote, before: "same" };
    expect(reportFindings({ verdict: changed, findings: { grid: gridOf([same, null, before]) } })).toStrictEqual({
      ...NO_FINDINGS,
      grid: {
        columns: ["fault 0", "fault 1", "fault 2"],
        rows: [{ name: "tools.pay#1", cells: [same, null, before] }],
        moreRows: 0,
      },
    });
  });

  test("of a clean case is reported only where something wrong was accepted", () => {
    const verdict = { kind: "clean" } as const;
    expect(reportFindings({ verdict, findings: { grid: gridOf([same, null]) } })).toBeNull();
    expect(reportFindings({ verdict, findings: { grid: gridOf([same, wrote]) } })?.grid?.rows).toEqual([
      { name: "tools.pay#1", cells: [same, wrote] },
    ]);
  });

  test("redacts secrets in every text, even if a cut leaves a part of one", () => {
    const secret = ["sk-ant-api03-", "x7Kq".repeat(24), "AA"].join("");
    const text = `${"word ".repeat(30)}${secret}`;
    const told = JSON.stringify(
      reportFindings({
        verdict: changed,
        findings: {
          grid: { columns: [secret], rows: [{ name: secret, cells: [{ text, before: secret, wrong: true }] }] },
        },
      }),
    );
    expect([told.includes("sk-ant"), told.split("«redacted:").length - 1]).toEqual([false, 4]);
  });

  test("has at most 60 rows of texts up to 200 characters, keeps notable rows and counts the rest", () => {
    const rows = Array.from({ length: 70 }, (_, index) => ({
      name: `${index} ${"x".repeat(300)}`,
      cells: [index === 69 ? { text: "y".repeat(201), before: "z".repeat(200), wrong: true } : same],
    }));
    const grid = reportFindings({ verdict: changed, findings: { grid: { columns: ["slow"], rows } } })?.grid;
    expect([grid?.rows.length, grid?.moreRows, grid?.rows[58]?.name.slice(0, 3)]).toEqual([60, 10, "58 "]);
    expect(grid?.rows[59]).toEqual({
      name: `69 ${"x".repeat(167)}… (+133 characters)`,
      cells: [{ text: `${"y".repeat(170)}… (+31 characters)`, before: "z".repeat(200), wrong: true }],
    });
  });
});

test("generalizes a path with keys: keyed lists, numbers, hashes and quoted names", () => {
  const paths = [
    ["tasks", "t1", "due"],
    ["tasks", "2026-01-02"],
    ["people", "Ann Lee", "age"],
    ["by", "d41d8cd98f00b204", "size"],
    ["lines", 3, "sku"],
    ["plain", "name2"],
  ];
  const entries = paths.map((path) => ({ path, before: 1, after: 2 }));
  const changes = [{ part: "output", diff: { equal: false, entries } }] as const;
  const told = reportFindings({ verdict: { kind: "value_changed", changes }, findings: { keyed: ["tasks"] } })?.changes;
  expect(told?.map(({ path, general }) => [path, general])).toEqual([
    ["tasks.t1.due", "tasks.*.due"],
    ["tasks.2026-01-02", "tasks.*"],
    ['people["Ann Lee"].age', "people.*.age"],
    ["by.d41d8cd98f00b204.size", "by.*.size"],
    ["lines[3].sku", undefined],
    ["plain.name2", undefined],
  ]);
});

test("keeps at least one change of each kind if there are too many", () => {
  const many = Array.from({ length: 500 }, (_, at) => ({ path: ["lines", at, "quantity"], before: 1, after: 2 }));
  const last = { path: ["zone"], before: "a", after: null };
  const changes = [{ part: "output", diff: { equal: false, entries: [...many, last] } }] as const;
  const told = found({ kind: "value_changed", changes });
  expect([told?.changes.length, told?.more, told?.changes.at(-1)?.path]).toEqual([200, 301, "zone"]);
});

describe("the location of a failure", () => {
  const root = resolve("/app");
  const placed = (message: string, ...frames: readonly string[]): unknown => {
    const stack = `Error: ${message}\n${frames.map((frame) => `    at ${frame}`).join("\n")}`;
    const error = { code: "execution_failed", message, retryable: false, cause: { message, stack } };
    return reportFindings({ verdict: { kind: "failed", error }, findings: {} }, root)?.error?.at;
  };
  const others = ["node:fs:1:1", "readIt (node:internal/fs:9:1)", `get (${root}/node_modules/sdk/index.js:3:7)`];

  test("is the innermost stack frame in the project, relative to its root", () => {
    const own = [`ask (${root}/src/ask.ts:12:9)`, `async run (${pathToFileURL(root).href}/steps/claims.ts:4:2)`];
    expect(placed("no", ...others, ...own)).toBe("src/ask.ts:12:9");
    expect(placed("no", ...others, ...own.slice(1))).toBe("steps/claims.ts:4:2");
  });

  test("is unknown if only other code threw, there is no error, or the message imitates a stack", () => {
    expect(placed("no", ...others, "run (/elsewhere/run.ts:1:1)")).toBeUndefined();
    expect(placed(`no\n    at ask (${root}/src/ask.ts:12:9)`, ...others)).toBeUndefined();
    const error = { code: "rate_limit", message: "wait", retryable: true };
    expect(reportFindings({ verdict: { kind: "failed", error }, findings: {} }, root)).toStrictEqual({
      ...NO_FINDINGS,
      error: { code: "rate_limit", message: "wait" },
    });
  });
});

describe("the input", () => {
  const claims = defineStep({
    name: "claims",
    input: z.object({ note: z.string(), apiKey: z.string() }),
    output: z.object({ note: z.string() }),
    run: async ({ note }) => {
      if (note === "throw") throw new Error("no");
      return { output: { note } };
    },
  });
  const checked = async (note: string): Promise<Check> => {
    const whole = { note, apiKey: "sk-0123456789abcdef" };
    const input = { value: whole, hash: "sha256:0", isHidden: true, secrets: new RevealedSecrets() };
    const capture = { responses: { kind: "live", adapters: {} }, reviewOnly: false } as const;
    return checkWithoutCause(
      { file: "a.json", path: "/app/a.json", step: claims, stored: undefined, input },
      { root: "/app", responses: { kind: "recorded", hasAdapters: false }, capture },
    );
  };

  test("of a failed check is reported with its secrets hidden", async () => {
    const told = reportFindings(await checked("throw"));
    expect(told?.input).toEqual({ note: "throw", apiKey: expect.stringMatching(/^«redacted:/) });
    expect(JSON.stringify(told)).not.toContain("sk-0123456789abcdef");
  });

  test("is shortened and marked as such", () => {
    const error = { code: "rate_limit", message: "wait", retryable: true };
    const told = reportFindings({
      verdict: { kind: "failed", error },
      findings: {},
      input: { long: "x".repeat(50_000), rest: 1 },
    });
    const text = JSON.stringify(told?.input);
    expect(text.length).toBeLessThan(2200);
    expect(text).toContain("…");
  });

  test("of a new case, and of a clean check, isn't reported", async () => {
    expect(await checked("fine")).not.toHaveProperty("input");
    expect(reportFindings({ verdict: { kind: "clean" }, findings: {}, input: { note: "fine" } })).toBeNull();
  });
});
