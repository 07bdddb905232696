import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const CLI = fileURLToPath(new URL("../src/cli.ts", import.meta.url));

/** What a command came to. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
}

/** A project in a temporary directory, and veritest's command line in it, as a person on their own machine has it. */
export interface CliProject {
  readonly directory: string;
  /** Writes `veritest.config.ts`, whose `steps` is a function of this body. */
  configure(steps: string): void;
  /** Runs a command to its end and shows it: all that it printed, or the last lines of it. */
  veritest(argv: readonly string[], options?: VeritestOptions): Ended;
  remove(): void;
}

interface VeritestOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** How many lines are shown; all unless given. */
  readonly lines?: number;
}

/** Makes an empty project. */
export function createCliProject(): CliProject {
  const directory = mkdtempSync(join(tmpdir(), "veritest-example-"));
  writeFileSync(join(directory, "package.json"), '{ "type": "module" }');
  return {
    directory,
    configure: (steps) =>
      writeFileSync(join(directory, "veritest.config.ts"), `export default { steps: async () => {\n${steps}\n} };\n`),
    veritest: (argv, { env: more = {}, lines = Infinity } = {}) => {
      const own = { VERITEST_ACTOR: "human", VERITEST_STATE_DIR: join(directory, "state"), CI: "" };
      const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...argv], {
        cwd: directory,
        env: { ...process.env, ...own, ...more },
        encoding: "utf8",
      });
      console.log(`\n$ veritest ${argv.join(" ")}\n${stdout.split("\n").slice(-lines).join("\n")}${stderr}`);
      return { code: status, out: stdout };
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}
