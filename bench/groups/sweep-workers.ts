import { readFileSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import type { BenchGroup, Metric, Row } from "../bench-group.ts";
import { storeSteps } from "../data/stored-steps.ts";
import { type ChildRun, runChild } from "../run-child.ts";
import { runScript } from "../run-script.ts";
import { type RunnerProject, createProject } from "../runner-project.ts";
import { type Timing, median, ratioOf } from "../timing.ts";

const ROUNDS = 3;
const CAP_SECONDS = 300;

/** How hard a step works, and over how many baselines. */
const LOADS = [
  { name: "10,000 of 70 µs", count: 10_000, hashes: 0 },
  { name: "2,000 of 1 ms", count: 2000, hashes: 3750 },
  { name: "2,000 of 5 ms", count: 2000, hashes: 18_750 },
] as const;

const WAYS = { one: ["--workers", "1"], two: ["--workers", "2"], "as it chooses": [] } as const;

type Way = keyof typeof WAYS;

/** Does what the stored step does, after so much work. */
const configOf = (hashes: number): string => `import { hash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";
import { defineStep } from "veritest";
if (isMainThread) process.on("exit", () => writeFileSync("peak.txt", String(process.resourceUsage().maxRSS)));
const any = { "~standard": { version: 1, vendor: "bench", validate: (value) => ({ value }) } };
const small = defineStep({
  name: "small", input: any, output: any,
  run: (input) => {
    let text = "work";
    for (let left = ${hashes}; left > 0; left -= 1) text = hash("sha256", text);
    return { output: { answer: input, words: ["one", "two", "three"], total: "42.90" } };
  },
});
export default { steps: () => [small] };
`;

/** What threads give to a sweep, by the clock and by the processor. */
export const sweepWorkers: BenchGroup = {
  name: "sweep-workers",
  question: "What do two workers give to `veritest test`, for steps that do little and steps that work hard?",
  run: async () => {
    const rows: Row[] = [];
    for (const load of LOADS) rows.push(await measureLoad(load));
    return rows;
  },
};

interface Measured {
  readonly wall: number;
  readonly cpu: number;
  readonly peakMegabytes: number;
}

async function measureLoad({ name, count, hashes }: (typeof LOADS)[number]): Promise<Row> {
  const project = createProject("vitest", { "veritest.config.mjs": configOf(hashes) });
  try {
    await storeSteps(join(project.folder, "__baselines__"), count);
    const runs: Record<Way, Measured[]> = { one: [], two: [], "as it chooses": [] };
    const bare: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const way of ["one", "two", "as it chooses"] as const) runs[way].push(await sweepOnce(project, way, count));
      // A tenth: the ratio is the same.
      if (hashes > 0) bare.push(await bareThreads((count * hashes) / 10));
    }
    return rowOf(name, runs, bare);
  } finally {
    project.remove();
  }
}

async function sweepOnce({ folder }: RunnerProject, way: Way, count: number): Promise<Measured> {
  const started = performance.now();
  const ran = await runChild({
    command: [process.execPath, "node_modules/veritest/dist/cli.js", "test", ...WAYS[way]],
    cwd: folder,
    env: { VERITEST_STATE_DIR: join(folder, "state"), VERITEST_ACTOR: "human" },
    capSeconds: CAP_SECONDS,
  });
  const wall = performance.now() - started;
  requireClean(ran, count);
  return { wall, cpu: ran.cpu, peakMegabytes: Number(readFileSync(join(folder, "peak.txt"), "utf8")) / 1000 };
}

/** What two threads are to one here and now, with nothing but the work that the steps do. */
async function bareThreads(hashes: number): Promise<number> {
  const report = await runScript({ script: "threads.ts", args: [String(hashes)], capSeconds: CAP_SECONDS });
  const { one = Number.NaN, two = Number.NaN } = report ?? {};
  return two / one;
}

function requireClean({ exitCode, output }: ChildRun, count: number): void {
  if (exitCode !== 0 || !output.includes(`${count} baselines, ${count} clean`))
    throw new Error(`sweep-workers: ended with ${String(exitCode)}:\n${output.slice(-2000)}`);
}

function rowOf(name: string, runs: Readonly<Record<Way, readonly Measured[]>>, bare: readonly number[]): Row {
  const timing = (way: Way, of: "wall" | "cpu"): Timing => ({
    name: `${way}, ${of === "wall" ? "by the clock" : "of the processor"}`,
    rounds: runs[way].map((run) => run[of]),
  });
  const peak = (way: Way): number => median(runs[way].map(({ peakMegabytes }) => peakMegabytes));
  const shared = ratioOf(timing("two", "wall"), timing("one", "wall"));
  const limit: Metric[] =
    bare.length === 0
      ? []
      : [
          { name: "two bare threads ÷ one, by the clock", value: median(bare), unit: "×" },
          { name: "two ÷ one ÷ that of bare threads", value: shared / median(bare), unit: "×" },
        ];
  const metrics: Metric[] = [
    { name: "two ÷ one, by the clock", value: shared, unit: "×" },
    ...limit,
    { name: "two ÷ one, of the processor", value: ratioOf(timing("two", "cpu"), timing("one", "cpu")), unit: "×" },
    {
      name: "as it chooses ÷ one, by the clock",
      value: ratioOf(timing("as it chooses", "wall"), timing("one", "wall")),
      unit: "×",
    },
    { name: "memory of a worker ÷ one thread", value: (peak("two") - peak("one")) / 2 / peak("one"), unit: "×" },
  ];
  const timings = (["wall", "cpu"] as const).flatMap((of) =>
    (["one", "two", "as it chooses"] as const).map((way) => timing(way, of)),
  );
  return {
    name,
    timings,
    metrics,
    notes: [`peak ${peak("one").toFixed(0)} MB, with two ${peak("two").toFixed(0)} MB`],
  };
}
