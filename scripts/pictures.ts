/**
 * Makes the pictures of README from a run of README's own example, `npm run pictures`: the terminal as an SVG, the
 * report page as a PNG. The page needs a Chromium on the PATH or in CHROMIUM_PATH.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { findBrowser } from "../test-support/find-browser.ts";
import { terminalSvg } from "./pictures/terminal-svg.ts";
import { applyChange } from "./readme/apply-change.ts";
import { readWalk } from "./readme/walk.ts";
import { createTrial, writeInto } from "./trial/create-trial.ts";
import { ensureBuilt } from "./trial/ensure-built.ts";
import { REPOSITORY } from "./trial/repository.ts";

const IMAGES = join(REPOSITORY, "docs/images");

/** Runs Vitest with colours, as in a terminal. Returns its lines. */
function runVitest(directory: string, more: Readonly<Record<string, string>>): readonly string[] {
  const env = { PATH: process.env["PATH"], HOME: process.env["HOME"], FORCE_COLOR: "1", COLUMNS: "100", ...more };
  const args = ["node_modules/vitest/vitest.mjs", "run"];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: directory, env, encoding: "utf8" });
  return `${stdout}\n${stderr}`.split("\n");
}

/** Returns the lines of the failing test's message, without the runner's code frame. */
function messageLines(lines: readonly string[]): readonly string[] {
  const from = lines.findIndex((line) => line.includes(" FAIL "));
  const to = lines.findIndex((line, index) => index > from && line.includes("❯"));
  if (from < 0 || to < 0) throw new Error("The run shows no failing test.");
  return lines.slice(from, to - 1);
}

/** Takes a picture of the report page with its only case open. */
async function photograph(report: string): Promise<void> {
  const executablePath = findBrowser();
  if (executablePath === undefined) throw new Error("No Chromium: name one by CHROMIUM_PATH.");
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  const page = await browser.newPage({ colorScheme: "light", viewport: { width: 960, height: 520 } });
  await page.goto(pathToFileURL(report).href);
  await page.locator("a.row").first().click();
  await page.screenshot({ path: join(IMAGES, "report.png") });
  await browser.close();
}

ensureBuilt("vitest.js", "build:js");
const walk = readWalk("README.md", "vitest");
const files = new Map([...walk.files, ["package.json", `{ "private": true, "type": "module" }`]]);
const project = createTrial(["vitest", "zod"], files);
try {
  runVitest(project, {});
  const { file, lines } = walk.change;
  writeInto(project, file, applyChange(readFileSync(join(project, file), "utf8"), lines));
  const shown = messageLines(runVitest(project, { VERITEST_MODE: "live", VERITEST_REPORT: "html" }));
  const svg = terminalSvg("A failing test", ["$ VERITEST_MODE=live npx vitest run", "", ...shown]);
  writeFileSync(join(IMAGES, "terminal.svg"), svg);
  await photograph(join(project, "veritest-report/report.html"));
} finally {
  rmSync(project, { recursive: true, force: true });
}
