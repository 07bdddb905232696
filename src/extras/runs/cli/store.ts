import { SCHEMA_VERSION } from "../store/sql-schema.ts";
import type { CommandInput } from "../../../cli/terminal/command-input.ts";
import type { CliCommand } from "../../../cli/command.ts";
import { EXIT, type ExitCode } from "../../../cli/terminal/exit-code.ts";
import type { CliIo } from "../../../cli/terminal/io.ts";
import { refuse, say } from "../../../cli/terminal/say.ts";
import { STORE_OPTIONS, askStore } from "./ask-store.ts";

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
  if (input.operands[0] !== "init") return refuse(io, "store does one thing: init. See: veritest store --help");
  return askStore(input, io, async () => {
    say(io, [`The store is ready, schema version ${SCHEMA_VERSION}.`]);
    return EXIT.clean;
  });
}
