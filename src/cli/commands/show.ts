import { basename, resolve } from "node:path";
import { quote } from "../../kernel/text.ts";
import { type BaselineFile, baselineFiles } from "../../baseline/baseline-files.ts";
import { findReceipt, readReceipts, shortId } from "../../updates/receipts/receipts.ts";
import type { Receipt } from "../../updates/receipts/receipt.ts";
import { type Places, targetName } from "../../kernel/files/places.ts";
import { cliPlaces } from "../terminal/cli-places.ts";
import type { CommandInput } from "../terminal/command-input.ts";
import type { CliCommand } from "../command.ts";
import { EXIT, type ExitCode } from "../terminal/exit-code.ts";
import { baselineLines, receiptLines } from "../inspect/show-lines.ts";
import { damageOf, readStored, receiptsOf } from "../inspect/stored-baseline.ts";
import type { CliIo } from "../terminal/io.ts";
import { refuse, oneLine, say, sayJson } from "../terminal/say.ts";

const MAX_NAMED = 5;

/** Input and output of the look-up. */
interface Shown {
  readonly io: CliIo;
  readonly places: Places;
}

/** `veritest show <baseline or receipt>`: prints the content of a baseline, or a full receipt. */
export const showCommand: CliCommand = {
  arguments: [
    {
      name: "<name>",
      description: "a baseline: its file, or the name or the digits of its file; or a receipt: how its id begins",
    },
  ],
  options: [
    { flags: "--json", description: "print JSON" },
    { flags: "--full", description: "of a baseline, cut nothing" },
  ],
  examples: [
    "veritest show monday-6efbf091   # input, output, calls and receipts of a baseline",
    "veritest show 3f9a0c            # the receipt whose id begins so",
  ],
  run,
};

function run(input: CommandInput, io: CliIo): ExitCode {
  const places = cliPlaces(io);
  const name = input.operands[0] ?? "";
  const [first, ...others] = findBaselines(name, { root: places.root, cwd: io.cwd });
  const receipt = beginningWith(name, places);
  if (first === undefined && receipt === undefined)
    return refuse(
      io,
      `There is no baseline and no receipt ${quote(name)}. List them with: veritest list, or veritest log`,
    );
  if (first === undefined) return showReceipt(name, input, { io, places });
  if (receipt !== undefined)
    return refuse(
      io,
      `${quote(name)} is a baseline, ${first.target}, and a receipt, ${shortId(receipt)}. ` +
        "Give the file, or more of the id.",
    );
  if (others.length > 0)
    return refuse(
      io,
      `${others.length + 1} baselines are called ${quote(name)}: ${namesOf([first, ...others])}. Give the file.`,
    );
  return showBaseline(first, input, { io, places });
}

/** Baseline that a name may mean. */
interface FoundBaseline extends BaselineFile {
  readonly target: string;
}

/**
 * Finds the baselines that a name may mean. The name is a path from the working directory, a target as in receipts, a
 * file name with or without its extension, or its words or hash. A path or a target means one baseline; the others may
 * mean several.
 */
function findBaselines(
  name: string,
  { root, cwd }: { readonly root: string; readonly cwd: string },
): readonly FoundBaseline[] {
  const path = resolve(cwd, name);
  const found: FoundBaseline[] = [];
  for (const file of baselineFiles(root)) {
    const target = targetName(root, file.path);
    if (file.path === path || target === name) return [{ ...file, target }];
    if (means(name, basename(file.path, ".json"))) found.push({ ...file, target });
  }
  return found;
}

function means(name: string, label: string): boolean {
  const asked = name.replace(/\.json$/, "");
  const [, words, digits] = /^(.+)-([0-9a-f]{8}|[0-9a-f]{16})$/.exec(label) ?? [];
  return asked === label || asked === words || asked === digits;
}

/** Finds a receipt by the beginning of its id. */
function beginningWith(name: string, places: Places): Receipt | undefined {
  const digits = name.replace(/^sha256:/, "");
  return digits === ""
    ? undefined
    : readReceipts(places.notes).values.find(({ id }) => id.startsWith(`sha256:${digits}`));
}

function showReceipt(name: string, input: CommandInput, { io, places }: Shown): ExitCode {
  const receipt = findReceipt(places.notes, name);
  if (!receipt.ok) return refuse(io, receipt.error);
  if (input.flag("json")) sayJson(io, receipt.value);
  else say(io, receiptLines(receipt.value).map(oneLine));
  return EXIT.clean;
}

function namesOf(baselines: readonly FoundBaseline[]): string {
  const named = baselines.slice(0, MAX_NAMED).map(({ target }) => target);
  return `${named.join(", ")}${baselines.length > named.length ? ", …" : ""}`;
}

function showBaseline(found: FoundBaseline, input: CommandInput, { io, places }: Shown): ExitCode {
  const stored = readStored(places.root, found);
  if (stored === undefined) return refuse(io, `${found.target} is gone.`);
  const { target, text, baseline } = stored;
  const problem = damageOf(text, found.path, target);
  if (!baseline.ok || problem !== undefined) return refuse(io, `${problem ?? target} See: veritest repair`);
  const bytes = Buffer.byteLength(text);
  const receipts = receiptsOf(target, places);
  if (input.flag("json")) sayJson(io, { target, bytes, receipts, baseline: baseline.value });
  else say(io, baselineLines({ target, bytes, baseline: baseline.value, receipts }, input.flag("full")));
  return EXIT.clean;
}
