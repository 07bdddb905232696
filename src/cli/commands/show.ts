import { basename, resolve } from "node:path";
import { quote } from "../../kernel/text.ts";
import { type BaselineFile, baselineFiles } from "../../baseline/baseline-files.ts";
import { findReceipt, readReceipts, shortId } from "../../updates/receipts/receipts.ts";
import type { Receipt } from "../../updates/receipts/receipt.ts";
import { type ProjectPaths, targetName } from "../../kernel/files/project-paths.ts";
import { cliPaths } from "../terminal/cli-paths.ts";
import type { CommandInput } from "../terminal/command-input.ts";
import { JSON_OPTION } from "../common-options.ts";
import type { CliCommand } from "../command.ts";
import { EXIT, type ExitCode } from "../terminal/exit-code.ts";
import { baselineLines, receiptLines } from "../inspect/show-lines.ts";
import { damageMessage, readStored, receiptsOf } from "../inspect/stored-baseline.ts";
import type { CliIo } from "../terminal/io.ts";
import { printRefusal, oneLine, printLines, printJson } from "../terminal/print.ts";

const MAX_NAMED = 5;

/** Input and output of the look-up. */
interface Shown {
  readonly io: CliIo;
  readonly paths: ProjectPaths;
}

/** `veritest show <baseline or receipt>`: prints the content of a baseline, or a full receipt. */
export const showCommand: CliCommand = {
  arguments: [
    {
      name: "<name>",
      description: "a baseline (its path, name or hash), or a receipt (the first characters of its id)",
    },
  ],
  options: [JSON_OPTION, { flags: "--full", description: "show a baseline in full" }],
  examples: [
    "veritest show monday-6efbf091   # input, output, calls and receipts of a baseline",
    "veritest show 3f9a0c            # the receipt with this id",
  ],
  run,
};

function run(input: CommandInput, io: CliIo): ExitCode {
  const paths = cliPaths(io);
  const name = input.operands[0] ?? "";
  const [first, ...more] = findBaselines(name, { root: paths.root, cwd: io.cwd });
  const receipt = beginningWith(name, paths);
  if (first === undefined && receipt === undefined)
    return printRefusal(
      io,
      `There is no baseline or receipt ${quote(name)}. To list them, run: npx veritest list, or npx veritest log`,
    );
  if (first === undefined) return showReceipt(name, input, { io, paths });
  if (receipt !== undefined)
    return printRefusal(
      io,
      `${quote(name)} is a baseline, ${first.target}, and a receipt, ${shortId(receipt)}. ` +
        "Pass the file, or more of the id.",
    );
  if (more.length > 0)
    return printRefusal(
      io,
      `${more.length + 1} baselines are called ${quote(name)}: ${namesOf([first, ...more])}. Pass the file.`,
    );
  return showBaseline(first, input, { io, paths });
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
  const matches: FoundBaseline[] = [];
  for (const file of baselineFiles(root)) {
    const target = targetName(root, file.path);
    if (file.path === path || target === name) return [{ ...file, target }];
    if (means(name, basename(file.path, ".json"))) matches.push({ ...file, target });
  }
  return matches;
}

function means(name: string, label: string): boolean {
  const wanted = name.replace(/\.json$/, "");
  const [, words, digits] = /^(.+)-([0-9a-f]{8}|[0-9a-f]{16})$/.exec(label) ?? [];
  return wanted === label || wanted === words || wanted === digits;
}

/** Finds a receipt by the beginning of its id. */
function beginningWith(name: string, paths: ProjectPaths): Receipt | undefined {
  const digits = name.replace(/^sha256:/, "");
  return digits === ""
    ? undefined
    : readReceipts(paths.notes).values.find(({ id }) => id.startsWith(`sha256:${digits}`));
}

function showReceipt(name: string, input: CommandInput, { io, paths }: Shown): ExitCode {
  const receipt = findReceipt(paths.notes, name);
  if (!receipt.ok) return printRefusal(io, receipt.error);
  if (input.flag("json")) printJson(io, receipt.value);
  else printLines(io, receiptLines(receipt.value).map(oneLine));
  return EXIT.clean;
}

function namesOf(baselines: readonly FoundBaseline[]): string {
  const named = baselines.slice(0, MAX_NAMED).map(({ target }) => target);
  return `${named.join(", ")}${baselines.length > named.length ? ", …" : ""}`;
}

function showBaseline(match: FoundBaseline, input: CommandInput, { io, paths }: Shown): ExitCode {
  const stored = readStored(paths.root, match);
  if (stored === undefined) return printRefusal(io, `${match.target} is gone.`);
  const { target, text, baseline } = stored;
  const problem = damageMessage(text, match.path, target);
  if (!baseline.ok || problem !== undefined) return printRefusal(io, `${problem ?? target} See: veritest repair`);
  const bytes = Buffer.byteLength(text);
  const receipts = receiptsOf(target, paths);
  if (input.flag("json")) printJson(io, { target, bytes, receipts, baseline: baseline.value });
  else printLines(io, baselineLines({ target, bytes, baseline: baseline.value, receipts }, input.flag("full")));
  return EXIT.clean;
}
