import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BenchGroup, BenchOptions, Metric, Row } from "../bench-group.ts";
import { documentOf, withOneChange } from "../data/entities.ts";
import { pairedRuns } from "../paired-runs.ts";
import type { ChildRun } from "../run-child.ts";
import { type RunnerKind, type RunnerProject, createProject } from "../runner-project.ts";
import { extraOf, median } from "../timing.ts";

const ROUNDS = 3;

/** Runs one test that fails on 1 MB. */
export const failing: BenchGroup = {
  name: "failing",
  question: "What does a failing test of a 1 MB value cost beyond a passing one, and what does it print?",
  run: async (options) => [...(await measureRunner("vitest", options)), ...(await measureRunner("jest", options))],
};

const READ =
  'const read = (name) => JSON.parse(process.getBuiltinModule("node:fs").readFileSync(process.cwd() + "/" + name + ".json", "utf8"));';
const TEST = (line: string): string =>
  `${READ}\ntest("one", async () => {\n  const found = read(process.env.FOUND), stored = read("stored");\n  ${line}\n});\n`;
const FILES = {
  "empty.test.js": TEST("expect(found.items.length).toBe(stored.items.length);"),
  "veritest.test.js": TEST('await expect(found).toMatchBaseline({ name: "one" });'),
  "equal.test.js": TEST("expect(found).toEqual(stored);"),
};
const CHANGES = { changed: "one field changed", reversed: "array reversed" } as const;
type Change = keyof typeof CHANGES;

async function measureRunner(kind: RunnerKind, options: BenchOptions): Promise<readonly Row[]> {
  const project = createProject(kind, FILES);
  try {
    const stored = documentOf(4900);
    writeJson(project, "stored", stored);
    writeJson(project, "changed", withOneChange(stored));
    writeJson(project, "reversed", { items: stored.items.toReversed() });
    const { exitCode, output } = await project.run({
      tests: "veritest.test",
      setup: "veritest",
      env: { FOUND: "stored" },
    });
    if (exitCode !== 0) throw new Error(`failing: the value was not captured:\n${output.slice(-2000)}`);
    return [
      await measureChange(project, { kind, change: "changed", ...options }),
      await measureChange(project, { kind, change: "reversed", ...options }),
    ];
  } finally {
    project.remove();
  }
}

function writeJson({ folder }: RunnerProject, name: string, value: object): void {
  writeFileSync(join(folder, `${name}.json`), JSON.stringify(value));
}

interface Question extends BenchOptions {
  readonly kind: RunnerKind;
  readonly change: Change;
}

async function measureChange({ run }: RunnerProject, { kind, change, full }: Question): Promise<Row> {
  const env = { FOUND: change };
  const printed = new Map<string, number>();
  const variants = new Map([
    ["empty", async () => run({ tests: "empty.test", setup: "veritest", env })],
    ["veritest", async () => run({ tests: "veritest.test", setup: "veritest", env })],
  ]);
  const { of, factor } = await pairedRuns(variants, {
    rounds: ROUNDS,
    problemOf: (name, { exitCode, output }) => {
      printed.set(name, linesOf(output));
      return (exitCode === 0) === (name === "empty") ? undefined : `ended with ${exitCode}`;
    },
  });
  const capSeconds = full ? 120 : 10;
  const peer = await run({ tests: "equal.test", setup: "veritest", env, capSeconds });
  const ours = extraOf("toMatchBaseline", [of("veritest"), of("empty")], 1);
  const metrics: readonly Metric[] = [
    { name: "reference time", value: median(ours.rounds) / factor, unit: "ms" },
    {
      name: "printed lines",
      value: (printed.get("veritest") ?? Number.NaN) - (printed.get("empty") ?? 0),
      unit: "lines",
    },
  ];
  return {
    name: `${kind}, ${CHANGES[change]}`,
    timings: [ours],
    metrics,
    notes: [peerNote(peer, median(of("empty").rounds))],
  };
}

function peerNote({ stopped, cpu, output }: ChildRun, empty: number): string {
  if (stopped) return `toEqual, one run: stopped after ${cpu / 1000} s`;
  return `toEqual, one run: +${((cpu - empty) / 1000).toFixed(2)} s of CPU time, ${(output.length / 1e6).toFixed(2)} MB and ${linesOf(output)} lines printed`;
}

function linesOf(output: string): number {
  return output.split("\n").length;
}
