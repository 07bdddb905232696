import { readBlob } from "../../updates/receipts/blobs.ts";
import { NOTE_TYPES, type Note } from "../../updates/receipts/note.ts";
import { type NoteEntry, type NoteFilter, readNotes } from "../../updates/receipts/read-notes.ts";
import { cliPlaces } from "../terminal/cli-places.ts";
import { type CommandInput, limitOf } from "../terminal/command-input.ts";
import type { CliCommand } from "../command.ts";
import { EXIT, type ExitCode } from "../terminal/exit-code.ts";
import type { CliIo } from "../terminal/io.ts";
import { sinceOf } from "../parse-since.ts";
import { refuse, oneLine, say, sayJson, warn } from "../terminal/say.ts";
import { amount } from "../../explain/wording.ts";

/** `veritest notes`: the notes of all processes in the order of their time. */
export const notesCommand: CliCommand = {
  options: [
    {
      flags: "--type <type>",
      description: "only of this kind; may be repeated",
      repeatable: true,
      choices: NOTE_TYPES,
    },
    { flags: "--run <id>", description: "only of this run" },
    { flags: "--item <id>", description: "only of this work item" },
    { flags: "--since <time>", description: "a date, or 30m, 6h, 2d ago" },
    { flags: "-n, --limit <count>", description: "at most so many, the newest" },
    { flags: "--full", description: "print long bodies whole, not only how they begin" },
    { flags: "--json", description: "print JSON" },
  ],
  examples: [
    "veritest notes --type hypothesis --since 2d   # what was supposed lately",
    "veritest notes --run r-42 --json             # for a script",
  ],
  run,
};

async function run(input: CommandInput, io: CliIo): Promise<ExitCode> {
  const since = sinceOf(input);
  if (!since.ok) return refuse(io, since.error);
  const limit = limitOf(input);
  if (!limit.ok) return refuse(io, limit.error);
  const found = await collect(filterOf(input, since.value), limit.value ?? Infinity, io);
  const shown = input.flag("full") ? found.map((each) => withWholeBody(each, io)) : found;
  if (input.flag("json")) sayJson(io, shown);
  else say(io, shown.length === 0 ? ["No notes."] : shown.flatMap(linesOf));
  return EXIT.clean;
}

/** The notes by their time, no more than twice the limit at once, with a warning on each place that holds none. */
async function collect(filter: NoteFilter, limit: number, io: CliIo): Promise<Note[]> {
  let found: Note[] = [];
  let torn = 0;
  for await (const entry of readNotes(cliPlaces(io).notes, filter)) {
    if (entry.kind === "note") {
      found.push(entry.note);
      if (found.length >= 2 * limit) found = newest(found, limit);
    } else if (entry.kind === "torn") torn += 1;
    else warn(io, damageOf(entry));
  }
  if (torn > 0) warn(io, `${amount(torn, "note was", "notes were")} cut off when a process ended.`);
  return newest(found, limit);
}

/** Stable, so the notes of one process keep their order where the clock shows one time twice. */
function newest(notes: readonly Note[], limit: number): Note[] {
  const sorted = notes.toSorted((left, right) => Date.parse(left.ts) - Date.parse(right.ts));
  return limit < sorted.length ? sorted.slice(-limit) : sorted;
}

function withWholeBody(note: Note, io: CliIo): Note {
  if (note.blob === undefined) return note;
  const whole = readBlob(cliPlaces(io).notes, note.blob);
  if (whole.ok) return { ...note, body: whole.value };
  warn(io, whole.error);
  return note;
}

function filterOf(input: CommandInput, since: number | undefined): NoteFilter {
  const [types, run, item] = [
    NOTE_TYPES.filter((type) => input.list("type").includes(type)),
    input.text("run"),
    input.text("item"),
  ];
  return {
    ...(types.length === 0 ? {} : { types }),
    ...(run === undefined ? {} : { run }),
    ...(item === undefined ? {} : { item }),
    ...(since === undefined ? {} : { since }),
  };
}

function damageOf({ file, line, problem }: Exclude<NoteEntry, { readonly kind: "note" | "torn" }>): string {
  return `${file}, line ${line}: ${problem}.`;
}

function linesOf(note: Note): string[] {
  const head = [note.crc, note.ts, note.type, `run ${note.run}`];
  if (note.item !== undefined) head.push(`item ${note.item}`);
  if (note.mood !== undefined) head.push(`mood ${note.mood}`);
  return [oneLine(head.join("  ")), ...detailsOf(note).map((line) => `    ${line}`)];
}

function detailsOf(note: Note): string[] {
  const lines = note.body.split("\n");
  if (note.blob !== undefined) lines.push(`(whole body: blobs/${note.blob.replace("sha256:", "")}, by --full)`);
  if (note.type === "hypothesis") lines.push(`test: ${oneLine(note.test)}`, `budget: ${oneLine(note.budget)}`);
  if (note.type === "hyperthesis")
    lines.push(`blind spot: ${oneLine(note.blindSpot)}`, `bound: ${oneLine(note.bound)}`);
  if (note.refs.length > 0) lines.push(`refs: ${oneLine(note.refs.join(", "))}`);
  return lines;
}
