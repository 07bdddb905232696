import { oneLine } from "../../kernel/printed.ts";
import { escapeText, truncate } from "../../kernel/text.ts";
import { type SettingsContext, changedSettings } from "./changed-settings.ts";
import { changedSteps } from "./changed-steps.ts";
import { changedTests } from "./changed-tests.ts";
import type { ChangedFile } from "./changes.ts";
import { type GateFinding, changesOfTests } from "./check-diff.ts";
import { type RunContext, type RunDiscard, discardOf, gitCall } from "./run-options.ts";

/**
 * The failure of changed tests and their data, of which the results show nothing. `counted` has the files whose tests
 * were counted; undefined if every check's tests were.
 */
export async function changedTestsFailure(
  context: RunContext,
  changes: readonly ChangedFile[],
  {
    data,
    counted,
    ...settings
  }: Omit<SettingsContext, "call"> & {
    readonly data: ReadonlySet<string>;
    readonly counted: ReadonlySet<string> | undefined;
  },
): Promise<RunDiscard | undefined> {
  const tests = await changesOfTests(changes, gitCall(context));
  if (!tests.ok) return discardOf("results", tests.error);
  const changed = [...data].map((path): GateFinding => {
    return { rule: "test-changed", path, line: undefined, detail: "the run changed data that only tests use" };
  });
  const uncounted = changes.filter(({ oldPath }) => counted?.has(oldPath) === false).map(({ path }) => path);
  return findingsFailure("results", [
    ...changedTests(tests.value, context.options.limits, new Set(uncounted)),
    ...changed,
    ...(await changedSettings(changes, { ...settings, call: gitCall(context) })),
    ...(await changedSteps(changes, gitCall(context))),
  ]);
}

/** The finding that no test of a check was counted. */
export function unmeasuredTests(check: string): GateFinding {
  const detail = `veritest couldn't count the tests: it only reads the results of Vitest, Jest and node --test`;
  return { rule: "tests-not-measured", path: check, line: undefined, detail };
}

/** The failure that findings cause; undefined if there are none. Safe to print. */
export function findingsFailure(gate: "diff" | "results", findings: readonly GateFinding[]): RunDiscard | undefined {
  if (findings.length === 0) return undefined;
  const details = findings.map(({ rule, path, line, detail }) => {
    const location = `${oneLine(path)}${line === undefined ? "" : `:${line}`}`;
    return `${location}: ${truncate(escapeText(detail).replaceAll("\n", " "), 200)} (${rule})`;
  });
  const what = gate === "diff" ? "the diff has" : "the test results have";
  const count = findings.length === 1 ? "one problem" : `${findings.length} problems`;
  const hints = HINTS.flatMap(([rule, hint]) => (findings.some((each) => each.rule === rule) ? [` ${hint}`] : []));
  return { gate, summary: `${what} ${count}.${hints.join("")}`, details };
}

/** Next steps for a person. */
const HINTS: readonly (readonly [GateFinding["rule"], string])[] = [
  [
    "expectation-changed",
    'To approve a changed test, a person can pass --approve-test "<name>", or all by --allow expectation-changed.',
  ],
  [
    "test-aware",
    "Code can behave differently under test if it uses more than its inputs. To approve this, a person can pass " +
      "--allow test-aware.",
  ],
  [
    "differs-outside-tests",
    "If the code needs Vite outside of tests, too, a person can pass --allow differs-outside-tests.",
  ],
  [
    "untested-code",
    "Add a test that executes the code. To commit code without a test, a person can pass --allow untested-code.",
  ],
  ["test-changed", 'To approve a test, a person can pass --approve-test "<name>", or all by --allow test-changed.'],
  ["check-changed", "To allow a changed check, a person can pass --allow check-changed."],
  ["tests-not-measured", "To commit without a count of the tests, a person can pass --allow-unmeasured."],
];
