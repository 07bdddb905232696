import { FREE_NOTE_TYPES } from "../../updates/receipts/note.ts";
import { parseNewNote } from "../../updates/receipts/note-schema.ts";
import { loadConfig } from "../../config/load-config.ts";
import { openRecords } from "../../updates/update-context.ts";
import { cliPaths } from "../terminal/cli-paths.ts";
import type { CommandInput } from "../terminal/command-input.ts";
import type { Subcommand } from "../command.ts";
import { EXIT, type ExitCode } from "../terminal/exit-code.ts";
import type { CliIo } from "../terminal/io.ts";
import { printRefusal, printLines } from "../terminal/print.ts";

/** Options with one string each, and the field of a note they set. */
const TEXTS: readonly string[] = ["item", "mood", "test", "budget", "blindSpot", "bound"];

/** `veritest notes add <type> <body>`: writes a note, without the secrets in it, and prints its id. */
export const notesAddCommand: Subcommand = {
  name: "add",
  summary: "write a note",
  arguments: [
    { name: "<type>", description: "type of the note", choices: FREE_NOTE_TYPES },
    { name: "<body>", description: "text of the note" },
  ],
  options: [
    { flags: "--run <id>", description: "run that the note belongs to (default: cli)" },
    { flags: "--item <id>", description: "work item that the note belongs to" },
    { flags: "--mood <mood>", description: "mood of the writer, stored with the note" },
    { flags: "--test <text>", description: "result that would refute a hypothesis" },
    { flags: "--budget <text>", description: "maximum cost of the test of a hypothesis" },
    { flags: "--blind-spot <text>", description: "blind spot of a hyperthesis: the part that the checks can't see" },
    { flags: "--bound <text>", description: "limit of the damage that a hyperthesis describes" },
    { flags: "--ref <id>", description: "receipt or diff that the note refers to; repeatable", repeatable: true },
  ],
  examples: [
    'veritest notes add observation "totals differ on Mondays only" --item w-7',
    'veritest notes add hypothesis "rounding" --test "run with half-even" --budget "10 min"',
    'veritest notes add hyperthesis "all fixtures are EUR" --blind-spot "other currencies" --bound "totals"',
  ],
  run,
};

async function run(input: CommandInput, io: CliIo): Promise<ExitCode> {
  const [type, body = ""] = input.operands;
  if (body.trim() === "") return printRefusal(io, "A note needs a body. See: veritest notes add --help");
  const options = TEXTS.flatMap((name) => {
    const text = input.text(name);
    return text === undefined ? [] : [[name, text] as const];
  });
  const parsed = parseNewNote({
    type,
    run: input.text("run") ?? "cli",
    body,
    refs: input.list("ref"),
    ...Object.fromEntries(options),
  });
  if (!parsed.ok) return printRefusal(io, `The ${type} is incomplete: ${parsed.error}. See: veritest notes add --help`);
  const paths = cliPaths(io);
  const config = await loadConfig(paths.root);
  // Without a configuration, it's unknown what to redact.
  if (!config.ok) return printRefusal(io, config.error);
  const records = openRecords(paths, config.value.policy, io);
  const id = records.notes.write(parsed.value);
  const warning = records.close();
  if (id === undefined) return printRefusal(io, warning ?? "The note wasn't written.");
  printLines(io, [id]);
  return EXIT.clean;
}
