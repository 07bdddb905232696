import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { BenchGroup, Row } from "../bench-group.ts";
import { pairedRuns } from "../paired-runs.ts";
import { type ChildRun, runChild } from "../run-child.ts";
import { type Timing, extraOf, ratioOf } from "../timing.ts";

const ROUNDS = 3;
const [SMALL, LARGE] = [5000, 20_000] as const;
const CAP_SECONDS = 300;
const REPOSITORY = dirname(dirname(import.meta.dirname));

const CONFIG = `import { defineStep } from "veritest";
const any = { "~standard": { version: 1, vendor: "bench", validate: (value) => ({ value }) } };
const run = (input) => ({ output: { answer: input, words: ["one", "two", "three"], total: "42.90" } });
export default { steps: [defineStep({ name: "small", input: any, output: any, run })] };
`;

/** Captures ever more cases with one command of the built package. */
export const capture: BenchGroup = {
  name: "capture",
  question: "Does a case take longer to capture if there are more of them?",
  run: async () => [await growthRow()],
};

async function growthRow(): Promise<Row> {
  // One case is what the command takes to start.
  const variants = new Map([1, SMALL, LARGE].map((count) => [String(count), async () => captureCases(count)]));
  const { of } = await pairedRuns(variants, {
    rounds: ROUNDS,
    problemOf: (count, { exitCode, output }) =>
      exitCode === 0 && output.includes(`${count} written`) ? undefined : `ended with ${exitCode}`,
  });
  const perCase = (count: number): Timing =>
    extraOf(`one of ${count.toLocaleString("en")} cases`, [of(String(count)), of("1")], count - 1);
  const [small, large] = [perCase(SMALL), perCase(LARGE)];
  return {
    name: "growth 5,000 to 20,000 cases",
    timings: [small, large],
    metrics: [{ name: "per case", value: ratioOf(large, small), unit: "×" }],
    notes: [],
  };
}

async function captureCases(count: number): Promise<ChildRun> {
  const folder = mkdtempSync(join(tmpdir(), "veritest-bench-"));
  try {
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(REPOSITORY, join(folder, "node_modules", "veritest"));
    const inputs = Array.from({ length: count }, (_, index) => ({
      index,
      text: `Receipt number ${index} of the shop`,
    }));
    const files = {
      "package.json": "{}",
      "veritest.config.mjs": CONFIG,
      "inputs.jsonl": inputs.map((input) => JSON.stringify(input)).join("\n"),
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    return await runChild({
      command: [
        process.execPath,
        join(REPOSITORY, "dist", "cli.js"),
        "capture",
        "--step=small",
        "--input=inputs.jsonl",
      ],
      cwd: folder,
      env: { XDG_STATE_HOME: join(folder, "state") },
      capSeconds: CAP_SECONDS,
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
