import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Result, err, ok } from "../../kernel/result.ts";
import { readText } from "../../kernel/files/read.ts";
import { startedCommand } from "../../kernel/files/script-command.ts";
import { isCi } from "../../kernel/write-policy.ts";
import type { CliIo } from "../terminal/io.ts";
import { printDiagnostics } from "../terminal/print.ts";
import type { DetectedProject } from "./detect-project.ts";
import type { PlannedFile } from "./plan-init.ts";
import { type SampleFile, sampleFiles, sampleTestPath } from "./sample-step.ts";

/** Part of the sample step that the demo changes, and the change. */
const [BEFORE, AFTER] = ["\\btoday\\b", "\\bnow\\b"];

const REPORT = "veritest-report";

/** Paths of the sample that a demo runs, and its runner. */
export interface Demo {
  readonly project: DetectedProject;
  readonly step: string;
  readonly test: string;
  /** Program and its arguments before the test's path. */
  readonly runner: readonly string[];
  /** Variables that the runner needs. */
  readonly variables: NodeJS.ProcessEnv;
}

/**
 * Returns the paths of a project's sample, which `planned` files write or an earlier `init` wrote. The error is a
 * sentence on why there is no demo.
 */
export function demoSampleOf(
  project: DetectedProject,
  planned: readonly PlannedFile[],
  environment: NodeJS.ProcessEnv,
): Result<Pick<Demo, "step" | "test">, string> {
  if (isCi(environment)) return err("--demo captures baselines, which CI never writes. Run it on your machine.");
  const test = sampleTestPath(project);
  const [step] = test === undefined ? [] : sampleFiles(project, test);
  const isThere = planned.some(({ path }) => path === step?.path) || isSame(step, project.root);
  return test === undefined || step === undefined || !isThere
    ? err(
        "--demo changes the sample step that init writes, but this project doesn't have that step, or it was edited. " +
          "Run --demo in a new project.",
      )
    : ok({ step: step.path, test });
}

function isSame(step: SampleFile | undefined, root: string): boolean {
  return step !== undefined && readText(join(root, step.path)) === step.text;
}

/**
 * Captures the sample, then runs its test with a changed step, so that the run ends in a failure and a page. Restores
 * the step, and leaves no pending change. Returns the lines to print. The error is one sentence.
 */
export function runDemo(demo: Demo, io: CliIo): Result<readonly string[], string> {
  const path = join(demo.project.root, demo.step);
  const text = readFileSync(path, "utf8");
  const command = [...demo.runner, demo.test].join(" ");
  if (runTests(demo, io, {}) !== 0)
    return err(`${command} failed, and its output is above. The demo needs a test that passes.`);
  const state = mkdtempSync(join(tmpdir(), "veritest-demo-"));
  try {
    writeFileSync(path, text.replace(BEFORE, AFTER));
    const status = runTests(demo, io, {
      VERITEST_REPORT: "html",
      VERITEST_REPORT_DIR: REPORT,
      VERITEST_STATE_DIR: state,
    });
    if (status === 0)
      return err(`${command} passed although the step changed. Check that this configuration sets up veritest.`);
  } finally {
    writeFileSync(path, text);
    rmSync(state, { recursive: true, force: true });
  }
  return ok([
    `You get such a failure after a change. The demo replaced ${BEFORE} by ${AFTER} in ${demo.step}, ` +
      "and restored it.",
    "No change is pending.",
    `To see it as a page, open: ${REPORT}/report.html`,
    "",
  ]);
}

function runTests({ project, runner, test, variables }: Demo, io: CliIo, more: NodeJS.ProcessEnv): number | null {
  const { program, args, shell } = startedCommand([...runner, test]);
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: project.root,
    env: { ...io.environment, ...variables, ...more },
    encoding: "utf8",
    shell,
    stdio: io.stdout.isTTY === true ? "inherit" : "pipe",
  });
  printDiagnostics(io, `${stdout ?? ""}${stderr ?? ""}`);
  return status;
}
