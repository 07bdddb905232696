import { randomUUID } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { REPOSITORY, fixtureDirectory, installDirectory, must } from "./install.ts";
import { type Report, readReport } from "./report.ts";
import { type ChildResult, type Interruption, runChild } from "./run-child.ts";
import { type Runner, isFull } from "./runners.ts";
import { toCommonJs } from "./to-common-js.ts";
import { readTree } from "./tree.ts";
import { type Watch, startWatch } from "./watch.ts";

/** How a project is run. */
export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly uid?: number;
  /** Cuts the run off, which may then leave no report: it tells of no tests. */
  readonly interrupt?: Interruption;
  /** True where the runner may die of what its tests do, and leave no report either. */
  readonly mayDie?: boolean;
}

/** A run that ended. */
export interface Run extends Report {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** What our reporter printed below the runner's own summary. */
  readonly summary: string;
}

/** A fresh folder in which a runner's project runs. */
export interface Project {
  readonly folder: string;
  /**
   * Writes files by their paths. Modules are written as ES modules with the runner called "runner"; for Jest they
   * become CommonJS, unless `asIs`.
   */
  write(files: Readonly<Record<string, string>>, options?: { readonly asIs?: boolean }): void;
  read(path: string): string;
  remove(path: string): void;
  run(args?: readonly string[], options?: RunOptions): Promise<Run>;
  /**
   * Captures the baselines of the tests, which have to pass. All runners write the same bytes, as capture.test.ts proves.
   * So one run captures for all projects of a test file that have the same written files; the others get copies. With
   * `VERITEST_E2E=full`, each project has its own run.
   */
  capture(): Promise<void>;
  /** Runs the runner with these arguments alone, without reporters of the harness. `command` is Vitest's. */
  runAs(
    args: readonly string[],
    options?: Pick<RunOptions, "env"> & { readonly command?: "run" | "related" | "watch" },
  ): Promise<ChildResult>;
  /** Starts the runner in watch mode. It stops when the test ends. */
  watch(): Watch;
  /** Runs the installed command line. */
  cli(args: readonly string[], options?: Pick<RunOptions, "env">): Promise<ChildResult>;
  /** Runs git in the project, which `git("init")` makes a repository; returns what it printed. */
  git(...args: string[]): Promise<string>;
  /** Every file with a hash of its bytes. */
  tree(): Record<string, string>;
  /** The paths of the baseline files. */
  baselines(): string[];
  /** The same without hash and extension, which is what tests can know beforehand. */
  cases(): string[];
}

/** Files that a capturing run added, by the files that were written before it. */
const captures = new Map<string, Readonly<Record<string, string>>>();

/** Makes a fresh project of a runner, with the shared steps in it; it goes when the test passed. */
export function createProject(runner: Runner): Project {
  const folder = join(installDirectory(runner), "work", randomUUID().slice(0, 8));
  cpSync(fixtureDirectory(runner), folder, { recursive: true });
  onTestFinished(({ task }) => {
    if (task.result?.state === "pass")
      for (const path of [folder, `${folder}-state`]) rmSync(path, { recursive: true, force: true });
  });
  const written = new Map<string, string | null>();
  const write: Project["write"] = (files, { asIs = false } = {}) => {
    for (const [path, text] of Object.entries(files)) {
      written.set(path, text);
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), asIs ? text : sourceFor(runner, path, text));
    }
  };
  const installed = (path: string): string => join(dirname(dirname(folder)), "node_modules", path);
  const baselines = (): string[] => Object.keys(readTree(folder)).filter((path) => path.includes("__baselines__/"));
  write({ "steps.js": readFileSync(join(REPOSITORY, "fixtures", "projects", "shared", "steps.js"), "utf8") });
  return {
    folder,
    write,
    read: (path) => readFileSync(join(folder, path), "utf8"),
    remove: (path) => {
      written.set(path, null);
      rmSync(join(folder, path), { recursive: true });
    },
    run: async (args = [], options = {}) => run(runner, folder, { args, options }),
    capture: async () => {
      const key = JSON.stringify([...written]);
      const copy = isFull ? undefined : captures.get(key);
      if (copy !== undefined) return write(copy, { asIs: true });
      const before = readTree(folder);
      expect(await run(runner, folder, { args: [], options: {} })).toMatchObject({ exitCode: 0, failures: {} });
      expect(baselines()).not.toEqual([]);
      const added = Object.keys(readTree(folder)).filter((path) => !Object.hasOwn(before, path));
      captures.set(key, Object.fromEntries(added.map((path) => [path, readFileSync(join(folder, path), "utf8")])));
    },
    runAs: async (args, { env, command = "run" } = {}) => {
      const [path = "", ...flags] = runner.kind === "vitest" ? ["vitest/vitest.mjs", command] : ["jest/bin/jest.js"];
      return runChild(process.execPath, [installed(path), ...flags, ...args], {
        cwd: folder,
        env: { ...machine(folder), ...env },
      });
    },
    watch: () => {
      const [path, flag] =
        runner.kind === "vitest" ? ["vitest/vitest.mjs", "--watch"] : ["jest/bin/jest.js", "--watchAll"];
      return startWatch([installed(path), flag], { cwd: folder, env: machine(folder) });
    },
    cli: async (args, { env } = {}) =>
      runChild(process.execPath, [installed("veritest/dist/cli.js"), ...args], {
        cwd: folder,
        env: { ...machine(folder), ...env },
      }),
    git: async (...args) =>
      must(
        "git",
        ["-c", "user.name=e2e", "-c", "user.email=e2e@localhost", "-c", "init.defaultBranch=main", ...args],
        folder,
      ),
    tree: () => readTree(folder),
    baselines,
    cases: () => baselines().map((path) => path.replace(/-[0-9a-f]{8}\.json$/, "")),
  };
}

function sourceFor({ kind }: Runner, path: string, text: string): string {
  if (!/\.[jt]s$/.test(path) || path.includes("config")) return text;
  if (kind === "vitest") return text.replaceAll('from "runner"', 'from "vitest"');
  return toCommonJs(text.replaceAll('from "runner"', 'from "@jest/globals"'));
}

/** A person at a terminal, whose notes of this project lie beside it and not in a home directory. */
function machine(folder: string): Record<string, string> {
  return { VERITEST_ACTOR: "human", XDG_STATE_HOME: `${folder}-state` };
}

async function run(
  { kind }: Runner,
  folder: string,
  { args, options }: { readonly args: readonly string[]; readonly options: RunOptions },
): Promise<Run> {
  const report = join(tmpdir(), `veritest-report-${randomUUID()}.json`);
  const command =
    kind === "vitest"
      ? ["vitest/vitest.mjs", "run", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`]
      : ["jest/bin/jest.js", "--json", `--outputFile=${report}`];
  // A test of a busy machine may take longer than the runner's own five seconds.
  const [script, ...flags] = [...command, "--testTimeout=120000"];
  const path = join(dirname(dirname(folder)), "node_modules", script);
  const { exitCode, stdout, stderr } = await runChild(process.execPath, [path, ...flags, ...args], {
    cwd: folder,
    ...options,
    env: { ...machine(folder), ...options.env },
  });
  const summary = summaryOf(`${stdout}\n${stderr}`);
  if (!existsSync(report) && (options.interrupt !== undefined || options.mayDie === true))
    return { ...UNREPORTED, exitCode, stdout, stderr, summary };
  if (!existsSync(report))
    throw new Error(`The run in ${folder} left no report (exit code ${exitCode}):\n${stdout}\n${stderr}`);
  const read = readReport(readFileSync(report, "utf8"));
  rmSync(report);
  return { ...read, exitCode, stdout, stderr, summary };
}

const UNREPORTED: Report = {
  statuses: {},
  failures: {},
  fileTroubles: [],
  snapshot: { added: 0, matched: 0, unmatched: 0, updated: 0 },
};

/**
 * The lines of our reporter: one that starts with "Baselines" and what is indented deeper below it. Wrapped lines are
 * one again, because where they are wrapped depends on the folder.
 */
function summaryOf(output: string): string {
  const lines = /^ {2}Baselines .*(?:\n {13}.*)*/m.exec(output)?.[0] ?? "";
  return lines.replaceAll(/\n {17}(?=\S)/g, " ").replace(/^ {2}/gm, "");
}
