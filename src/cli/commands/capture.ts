import type { CliCommand } from "../command.ts";
import { captureInputs } from "../cases/capture-command.ts";
import type { FromSource } from "../cases/from-source.ts";
import { printRefusal } from "../terminal/print.ts";
import { SHARED_OPTIONS } from "../cases/check-options.ts";

/**
 * `veritest capture`: runs a step on inputs with live adapters and writes the results as baselines, all of them or
 * none. With stored runs, it makes their steps pending without running them.
 */
export const captureCommand = (from: FromSource): CliCommand => ({
  arguments: [
    { name: "[inputs...]", description: "more input files, for example from a pattern that the shell expanded" },
  ],
  options: [
    { flags: "--step <name>", description: "step of the configuration (default with --store: all steps)" },
    {
      flags: "--input <glob>",
      description: "input files: a .json file is one input, each line of a .jsonl file is an input; repeatable",
      repeatable: true,
    },
    ...from.options,
    ...from.captureOptions,
    { flags: "--name <name>", description: "name of the cases; {file} and {line} are replaced for each input" },
    { flags: "--label <label>", description: "label of the cases; repeatable", repeatable: true },
    {
      flags: "--meta <key=value>",
      description: "metadata of the cases (key=value); repeatable",
      repeatable: true,
    },
    { flags: "--update", description: "replace baselines whose results changed" },
    ...SHARED_OPTIONS,
  ],
  examples: [
    "veritest capture --step extract-receipt --input 'receipts/*.json'",
    "veritest capture --step extract-receipt --input all.jsonl --sample 50   # always the same 50",
    "veritest capture --step classify --input a.json --name vip --label edge --meta lang=de",
    "veritest capture --store sqlite:runs.sqlite --since 2d --sample 20    # pending for review",
    "veritest capture --store sqlite:runs.sqlite --whole                   # one baseline for each run",
  ],
  run: async (input, io) => {
    if (input.text("store") !== undefined) return from.capture(input, io);
    const idle = from.withoutFrom(input);
    return idle === undefined ? captureInputs(input, io) : printRefusal(io, idle);
  },
});
