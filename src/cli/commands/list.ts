import { basename, dirname } from "node:path";
import { type Baseline, groupOf } from "../../baseline/baseline.ts";
import { escapeJson, formatSize } from "../../kernel/text.ts";
import { cliPaths } from "../terminal/cli-paths.ts";
import type { CommandInput } from "../terminal/command-input.ts";
import { JSON_OPTION } from "../common-options.ts";
import type { CliCommand } from "../command.ts";
import { EXIT, type ExitCode } from "../terminal/exit-code.ts";
import {
  FILTER_OPTIONS,
  type StoredBaseline,
  caseFilter,
  lastReceipts,
  storedBaselines,
} from "../inspect/stored-baseline.ts";
import type { CliIo } from "../terminal/io.ts";
import { printRefusal, oneLine, printLines, printWarning, printDocument } from "../terminal/print.ts";
import { plainCount } from "../../explain/wording.ts";

/** `veritest list`: prints every baseline of the project as it's read, one line each. */
export const listCommand: CliCommand = {
  options: [...FILTER_OPTIONS, JSON_OPTION],
  examples: [
    "veritest list                            # every baseline, by directory",
    'veritest list --step "extract-*" --json   # for a script',
    "veritest list --label edge --meta lang=de # with this label and metadata",
  ],
  run,
};

function run(input: CommandInput, io: CliIo): ExitCode {
  const filter = caseFilter(input);
  if (!filter.ok) return printRefusal(io, filter.error);
  const paths = cliPaths(io);
  const receipts = lastReceipts(paths);
  const printer = input.flag("json") ? jsonPrinter(io) : textPrinter(io);
  for (const stored of storedBaselines(paths.root)) {
    // The content of a damaged file is unknown: it's listed with every filter, as a check would report it.
    if (stored.baseline.ok && !filter.value(stored.baseline.value)) continue;
    printer.take(stored, receipts.get(stored.target) ?? null);
  }
  printer.end();
  return EXIT.clean;
}

/** Printer of baselines as they are read. */
interface Printer {
  take(stored: StoredBaseline, receipt: string | null): void;
  end(): void;
}

function jsonPrinter(io: CliIo): Printer {
  let count = 0;
  return {
    take(stored, receipt) {
      printDocument(io, `${count === 0 ? "[\n" : ",\n"}${escapeJson(JSON.stringify(dataOf(stored, receipt)))}`);
      count += 1;
    },
    end: () => printDocument(io, count === 0 ? "[]\n" : "\n]\n"),
  };
}

function dataOf({ target, text, baseline }: StoredBaseline, receipt: string | null): object {
  const head = { target, bytes: Buffer.byteLength(text), receipt };
  if (!baseline.ok) return { ...head, problem: baseline.error };
  const { value } = baseline;
  const { kind, labels, meta, name } = value;
  const group = value.kind === "step" ? { step: value.step } : { test: value.test };
  return {
    ...head,
    kind,
    ...group,
    ...(name === undefined ? {} : { name }),
    labels,
    meta,
    ...(value.kind === "step" ? { calls: value.calls.length } : {}),
  };
}

function textPrinter(io: CliIo): Printer {
  let directory = "";
  let count = 0;
  let damaged = 0;
  return {
    take(stored, receipt) {
      const own = stored.target.slice(0, stored.target.lastIndexOf("/"));
      if (own !== directory) printLines(io, [...(directory === "" ? [] : [""]), oneLine(headOf(stored, own))]);
      directory = own;
      count += 1;
      if (stored.baseline.ok) return printLines(io, [oneLine(`  ${lineOf(stored, stored.baseline.value, receipt)}`)]);
      damaged += 1;
      printLines(io, [oneLine(`  ${basename(stored.path, ".json")}  can't be read`)]);
      printWarning(io, stored.baseline.error);
    },
    end() {
      if (count === 0) return printLines(io, ["No baselines."]);
      const broken = damaged === 0 ? "" : `, ${damaged} damaged`;
      printLines(io, ["", `${plainCount(count, "baseline")}${broken}. To show one, run: npx veritest show <name>`]);
    },
  };
}

/** For an unreadable file, the group is derived from its directory. */
function headOf(stored: StoredBaseline, directory: string): string {
  return `${stored.baseline.ok ? groupOf(stored.baseline.value) : basename(dirname(stored.path))}  ${directory}`;
}

function lineOf(stored: StoredBaseline, baseline: Baseline, receipt: string | null): string {
  const { name, labels, meta } = baseline;
  const calls = baseline.kind === "step" ? baseline.calls.length : 0;
  const facts = Object.entries(meta).map(([key, value]) => `${key}=${value}`);
  const parts = [
    basename(stored.path, ".json").padEnd(36),
    formatSize(Buffer.byteLength(stored.text)).padStart(7),
    ...(baseline.kind === "step" ? [plainCount(calls, "call")] : ["value"]),
    ...(receipt === null ? [] : [`receipt ${receipt}`]),
    ...(name === undefined ? [] : [`name ${name}`]),
    ...(labels.length === 0 ? [] : [`labels ${labels.join(", ")}`]),
    ...(facts.length === 0 ? [] : [`meta ${facts.join(", ")}`]),
  ];
  return parts.join("  ");
}
