import { SCHEMA_VERSION } from "../store/sql-schema.ts";
import type { CommandInput } from "../../../cli/terminal/command-input.ts";
import type { CliCommand } from "../../../cli/command.ts";
import { EXIT, type ExitCode } from "../../../cli/terminal/exit-code.ts";
import type { CliIo } from "../../../cli/terminal/io.ts";
import { printLines } from "../../../cli/terminal/print.ts";
import { STORE_OPTIONS, runWithStore } from "./run-with-store.ts";

const EXAMPLES = [
  "veritest store init --store postgres://me@localhost/app   # can be run again, also by several processes",
  "veritest store init --store sqlite:runs.sqlite",
];

/** `veritest store init`: creates or migrates a store's tables. */
export const storeCommand: CliCommand = {
  examples: EXAMPLES,
  commands: [
    {
      name: "init",
      summary: "create the tables of stored runs, or bring them up to date",
      options: STORE_OPTIONS,
      examples: EXAMPLES,
      run: init,
    },
  ],
};

async function init(input: CommandInput, io: CliIo): Promise<ExitCode> {
  const use = async (): Promise<ExitCode> => {
    printLines(io, [`The store is ready, schema version ${SCHEMA_VERSION}.`]);
    return EXIT.clean;
  };
  return runWithStore(input, io, { init: true, use });
}
