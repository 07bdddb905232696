import { TRANSFORM } from "../trial/jest-transform.ts";
import { testFile } from "./project-files.ts";

/** A test runner as the demo drives it. */
export interface DemoRunner {
  readonly name: string;
  readonly packages: readonly string[];
  readonly files: ReadonlyMap<string, string>;
  /** The runner's script, relative to the project. */
  readonly script: string;
  readonly run: readonly string[];
  /** Runs only the check of all baselines. */
  readonly checkAll: readonly string[];
}

/** Time for one test, in ms: the last one checks all baselines, which takes a slow machine more than the usual 5 s. */
const TEST_TIMEOUT = 60_000;

const VITEST_CONFIG = `import { defineConfig } from "vitest/config";
import { veritest } from "veritest/plugin";

export default defineConfig({ plugins: [veritest()], test: { testTimeout: ${TEST_TIMEOUT} } });
`;

const JEST_CONFIG = `module.exports = {
  preset: "veritest/jest",
  testTimeout: ${TEST_TIMEOUT},
  verbose: false,
  transform: { "\\\\.ts$": "./transform.cjs" },
};
`;

/** Vitest, with the plugin. */
export const VITEST: DemoRunner = {
  name: "vitest",
  packages: ["vitest", "zod"],
  files: new Map([
    ["package.json", `{ "private": true, "type": "module" }\n`],
    ["vitest.config.ts", VITEST_CONFIG],
    ["readmes.test.ts", testFile([`import { expect, test } from "vitest";`])],
  ]),
  script: "node_modules/vitest/vitest.mjs",
  run: ["run"],
  checkAll: ["run", "-t", "no regressions", "--hideSkippedTests"],
};

/** Jest, with the preset. */
export const JEST: DemoRunner = {
  name: "jest",
  packages: ["jest", "typescript", "zod"],
  files: new Map([
    ["package.json", `{ "private": true }\n`],
    ["jest.config.cjs", JEST_CONFIG],
    ["transform.cjs", TRANSFORM],
    ["readmes.test.ts", testFile([])],
  ]),
  script: "node_modules/jest/bin/jest.js",
  run: [],
  checkAll: ["-t", "no regressions"],
};
