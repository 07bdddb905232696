import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { z } from "zod";

/** A test that failed, or a file that did not load (then without a title). */
export interface FailedTest {
  /** From the project's root. */
  readonly file: string;
  readonly title: string;
  /** The complete message of the runner. */
  readonly message: string;
}

/** Fields of a Vitest JSON report that are read. */
export interface TestReport {
  readonly passed: number;
  readonly failed: number;
  readonly failures: readonly FailedTest[];
}

const REPORT = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      message: z.string().optional(),
      assertionResults: z.array(
        z.object({ status: z.string(), fullName: z.string(), failureMessages: z.array(z.string()).nullish() }),
      ),
    }),
  ),
});

function listFailures({ testResults }: z.infer<typeof REPORT>): readonly FailedTest[] {
  return testResults.flatMap(({ name, message = "", assertionResults }) => {
    const failed = assertionResults.filter(({ status }) => status === "failed");
    const file = relative(process.cwd(), name);
    if (failed.length === 0) return message === "" ? [] : [{ file, title: "", message }];
    return failed.map(({ fullName, failureMessages }) => ({
      file,
      title: fullName,
      message: (failureMessages ?? []).join("\n"),
    }));
  });
}

/** Reads a Vitest JSON report; throws if the run wrote none. */
export function readTestReport(path: string): TestReport {
  const report = REPORT.parse(JSON.parse(readFileSync(path, "utf8")));
  return { passed: report.numPassedTests, failed: report.numFailedTests, failures: listFailures(report) };
}
