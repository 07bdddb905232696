import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BenchGroup, Metric, Row } from "../bench-group.ts";
import { storeSteps } from "../data/stored-steps.ts";
import { withFactor } from "../machine-factor.ts";
import { runScript } from "../run-script.ts";
import { type Timing, median, ratioOf } from "../timing.ts";

const ROUNDS = 3;
const SIZES = [100, 1000, 10_000] as const;
const CAP_SECONDS = 300;

/** Goes through all baselines of a step, as `toRecomputeClean` does. */
export const sweep: BenchGroup = {
  name: "sweep",
  question: "What does recomputing all stored baselines of a small step cost, and does memory grow?",
  run: async ({ full }) => {
    const sweeps = [];
    for (const size of full ? [...SIZES, 100_000] : SIZES) sweeps.push(await sweepOf(size));
    // Below 1,000 the time is that of code which nothing has compiled yet.
    const [, small, large] = sweeps;
    return [...sweeps.map(({ row }) => row), ...(small === undefined || large === undefined ? [] : [growthRow(small, large)])];
  },
};

interface Sweep {
  readonly size: number;
  readonly row: Row;
  readonly peakMegabytes: number;
}

async function sweepOf(size: number): Promise<Sweep> {
  const root = mkdtempSync(join(tmpdir(), "veritest-bench-"));
  try {
    await storeSteps(root, size);
    const { result: runs, factor } = await withFactor(async () => sweepInTurns(root, size));
    return sweepRow(size, runs, factor);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

interface Runs {
  readonly veritest: readonly Report[];
  readonly parse: readonly Report[];
}

async function sweepInTurns(root: string, size: number): Promise<Runs> {
  const runs = { veritest: Array<Report>(), parse: Array<Report>() };
  for (let round = 0; round < ROUNDS; round += 1) {
    runs.veritest.push(await sweepOnce(root, size, "veritest"));
    runs.parse.push(await sweepOnce(root, size, "parse"));
  }
  return runs;
}

interface Report {
  readonly cpu: number;
  readonly first: number;
  readonly peakMegabytes: number;
}

async function sweepOnce(root: string, size: number, how: string): Promise<Report> {
  const report = await runScript({ script: "sweep.ts", args: [root, how], flags: ["--expose-gc"], capSeconds: CAP_SECONDS });
  const { cpu = Number.NaN, first = Number.NaN, count = 0, peakMegabytes = Number.NaN } = report ?? {};
  if (count !== size) throw new Error(`sweep: ${how} handled ${count} of ${size} baselines.`);
  return { cpu, first, peakMegabytes };
}

function sweepRow(size: number, runs: Runs, factor: number): Sweep {
  const ours: Timing = { name: "veritest", rounds: runs.veritest.map(({ cpu }) => cpu) };
  const limit: Timing = { name: "read and parse", rounds: runs.parse.map(({ cpu }) => cpu) };
  const peakMegabytes = median(runs.veritest.map((report) => report.peakMegabytes));
  const metrics: readonly Metric[] = [
    { name: "÷ read and parse", value: ratioOf(ours, limit), unit: "×" },
    { name: "reference time to the first verdict", value: median(runs.veritest.map(({ first }) => first)) / factor, unit: "ms" },
  ];
  const notes = [`memory: +${peakMegabytes.toFixed(0)} MB at the peak (read and parse: +${median(runs.parse.map((report) => report.peakMegabytes)).toFixed(0)} MB)`];
  return { size, row: { name: `${size.toLocaleString("en")} baselines`, timings: [ours, limit], metrics, notes }, peakMegabytes };
}

function growthRow(small: Sweep, large: Sweep): Row {
  const time = ({ row }: Sweep): number => median(row.timings[0]?.rounds ?? []);
  const metrics = [
    { name: "exponent", value: Math.log(time(large) / time(small)) / Math.log(large.size / small.size), unit: "" },
    { name: "memory", value: large.peakMegabytes - small.peakMegabytes, unit: "MB" },
  ];
  return { name: "growth 1,000 to 10,000", timings: [], metrics, notes: [] };
}
