import { join } from "node:path";
import { expect, test } from "vitest";
import { rerunCommand } from "./rerun-command.ts";

const context = {};

test("names the runner, the file from here, the test, and the mode if it must be live", () => {
  const testPath = join(process.cwd(), "steps", "a.test.ts");
  expect(
    rerunCommand(
      { ...context, testPath },
      { testFile: "a.test.ts", testName: "reads a receipt", needsLiveMode: false },
    ),
  ).toBe('npx vitest run steps/a.test.ts -t "reads a receipt" -u');
  expect(
    rerunCommand(
      { ...context, testPath, currentConcurrentTestName: () => undefined },
      { testFile: "a.test.ts", testName: "a", needsLiveMode: true },
    ),
  ).toBe('VERITEST_MODE=live npx jest steps/a.test.ts -t "a" -u');
});

test("what a shell or a pattern would read otherwise is any character", () => {
  const testName = 'totals "9.00" (€) for $HOME `rm` | \\d+ \u202e[x]';
  expect(rerunCommand(context, { testFile: "a b.test.ts", testName, needsLiveMode: false })).toBe(
    'npx vitest run "a b.test.ts" -t "totals .9.00. ... for .HOME .rm. . .d. ..x." -u',
  );
  const pattern =
    /-t "(.*)" -u$/.exec(rerunCommand(context, { testFile: "a", testName, needsLiveMode: false }))?.[1] ?? "";
  expect(new RegExp(pattern).test(testName)).toBe(true);
});

test("a long name is cut: its beginning finds it", () => {
  expect(rerunCommand(context, { testFile: "a", testName: "x".repeat(1000), needsLiveMode: false })).toContain(
    `-t "${"x".repeat(200)}" -u`,
  );
});
