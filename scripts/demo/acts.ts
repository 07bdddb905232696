import { readFileSync } from "node:fs";
import { join } from "node:path";
import { writeInto } from "../trial/create-trial.ts";
import { type NodeRun, runNode } from "../trial/run-node.ts";
import { type BaselineFiles, changedFiles, readBaselines } from "./baseline-files.ts";
import type { DemoRunner } from "./runners.ts";

/** Number of baselines that the demo must capture at least to be worth showing. */
const ENOUGH = 200;

/** The bug of the demo: a regular expression loses its `i`, as happens in a clean-up. */
const BUG = {
  file: "steps/readme/find-licence.ts",
  before: "/licen[sc]|copyright/i",
  after: "/licen[sc]|copyright/",
} as const;

/** A demo on its way. */
export interface Demo {
  readonly project: string;
  readonly runner: DemoRunner;
}

/** Shows a first run, which captures a baseline per document. */
export async function capture(demo: Demo): Promise<void> {
  printAct("1/5", "First run: every README gets a baseline.");
  const { code } = await run(demo, demo.runner.run);
  expectCode(code, 0);
  const count = readBaselines(demo.project).size;
  if (count < ENOUGH) throw new Error(`${count} baselines were captured, expected ${ENOUGH} at least.`);
}

/** Shows that no baseline changed; `act` numbers it. */
export async function repeat(demo: Demo, act: string): Promise<void> {
  printAct(act, "Run again: all clean, no file touched.");
  const before = readBaselines(demo.project);
  const { code } = await run(demo, demo.runner.run);
  expectCode(code, 0);
  expectChanges(before, readBaselines(demo.project), 0);
}

/** Puts the bug in and shows what it breaks. Returns how many baselines it changes. */
export async function breakStep(demo: Demo): Promise<number> {
  printAct("3/5", `Now a bug: a regular expression in ${BUG.file} loses its "i".`);
  console.log(`  - ${BUG.before}\n  + ${BUG.after}\n`);
  const source = readFileSync(join(demo.project, BUG.file), "utf8");
  if (!source.includes(BUG.before)) throw new Error(`${BUG.file} no longer holds ${BUG.before}: choose another bug.`);
  writeInto(demo.project, BUG.file, source.replace(BUG.before, BUG.after));
  const before = readBaselines(demo.project);
  const { code, output } = await run(demo, demo.runner.checkAll);
  expectCode(code, 1);
  expectChanges(before, readBaselines(demo.project), 0);
  const changed = /(\d+) of \d+ baselines changed/.exec(output)?.[1];
  if (changed === undefined) throw new Error("The failure does not say how many baselines changed.");
  return Number(changed);
}

/** Accepts the `changed` baselines. */
export async function accept(demo: Demo, changed: number): Promise<void> {
  printAct("4/5", "Were it meant, -u would accept it: the change is then one to read in git diff.");
  const before = readBaselines(demo.project);
  const { code } = await run(demo, [...demo.runner.run, "-u"]);
  expectCode(code, 0);
  expectChanges(before, readBaselines(demo.project), changed);
}

async function run({ project, runner }: Demo, args: readonly string[]): Promise<NodeRun> {
  console.log(`$ npx ${[runner.name, ...args.map((arg) => (arg.includes(" ") ? `"${arg}"` : arg))].join(" ")}`);
  return runNode({ directory: project, args: [runner.script, ...args], show: true });
}

function printAct(act: string, text: string): void {
  console.log(`\n── ${act}  ${text}`);
}

function expectCode(code: number, wanted: number): void {
  if (code !== wanted) throw new Error(`The run ended with exit code ${code}, expected ${wanted}.`);
}

function expectChanges(before: BaselineFiles, after: BaselineFiles, wanted: number): void {
  const { length } = changedFiles(before, after);
  if (length !== wanted) throw new Error(`The run changed ${length} baseline files, expected ${wanted}.`);
}
