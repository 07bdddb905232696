import type { CliCommand } from "../command.ts";
import { captureInputs } from "../sweep/capture-command.ts";
import type { FromSource } from "../sweep/from-source.ts";
import { printRefusal } from "../terminal/print.ts";
import { CONCURRENCY, TIMEOUT } from "../sweep/check-options.ts";

/**
 * `veritest capture`: runs a step on inputs with live adapters and writes the results as baselines, all of them or
 * none. With stored runs, it makes their steps pending without running them.
 */
export const captureCommand = (from: FromSource): CliCommand => ({
  arguments: [{ name: "[inputs...]", description: "more inputs: what a shell makes of a pattern without quotes" }],
  options: [
    { flags: "--step <name>", description: "step of the configuration (default with --from: all of them)" },
    {
      flags: "--input <glob>",
      description: "files of inputs: .json has one, .jsonl one in each line; may be repeated",
      repeatable: true,
    },
    ...from.options,
    {
      flags: "--sample <count>",
      description: "sample size (stable across runs) of the inputs; of a store, of its runs",
    },
    { flags: "--seed <text>", description: "seed of the sample (default: 1)" },
    { flags: "--name <name>", description: "names the cases; {file} and {line} stand for where each input is" },
    { flags: "--label <label>", description: "a label of the cases; may be repeated", repeatable: true },
    { flags: "--meta <key=value>", description: "a fact about the cases; may be repeated", repeatable: true },
    { flags: "--update", description: "replace baselines that change" },
    { flags: "--dry-run", description: "print the inputs that would be captured, without running" },
    { flags: "--concurrency <count>", description: `how many inputs at a time (${CONCURRENCY})` },
    {
      flags: "--timeout <time>",
      description: `how long one input may take: 500ms, 90s, 5m, or 0 for any time (${TIMEOUT.live})`,
    },
  ],
  examples: [
    "veritest capture --step extract-receipt --input 'receipts/*.json'",
    "veritest capture --step extract-receipt --input all.jsonl --sample 50   # always the same 50",
    "veritest capture --step classify --input a.json --name vip --label edge --meta lang=de",
    "veritest capture --from sqlite:runs.sqlite --since 2d --sample 20    # pending for review",
  ],
  run: async (input, io) => {
    if (input.text("from") !== undefined) return from.capture(input, io);
    const idle = from.withoutFrom(input);
    return idle === undefined ? captureInputs(input, io) : printRefusal(io, idle);
  },
});
