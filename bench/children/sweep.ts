/** Prints what going through stored baselines costs in a fresh process: `sweep.ts root veritest|parse`. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { cpuUsage, resourceUsage } from "node:process";
import { openLibrary } from "../../src/baseline/baseline-library.ts";
import { groupDirectory } from "../../src/baseline/baseline-paths.ts";
import { SMALL_STEP } from "../data/stored-steps.ts";
import { checkStoredCase } from "../../test-support/check-stored-case.ts";

const [root = "", how = ""] = process.argv.slice(2);
// Where tests run: baselines lie below the working directory.
process.chdir(root);
globalThis.gc?.();
const peakBefore = resourceUsage().maxRSS;
const started = cpuUsage();
const first = { cpu: Number.NaN };

function spent(): number {
  const { user, system } = cpuUsage(started);
  return (user + system) / 1000;
}

async function sweep(): Promise<number> {
  let clean = 0;
  for (const stored of openLibrary(root).each(SMALL_STEP.name)) {
    const { verdict } = await checkStoredCase(SMALL_STEP, stored, { root });
    if (clean === 0) first.cpu = spent();
    if (verdict.kind === "clean") clean += 1;
  }
  return clean;
}

function parse(): number {
  const directory = join(root, groupDirectory(SMALL_STEP.name));
  return readdirSync(directory).filter(
    (name) => typeof JSON.parse(readFileSync(join(directory, name), "utf8")) === "object",
  ).length;
}

const count = how === "veritest" ? await sweep() : parse();
console.log(
  JSON.stringify({ cpu: spent(), first: first.cpu, count, peakMegabytes: (resourceUsage().maxRSS - peakBefore) / 1e3 }),
);
