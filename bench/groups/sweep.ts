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
const FLAGS = ["--expose-gc"];
/** Little room, so that the peak is what a sweep needs and not what the collector leaves lying while there is room. */
const TIGHT = [...FLAGS, "--max-semi-space-size=1", "--max-old-space-size=48"];

/** Goes through all baselines of a step, as `toRecomputeClean` does. */
export const sweep: BenchGroup = {
  name: "sweep",
  question: "What does recomputing all stored baselines of a small step cost, and does memory grow?",
  run: async ({ full }) => {
    const sweeps = [];
    for (const size of full ? [...SIZES, 100_000] : SIZES) sweeps.push(await sweepOf(size));
    // Below 1,000 the time is that of code which nothing has compiled yet.
    const [, ...compiled] = sweeps;
    const growth = compiled.slice(1).map((large, index) => growthRow(compiled[index] ?? large, large));
    return [...sweeps.map(({ row }) => row), ...growth];
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
    const tight = await sweepOnce({ root, size, how: "veritest", flags: TIGHT });
    return sweepRow({ size, runs, factor, peakMegabytes: tight.peakMegabytes });
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
    runs.veritest.push(await sweepOnce({ root, size, how: "veritest", flags: FLAGS }));
    runs.parse.push(await sweepOnce({ root, size, how: "parse", flags: FLAGS }));
  }
  return runs;
}

interface Report {
  readonly cpu: number;
  readonly first: number;
  readonly peakMegabytes: number;
}

interface SweepRequest {
  readonly root: string;
  readonly size: number;
  readonly how: "veritest" | "parse";
  readonly flags: readonly string[];
}

async function sweepOnce({ root, size, how, flags }: SweepRequest): Promise<Report> {
  const report = await runScript({ script: "sweep.ts", args: [root, how], flags, capSeconds: CAP_SECONDS });
  const { cpu = Number.NaN, first = Number.NaN, count = 0, peakMegabytes = Number.NaN } = report ?? {};
  if (count !== size) throw new Error(`sweep: ${how} handled ${count} of ${size} baselines.`);
  return { cpu, first, peakMegabytes };
}

interface Measured {
  readonly size: number;
  readonly runs: Runs;
  readonly factor: number;
  /** Of the run with little room. */
  readonly peakMegabytes: number;
}

function sweepRow({ size, runs, factor, peakMegabytes }: Measured): Sweep {
  const ours: Timing = { name: "veritest", rounds: runs.veritest.map(({ cpu }) => cpu) };
  const limit: Timing = { name: "read and parse", rounds: runs.parse.map(({ cpu }) => cpu) };
  const peakOf = (reports: readonly Report[]): string =>
    `+${median(reports.map((report) => report.peakMegabytes)).toFixed(0)} MB`;
  const metrics: readonly Metric[] = [
    { name: "÷ read and parse", value: ratioOf(ours, limit), unit: "×" },
    {
      name: "reference time to the first verdict",
      value: median(runs.veritest.map(({ first }) => first)) / factor,
      unit: "ms",
    },
  ];
  const notes = [
    `memory: +${peakMegabytes.toFixed(0)} MB at the peak with a small heap; with Node's own ${peakOf(runs.veritest)} (read and parse: ${peakOf(runs.parse)})`,
  ];
  return {
    size,
    row: { name: `${size.toLocaleString("en")} baselines`, timings: [ours, limit], metrics, notes },
    peakMegabytes,
  };
}

function growthRow(small: Sweep, large: Sweep): Row {
  const time = ({ row }: Sweep): number => median(row.timings[0]?.rounds ?? []);
  const metrics = [
    { name: "exponent", value: Math.log(time(large) / time(small)) / Math.log(large.size / small.size), unit: "" },
    { name: "memory", value: large.peakMegabytes - small.peakMegabytes, unit: "MB" },
  ];
  return {
    name: `growth ${small.row.name.replace(" baselines", "")} to ${large.row.name}`,
    timings: [],
    metrics,
    notes: [],
  };
}
