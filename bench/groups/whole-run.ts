import { performance } from "node:perf_hooks";
import type { BenchGroup, Row } from "../bench-group.ts";
import { pairedRuns } from "../paired-runs.ts";
import type { ChildRun } from "../run-child.ts";
import { type RunnerKind, createProject } from "../runner-project.ts";
import { extraOf, ratioOf } from "../timing.ts";

const ROUNDS = 9;

/** The one thing measured by the clock, because it is what somebody waits for: a goal that holds on a quiet machine. */
export const wholeRun: BenchGroup = {
  name: "whole-run",
  question: "How much longer does a run of one test take with veritest and one check, by the clock?",
  run: async () => [await measureRunner("vitest"), await measureRunner("jest")],
};

const VALUE = '{ total: "42.90", lines: [{ name: "Paper", quantity: 2 }] }';
const FILES = {
  "plain.test.js": `test("one", () => { expect(${VALUE}).toBeDefined(); });\n`,
  "veritest.test.js": `test("one", async () => { await expect(${VALUE}).toMatchBaseline({ name: "one" }); });\n`,
};

async function measureRunner(kind: RunnerKind): Promise<Row> {
  const { run, remove } = createProject(kind, FILES);
  try {
    const plain = async (): Promise<ChildRun> => run({ tests: "plain.test", setup: "none" });
    const checked = async (): Promise<ChildRun> => run({ tests: "veritest.test", setup: "veritest" });
    // The first one captures.
    await checked();
    const variants = new Map([
      ["without", async () => byTheClock(plain)],
      ["veritest", async () => byTheClock(checked)],
    ]);
    const { of } = await pairedRuns(variants, {
      rounds: ROUNDS,
      problemOf: (_, { exitCode }) => (exitCode === 0 ? undefined : `ended with ${exitCode}`),
    });
    const [ours, without] = [of("veritest"), of("without")];
    return {
      name: kind,
      timings: [ours, without, extraOf("more", [ours, without], 1)],
      metrics: [{ name: "÷ without", value: ratioOf(ours, without), unit: "×" }],
      notes: ["by the clock, the whole command"],
    };
  } finally {
    remove();
  }
}

async function byTheClock(run: () => Promise<ChildRun>): Promise<ChildRun> {
  const started = performance.now();
  return { ...(await run()), cpu: performance.now() - started };
}
