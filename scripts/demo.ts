/**
 * Shows the main job on documents that weren't written for it: the READMEs of the installed packages. `npm run demo`
 * uses Vitest; `npm run demo -- --jest` uses Jest, `--keep` keeps the project so that you can look at it.
 */
import { rmSync } from "node:fs";
import { type Demo, accept, breakStep, capture, repeat } from "./demo/acts.ts";
import { installedReadmes } from "./demo/installed-readmes.ts";
import { stepFiles } from "./demo/project-files.ts";
import { JEST, VITEST } from "./demo/runners.ts";
import { createTrial } from "./trial/create-trial.ts";
import { ensureBuilt } from "./trial/ensure-built.ts";

async function play(demo: Demo): Promise<void> {
  await capture(demo);
  await repeat(demo, "2/5");
  const changed = await breakStep(demo);
  await accept(demo, changed);
  await repeat(demo, "5/5");
  console.log(`Done: ${changed} baselines changed by one lost letter, each named with what changed in it.`);
}

async function main(options: readonly string[]): Promise<void> {
  ensureBuilt("vitest.js", "build:js");
  const runner = options.includes("--jest") ? JEST : VITEST;
  const readmes = installedReadmes();
  const project = createTrial(runner.packages, new Map([...runner.files, ...stepFiles(), ...readmes]));
  console.log(
    `A fresh project with the README files of ${readmes.size} installed packages and a step that reads them.`,
  );
  try {
    await play({ project, runner });
  } finally {
    if (options.includes("--keep")) console.log(`The project is kept in ${project}`);
    else rmSync(project, { recursive: true, force: true });
  }
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(`\nThe demo failed: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
