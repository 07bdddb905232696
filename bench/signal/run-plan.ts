import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readReport } from "../../e2e/harness/report.ts";
import type { ReportCase } from "../../src/explain/report-case.ts";
import { parseRunModel } from "../../src/reporter/parse-run-model.ts";
import { type RunnerKind, type RunnerProject, createProject } from "../runner-project.ts";
import type { PlannedCase } from "./plan.ts";
import { testFile } from "./test-file.ts";

/** What a runner said of one test. */
export interface TestOutcome {
  readonly passed: boolean;
  /** What it printed of a failure; empty for a test that passed. */
  readonly message: string;
  /** What veritest's report says of its check; undefined where there was none to make. */
  readonly told: ReportCase | undefined;
}

/** What came of every planned case, by title: on the step as it was, and as it is. */
export interface PlanOutcomes {
  readonly same: ReadonlyMap<string, TestOutcome>;
  readonly after: ReadonlyMap<string, TestOutcome>;
}

const FILES = 6;
const CAP_SECONDS = 1800;

/** Runs a plan on a runner: captures what was, checks that again, then what is. Throws where capturing fails. */
export async function runPlan(kind: RunnerKind, plan: readonly PlannedCase[]): Promise<PlanOutcomes> {
  const names = Array.from({ length: FILES }, (_, file) => `signal-${file}`);
  const files = names.flatMap((name, file) => [
    [`${name}.test.js`, testFile(kind, `${name}.json`)] as const,
    [`${name}.json`, JSON.stringify(plan.filter((_, index) => index % FILES === file))] as const,
  ]);
  const project = createProject(kind, Object.fromEntries(files));
  try {
    writeFileSync(join(project.folder, ".gitignore"), "node_modules\n");
    const captured = await runPhase(kind, project, "capture");
    const [lost] = plan.filter(({ title }) => captured.get(title)?.passed !== true);
    if (lost !== undefined)
      throw new Error(
        `${kind} did not capture "${lost.title}":\n${captured.get(lost.title)?.message ?? "no such test"}`,
      );
    return { same: await runPhase(kind, project, "same"), after: await runPhase(kind, project, "after") };
  } finally {
    project.remove();
  }
}

type Phase = "capture" | "same" | "after";

/** Nothing but the first phase writes: what is found then is told as in CI. */
async function runPhase(
  kind: RunnerKind,
  { folder, run }: RunnerProject,
  phase: Phase,
): Promise<ReadonlyMap<string, TestOutcome>> {
  const report = join(folder, `${phase}.json`);
  const reports = join(folder, `${phase}-report`);
  const { output, stopped } = await run({
    tests: "signal-",
    setup: "veritest",
    flags:
      kind === "vitest"
        ? ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`]
        : ["--json", `--outputFile=${report}`, `--ci=${phase !== "capture"}`],
    env: {
      PHASE: phase,
      VERITEST_REPORT: "json",
      VERITEST_REPORT_DIR: reports,
      VERITEST_ACTOR: "human",
      XDG_STATE_HOME: join(folder, ".state"),
      ...(phase !== "capture" && { CI: "true" }),
    },
    capSeconds: CAP_SECONDS,
  });
  if (stopped) throw new Error(`${kind}, ${phase}: stopped after ${CAP_SECONDS} s.`);
  const told = toldOf(join(reports, "run.json"), output);
  const { statuses, failures } = readReport(readFileSync(report, "utf8"));
  return new Map(
    Object.entries(statuses).map(([title, status]) => [
      title,
      { passed: status === "passed", message: failures[title] ?? "", told: told.get(title) },
    ]),
  );
}

function toldOf(path: string, output: string): ReadonlyMap<string, ReportCase> {
  const model = parseRunModel(readFileSync(path, "utf8"), path);
  if (!model.ok) throw new Error(`${model.error}\n${output.slice(-2000)}`);
  return new Map(model.value.cases.map((one) => [one.test?.name ?? "", one]));
}
