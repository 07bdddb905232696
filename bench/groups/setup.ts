import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { BenchGroup, Row } from "../bench-group.ts";
import { pairedRuns } from "../paired-runs.ts";
import { type RunnerKind, createProject } from "../runner-project.ts";
import { extraOf, median } from "../timing.ts";

const ROUNDS = 3;
/** Says what its thread has spent so far, where a file is named for it. */
const TINY = `test("one", () => {
  expect(1).toBe(1);
  const { user, system } = process.threadCpuUsage();
  if (process.env.SPENT) process.getBuiltinModule("node:fs").appendFileSync(process.env.SPENT, (user + system) / 1000 + "\\n");
});
`;
const FLAGS: Readonly<Record<RunnerKind, readonly string[]>> = {
  // Threads are isolated as forks are, and their start is less of a noise.
  vitest: ["--pool=threads", "--maxWorkers=1"],
  jest: ["--runInBand"],
};

/** Runs many test files that use nothing of veritest but have its set-up. */
export const setup: BenchGroup = {
  name: "setup",
  question: "What does veritest's set-up cost per test file beyond a bare expect.extend?",
  run: async ({ full }) => [await measureRunner("vitest", full ? 40 : 10), await measureRunner("jest", 40)],
};

async function measureRunner(kind: RunnerKind, files: number): Promise<Row> {
  const many = Array.from({ length: files }, (_, index) => [`many-${index}.test.js`, TINY] as const);
  const { folder, run, remove } = createProject(kind, { ...Object.fromEntries(many), "single.test.js": TINY });
  const flags = FLAGS[kind];
  const spent = { bare: join(folder, "bare.txt"), veritest: join(folder, "veritest.txt") };
  try {
    const variants = new Map([
      ["bare", async () => run({ tests: "many-", setup: "bare", flags, env: { SPENT: spent.bare } })],
      ["veritest", async () => run({ tests: "many-", setup: "veritest", flags, env: { SPENT: spent.veritest } })],
      ["bare once", async () => run({ tests: "single", setup: "bare", flags })],
      ["veritest once", async () => run({ tests: "single", setup: "veritest", flags })],
    ]);
    const { of, factor } = await pairedRuns(variants, {
      rounds: ROUNDS,
      problemOf: (_, { exitCode }) => (exitCode === 0 ? undefined : `ended with ${exitCode}`),
    });
    const once = extraOf("once per run", [of("veritest once"), of("bare once")], 1);
    const whole = extraOf("whole", [of("veritest"), of("bare")], 1);
    const perFile = extraOf("each further test file", [whole, once], files - 1);
    const metrics = [
      { name: "reference time", value: median(perFile.rounds) / factor, unit: "ms" },
      // Jest's test files share a thread, so that what one has spent holds what those before it have.
      ...(kind === "vitest"
        ? [
            {
              name: "reference time of the worker",
              value: (median(readNumbers(spent.veritest)) - median(readNumbers(spent.bare))) / factor,
              unit: "ms",
            },
          ]
        : []),
    ];
    return { name: kind, timings: [perFile, once], metrics, notes: [] };
  } finally {
    remove();
  }
}

function readNumbers(path: string): number[] {
  return readFileSync(path, "utf8").trim().split("\n").map(Number);
}
