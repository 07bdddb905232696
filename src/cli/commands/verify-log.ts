import { receiptsDirectory } from "../../kernel/files/places.ts";
import { verifyReceipts } from "../../updates/receipts/verify-receipts.ts";
import { cliPlaces } from "../terminal/cli-places.ts";
import type { CommandInput } from "../terminal/command-input.ts";
import type { CliCommand } from "../command.ts";
import { EXIT, type ExitCode } from "../terminal/exit-code.ts";
import type { CliIo } from "../terminal/io.ts";
import { oneLine, say, sayJson } from "../terminal/say.ts";
import { amount } from "../../explain/wording.ts";

/** `veritest verify-log`: recomputes the chain of receipts; exit code 1 where it is not as it was written. */
export const verifyLogCommand: CliCommand = {
  options: [{ flags: "--json", description: "print JSON" }],
  examples: ["veritest verify-log   # exit code 1 where a receipt was changed or is gone"],
  run,
};

async function run(input: CommandInput, io: CliIo): Promise<ExitCode> {
  const places = cliPlaces(io);
  const directory = receiptsDirectory(places);
  const { receipts, problems } = await verifyReceipts(directory, places.notes);
  if (input.flag("json")) sayJson(io, { directory, receipts: receipts.length, problems });
  else say(io, [...problems.map(oneLine), summary(receipts.length, problems.length, directory)]);
  return problems.length === 0 ? EXIT.clean : EXIT.regressions;
}

function summary(receipts: number, problems: number, directory: string): string {
  const whole = amount(receipts, "receipt");
  if (problems === 0) return `${whole}, each as it was written.`;
  const found = `${amount(problems, "problem")}, ${whole} whole, in ${directory}.`;
  return `${found} Restore the files from a backup, or keep them as evidence.`;
}
