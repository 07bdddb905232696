import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type ChildRun, runChild } from "./run-child.ts";

/** The runners that are measured: those of this repository's own development dependencies. */
export type RunnerKind = "vitest" | "jest";

/** How one run of a project differs from another. */
export interface RunnerRequest {
  /** The test files: a part of their paths. */
  readonly tests: string;
  /** What the set-up adds: veritest as its users add it, a bare `expect.extend`, or nothing. */
  readonly setup: "veritest" | "bare" | "none";
  readonly env?: Readonly<Record<string, string>>;
  readonly flags?: readonly string[];
  readonly capSeconds?: number;
}

/** A folder outside of the repository that has the runner and the built veritest. */
export interface RunnerProject {
  readonly folder: string;
  readonly run: (request: RunnerRequest) => Promise<ChildRun>;
  readonly remove: () => void;
}

const REPOSITORY = dirname(import.meta.dirname);
/** The build to measure: another one than `dist/` where two are compared. */
const BUILD = process.env["BENCH_DIST"] ?? join(REPOSITORY, "dist");
const LINKED = ["vitest", "vite", "jest", "@jest", "zod", "commander"];
const SCRIPTS: Readonly<Record<RunnerKind, readonly string[]>> = {
  vitest: ["vitest/vitest.mjs", "run"],
  jest: ["jest/bin/jest.js"],
};

/**
 * Compares with a file that holds the JSON text, which it writes the first time: the least a baseline matcher can do.
 */
const BARE = `expect.extend({
  toMatchBare(received, name) {
    const fs = process.getBuiltinModule("node:fs");
    const path = process.cwd() + "/bare/" + name + ".json";
    const text = JSON.stringify(received);
    if (!fs.existsSync(path)) fs.writeFileSync(path, text);
    return { pass: fs.readFileSync(path, "utf8") === text, message: () => "another value" };
  },
});
`;

/** Makes a project with these files. Throws when veritest is not built. */
export function createProject(kind: RunnerKind, files: Readonly<Record<string, string>>): RunnerProject {
  if (!existsSync(join(BUILD, "vitest.js")))
    throw new Error("There is no build to measure. Make one first: npm run build");
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "veritest-bench-")));
  mkdirSync(join(folder, "node_modules", "veritest"), { recursive: true });
  mkdirSync(join(folder, "bare"));
  for (const name of LINKED) symlinkSync(join(REPOSITORY, "node_modules", name), join(folder, "node_modules", name));
  // A copy: a build that runs meanwhile must not change what is measured.
  for (const [name, source] of [
    ["dist", BUILD],
    ["package.json", join(REPOSITORY, "package.json")],
  ] as const) {
    cpSync(source, join(folder, "node_modules", "veritest", name), { recursive: true });
  }
  for (const [name, text] of Object.entries({
    ...files,
    ...CONFIGURATIONS[kind],
    "bare-setup.js": BARE,
    "package.json": "{}",
  }))
    writeFileSync(join(folder, name), text);
  return {
    folder,
    run: async (request) => run(kind, folder, request),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

const VITEST = (plugins: string, setupFiles: string): string =>
  `${plugins === "" ? "" : 'import { veritest } from "veritest/plugin";\n'}export default { plugins: [${plugins}], test: { globals: true, setupFiles: [${setupFiles}], include: ["**/*.test.js"] } };\n`;
const JEST = (settings: object): string => JSON.stringify({ transform: {}, testEnvironment: "node", ...settings });

// Not `veritest.config.mjs`: that is the name of veritest's own configuration.
const CONFIGURATIONS: Readonly<Record<RunnerKind, Readonly<Record<string, string>>>> = {
  vitest: {
    "none-runner.mjs": VITEST("", ""),
    "bare-runner.mjs": VITEST("", '"./bare-setup.js"'),
    "veritest-runner.mjs": VITEST("veritest()", ""),
  },
  jest: {
    "none-runner.json": JEST({}),
    "bare-runner.json": JEST({ setupFilesAfterEnv: ["./bare-setup.js"] }),
    "veritest-runner.json": JEST({ preset: "veritest/jest" }),
  },
};

async function run(
  kind: RunnerKind,
  folder: string,
  { tests, setup, env = {}, flags = [], capSeconds = 120 }: RunnerRequest,
): Promise<ChildRun> {
  const [script = "", ...command] = SCRIPTS[kind];
  const config = `--config=${setup}-runner.${kind === "vitest" ? "mjs" : "json"}`;
  return runChild({
    command: [process.execPath, join(REPOSITORY, "node_modules", script), ...command, config, ...flags, tests],
    cwd: folder,
    env,
    capSeconds,
  });
}
