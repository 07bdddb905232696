import { NOTE_TYPES, type Note } from "../../updates/receipts/note.ts";
import { type NoteQuery, readNotes } from "../../updates/receipts/read-notes.ts";
import { shortId } from "../../updates/receipts/receipts.ts";
import { cliPaths } from "../terminal/cli-paths.ts";
import { type CommandInput, limitOf } from "../terminal/command-input.ts";
import { JSON_OPTION, LIMIT_OPTION } from "../common-options.ts";
import { notesAddCommand } from "./notes-add.ts";
import type { CliCommand } from "../command.ts";
import { EXIT, type ExitCode } from "../terminal/exit-code.ts";
import type { CliIo } from "../terminal/io.ts";
import { sinceOption } from "../parse-since.ts";
import { warnOfDamage } from "../inspect/warn-of-damage.ts";
import { printRefusal, oneLine, printLines, printJson } from "../terminal/print.ts";

/** `veritest notes`: the notes of all processes in the order they were written. */
export const notesCommand: CliCommand = {
  options: [
    {
      flags: "--type <type>",
      description: "only notes of this type; repeatable",
      repeatable: true,
      choices: NOTE_TYPES,
    },
    { flags: "--run <id>", description: "only notes of this run" },
    { flags: "--item <id>", description: "only notes of this work item" },
    {
      flags: "--since <time>",
      description: "only notes since this time: a date, or a time span such as 30m, 6h or 2d",
    },
    LIMIT_OPTION,
    JSON_OPTION,
  ],
  commands: [notesAddCommand],
  examples: [
    "veritest notes --type hypothesis --since 2d   # recent hypotheses",
    "veritest notes --run r-42 --json             # for a script",
  ],
  run,
};

function run(input: CommandInput, io: CliIo): ExitCode {
  const since = sinceOption(input);
  if (!since.ok) return printRefusal(io, since.error);
  const limit = limitOf(input);
  if (!limit.ok) return printRefusal(io, limit.error);
  const content = readNotes(cliPaths(io).notes, queryOf(input, { since: since.value, limit: limit.value }));
  warnOfDamage(content, io);
  if (input.flag("json")) printJson(io, content.values);
  else printLines(io, content.values.length === 0 ? ["No notes."] : content.values.flatMap(linesOf));
  return EXIT.clean;
}

function queryOf(input: CommandInput, bounds: Partial<Record<"since" | "limit", number | undefined>>): NoteQuery {
  const types = NOTE_TYPES.filter((type) => input.list("type").includes(type));
  const fields = { ...bounds, run: input.text("run"), item: input.text("item") };
  return {
    ...(types.length === 0 ? {} : { types }),
    ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)),
  };
}

function linesOf(note: Note): string[] {
  const head = [shortId(note), note.ts, note.type, `run ${note.run}`];
  if (note.item !== undefined) head.push(`item ${note.item}`);
  if (note.mood !== undefined) head.push(`mood ${note.mood}`);
  return [oneLine(head.join("  ")), ...detailsOf(note).map((line) => `    ${line}`)];
}

function detailsOf(note: Note): string[] {
  const lines = note.body.split("\n");
  if (note.type === "hypothesis") lines.push(`test: ${oneLine(note.test)}`, `budget: ${oneLine(note.budget)}`);
  if (note.type === "hyperthesis")
    lines.push(`blind spot: ${oneLine(note.blindSpot)}`, `bound: ${oneLine(note.bound)}`);
  if (note.refs.length > 0) lines.push(`refs: ${oneLine(note.refs.join(", "))}`);
  return lines;
}
