import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import type { ReportCase } from "../../explain/report-case.ts";
import type { CliIo } from "../terminal/io.ts";
import { CheckScreen } from "./check-screen.ts";
import { CheckTally } from "./check-tally.ts";

const CASE: ReportCase = {
  step: "s",
  baseline: "__baselines__/s/a-1.json",
  labels: [],
  test: null,
  kind: "failed",
  updateState: "none",
  source: null,
  durationMs: 1,
  usage: null,
  findings: null,
};

function screenOf({ isTTY, columns = 80 }: { readonly isTTY: boolean; readonly columns?: number }): {
  readonly io: CliIo;
  readonly out: string[];
  readonly err: string[];
} {
  const [out, err]: [string[], string[]] = [[], []];
  const io = {
    stdout: { write: (text: string) => out.push(text), isTTY, columns },
    stderr: { write: (text: string) => err.push(text), isTTY, columns },
    stdin: new PassThrough(),
    environment: {},
    cwd: "/",
  };
  return { io, out, err };
}

test("computes the total only for a terminal", () => {
  let asked = 0;
  const total = (): number => (asked += 1);
  const plain = new CheckScreen(screenOf({ isTTY: false }).io, total);
  plain.step();
  expect(asked).toBe(0);
  const terminal = new CheckScreen(screenOf({ isTTY: true }).io, total);
  terminal.step();
  expect(asked).toBe(1);
});

test("prints a case at once, in colours only on a terminal that supports them", () => {
  const [plain, terminal, refusing] = [
    screenOf({ isTTY: false }),
    screenOf({ isTTY: true }),
    screenOf({ isTTY: true }),
  ];
  new CheckScreen(plain.io, () => 1).printCase(CASE);
  new CheckScreen(terminal.io, () => 1).printCase(CASE);
  new CheckScreen({ ...refusing.io, environment: { NO_COLOR: "1" } }, () => 1).printCase(CASE);
  expect(plain.out).toStrictEqual(["  failed            __baselines__/s/a-1.json\n"]);
  expect(terminal.out.join("")).toContain("\u001b[");
  expect(refusing.out).toStrictEqual(plain.out);
});

test("a terminal that reports no width is taken for one of usual width", () => {
  const { io, out } = screenOf({ isTTY: false, columns: 0 });
  new CheckScreen(io, () => 1).printCase(CASE);
  expect(out).toStrictEqual(["  failed            __baselines__/s/a-1.json\n"]);
});

test("a tally without cases counts like one with them", () => {
  const [kept, counted] = [new CheckTally({ keeps: true }), new CheckTally({ keeps: false })];
  const cases: ReportCase[] = [
    CASE,
    { ...CASE, kind: "clean", usage: { calls: 1, inputTokens: 2, outputTokens: 3 } },
    { ...CASE, step: "t", kind: "value_changed", updateState: "review" },
    { ...CASE, step: "t", kind: "broken" },
  ];
  for (const one of cases) for (const tally of [kept, counted]) tally.add(one);
  const facts = {
    startedAt: "2026-01-01T00:00:00.000Z",
    durationMs: 5,
    environment: { veritest: "0", runner: null, node: "24", platform: "x", ci: false, adapterMode: null, shard: null },
    applied: null,
    problems: [],
  };
  const { cases: all, ...model } = kept.model(facts);
  expect(all.length).toBe(4);
  expect(counted.model(facts)).toStrictEqual({ ...model, cases: [], groups: [] });
  expect(model).toMatchObject({
    status: "error",
    summary: "4 baselines, 1 clean, 1 changed, 1 failed, 1 broken, 1 pending",
    usage: { calls: 1, inputTokens: 2, outputTokens: 3 },
  });
  expect([...counted.steps]).toStrictEqual([...kept.steps]);
});
