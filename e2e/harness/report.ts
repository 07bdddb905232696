import { z } from "zod";

const reportSchema = z.object({
  success: z.boolean(),
  snapshot: z.object({ added: z.number(), matched: z.number(), unmatched: z.number(), updated: z.number() }),
  testResults: z.array(
    z.object({
      message: z.string(),
      assertionResults: z.array(
        z.object({ fullName: z.string(), status: z.string(), failureMessages: z.array(z.string()).nullish() }),
      ),
    }),
  ),
});

/** A run as both runners' JSON reports tell it. */
export interface Report {
  /** `passed`, `failed`, `pending` or `skipped` by the test's full name; of several tests so named, the last. */
  readonly statuses: Readonly<Record<string, string>>;
  /** The messages of each failed test, without stack traces. */
  readonly failures: Readonly<Record<string, string>>;
  /** Troubles of whole test files. */
  readonly fileTroubles: readonly string[];
  /** The runner's own counters. */
  readonly snapshot: {
    readonly added: number;
    readonly matched: number;
    readonly unmatched: number;
    readonly updated: number;
  };
}

/** Reads the JSON report of Vitest or Jest. */
export function readReport(text: string): Report {
  const { snapshot, testResults } = reportSchema.parse(JSON.parse(text));
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const failed = tests.filter(({ status }) => status === "failed");
  return {
    statuses: Object.fromEntries(tests.map(({ fullName, status }) => [fullName, status])),
    failures: Object.fromEntries(
      failed.map(({ fullName, failureMessages }) => [fullName, (failureMessages ?? []).map(withoutStack).join("\n\n")]),
    ),
    fileTroubles: testResults
      .filter(({ assertionResults, message }) => assertionResults.length === 0 && message !== "")
      .map(({ message }) => message),
    snapshot,
  };
}

function withoutStack(message: string): string {
  return message
    .replace(/\n\s+at [\s\S]*$/, "")
    .replace(/^Error: /, "")
    .trimEnd();
}
