import { SCHEMA_VERSION } from "../store/sql-schema.ts";
import type { CommandInput } from "../../../cli/terminal/command-input.ts";
import type { CliCommand } from "../../../cli/command.ts";
import { EXIT, type ExitCode } from "../../../cli/terminal/exit-code.ts";
import type { CliIo } from "../../../cli/terminal/io.ts";
import { printRefusal, printLines } from "../../../cli/terminal/print.ts";
import { STORE_OPTIONS, runWithStore } from "./run-with-store.ts";

/** `veritest store init`: creates or migrates a store's tables. */
export const storeCommand: CliCommand = {
  arguments: [{ name: "<action>", description: "what to do", choices: ["init"] }],
  options: STORE_OPTIONS,
  examples: [
    "veritest store init --url postgres://me@localhost/app   # safe to run again, and at once",
    "veritest store init --url sqlite:runs.sqlite",
  ],
  run,
};

async function run(input: CommandInput, io: CliIo): Promise<ExitCode> {
  if (input.operands[0] !== "init") return printRefusal(io, "store does one thing: init. See: veritest store --help");
  return runWithStore(input, io, async () => {
    printLines(io, [`The store is ready, schema version ${SCHEMA_VERSION}.`]);
    return EXIT.clean;
  });
}
