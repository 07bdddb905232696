import { openStore } from "../../store/open-store.ts";
import type { RunStore } from "../../store/contract.ts";
import type { CommandInput } from "../command-input.ts";
import type { OptionSpec } from "../command.ts";
import type { ExitCode } from "../exit-code.ts";
import type { CliIo } from "../io.ts";
import { refuse } from "../say.ts";

/** How every command says which store it is about. */
export const STORE_OPTIONS: readonly OptionSpec[] = [
  {
    flags: "--url <url>",
    description: "the store: postgres://… or sqlite:<path> (VERITEST_STORE where it is left out)",
  },
  { flags: "--schema <name>", description: "the schema of PostgreSQL its tables are in (veritest)" },
];

/** Opens the store that is asked for, does something with it and closes it; where it cannot, says why. */
export async function askStore(
  input: CommandInput,
  io: CliIo,
  ask: (store: RunStore) => Promise<ExitCode>,
): Promise<ExitCode> {
  const url = input.text("url") ?? io.environment["VERITEST_STORE"];
  if (url === undefined || url === "")
    return refuse(
      io,
      "Which store? Name it: --url postgres://user@host:5432/database, or sqlite:<path>, or VERITEST_STORE.",
    );
  const store = await openStore(url, { schema: input.text("schema"), init: input.operands[0] === "init" });
  if (!store.ok) return refuse(io, store.error.message);
  try {
    return await ask(store.value);
  } finally {
    await store.value.close();
  }
}
