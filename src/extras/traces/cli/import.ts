import type { CliCommand } from "../../../cli/command.ts";
import { TRACE_SOURCES } from "../read-traces.ts";
import { TIMEOUT } from "../../../cli/cases/check-options.ts";

/** `veritest import`: makes pending baselines of runs in traces, with their calls if the trace has all of them. */
export const importCommand: CliCommand = {
  arguments: [
    {
      name: "<source>",
      description: "source of the traces",
      choices: [...TRACE_SOURCES.keys()],
    },
    { name: "<path>", description: "file or directory of files, or - for standard input" },
  ],
  options: [
    { flags: "--step <name>", description: "only runs of this step, and traces that don't name a step" },
    { flags: "--since <when>", description: "only traces since a date, or a time span such as 2d" },
    { flags: "--limit <count>", description: "maximum number of runs" },
    { flags: "--sample <count>", description: "number of traces to select; the same ones in each run" },
    { flags: "--seed <text>", description: "seed of the sample (default: 1)" },
    { flags: "--label <label>", description: "label of the cases; repeatable", repeatable: true },
    {
      flags: "--meta <key=value>",
      description: "metadata of the cases (key=value); repeatable",
      repeatable: true,
    },
    { flags: "--dry-run", description: "print the grade of each run, without making it pending" },
    { flags: "--timeout <time>", description: `maximum time of one run: 500ms, 90s, 5m, or 0 (${TIMEOUT.replay})` },
  ],
  examples: [
    "veritest import otlp traces.jsonl --since 1d        # as the collector's file exporter writes them",
    "veritest import langfuse export/ --step desk",
    "zcat spans.jsonl.gz | veritest import ai-sdk -",
  ],
  run: async (input, io) => {
    const { importTraces } = await import("./import-traces.ts");
    return importTraces(input, io);
  },
};
