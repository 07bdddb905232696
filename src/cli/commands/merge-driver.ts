import { projectRoot } from "../../kernel/files/project-paths.ts";
import { driverLines, installDriver } from "../init/install-driver.ts";
import type { CommandInput } from "../terminal/command-input.ts";
import type { CliCommand } from "../command.ts";
import { EXIT, type ExitCode } from "../terminal/exit-code.ts";
import type { CliIo } from "../terminal/io.ts";
import { printRefusal, printLines } from "../terminal/print.ts";

const EXAMPLES = ["veritest merge-driver install   # in each clone: a line in .gitattributes, two settings of git"];

/** `veritest merge-driver`: configures git to merge baselines field by field. */
export const mergeDriverCommand: CliCommand = {
  examples: EXAMPLES,
  commands: [
    { name: "install", summary: "set up git in this clone to merge baselines", examples: EXAMPLES, run: install },
  ],
};

function install(_input: CommandInput, io: CliIo): ExitCode {
  const done = installDriver(projectRoot(io.cwd));
  if (!done.ok) return printRefusal(io, done.error);
  printLines(io, driverLines(done.value));
  return EXIT.clean;
}
