import { readNotes } from "../../updates/receipts/read-notes.ts";
import { readReceipts } from "../../updates/receipts/receipts.ts";
import { cliPaths } from "../terminal/cli-paths.ts";
import { JSON_OPTION } from "../common-options.ts";
import type { CommandInput } from "../terminal/command-input.ts";
import type { Subcommand } from "../command.ts";
import { EXIT, type ExitCode } from "../terminal/exit-code.ts";
import type { CliIo } from "../terminal/io.ts";
import { oneLine, printLines, printJson } from "../terminal/print.ts";
import { plainCount } from "../../explain/wording.ts";

/** `veritest log verify`: checks each line of the receipts and the notes; exit code 1 if one is damaged. */
export const logVerifyCommand: Subcommand = {
  name: "verify",
  summary: "check receipts and notes for damage",
  options: [JSON_OPTION],
  examples: ["veritest log verify   # exit code 1 if a receipt or note is damaged"],
  run,
};

function run(input: CommandInput, io: CliIo): ExitCode {
  const directory = cliPaths(io).notes;
  const [receipts, notes] = [readReceipts(directory), readNotes(directory)];
  const problems = [...receipts.problems, ...notes.problems];
  const torn = receipts.torn + notes.torn;
  const counts = { receipts: receipts.values.length, notes: notes.values.length, torn };
  if (input.flag("json")) printJson(io, { directory, ...counts, problems });
  else printLines(io, [...problems.map(oneLine), summary(counts, problems.length, directory)]);
  return problems.length === 0 ? EXIT.clean : EXIT.regressions;
}

type Counts = Readonly<Record<"receipts" | "notes" | "torn", number>>;

function summary({ receipts, notes, torn }: Counts, problems: number, directory: string): string {
  const intact = `${plainCount(receipts, "receipt")} and ${plainCount(notes, "note")} intact`;
  const cut = torn === 0 ? "" : `, ${plainCount(torn, "incomplete line")} (a process ended while it wrote)`;
  if (problems === 0) return `${intact}${cut}.`;
  const summary = `${plainCount(problems, "problem")}, ${intact}${cut}, in ${directory}.`;
  return `${summary} Restore the files from a backup.`;
}
