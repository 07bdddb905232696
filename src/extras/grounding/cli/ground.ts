import { groundConfig } from "./ground-config.ts";
import { ingestDocuments, listDocuments, removeDocuments } from "./documents.ts";
import { queryDocuments } from "./query-documents.ts";
import type { CommandInput } from "../../../cli/terminal/command-input.ts";
import type { CliCommand } from "../../../cli/command.ts";
import type { ExitCode } from "../../../cli/terminal/exit-code.ts";
import type { CliIo } from "../../../cli/terminal/io.ts";
import { printDiagnostics, printRefusal } from "../../../cli/terminal/print.ts";

const ACTIONS = ["ingest", "query", "list", "remove", "config"] as const;

/** Options of each action. Others are rejected, since an ignored option would seem to have worked. */
const OPTIONS: Readonly<Record<(typeof ACTIONS)[number], readonly string[]>> = {
  ingest: ["chunkSize", "overlap", "json", "log"],
  query: ["threshold", "maxHops", "verbose", "json", "log", "extract", "provider", "model", "baseUrl"],
  list: ["details", "json", "log"],
  remove: ["log"],
  config: ["json", "log"],
};

/** Defines `veritest ground <action> …`, which answers questions from documents with verified citations. */
export const groundCommand: CliCommand = {
  arguments: [
    { name: "<action>", description: "what to do", choices: ACTIONS },
    {
      name: "[operands...]",
      description: "paths to ingest; the question, in quotes; ids or names to remove; show, or set <name> <value>",
    },
  ],
  options: [
    {
      flags: "--chunk-size <tokens>",
      description: "ingest: maximum number of tokens of a passage, 256 to 1024 (default: 512)",
    },
    {
      flags: "--overlap <tokens>",
      description: "ingest: number of tokens repeated from the previous passage (default: 50)",
    },
    { flags: "--threshold <score>", description: "query: minimum score, 0 to 1; exit code 1 if the score is lower" },
    { flags: "--max-hops <count>", description: "query: maximum number of searches" },
    { flags: "--extract", description: "query: answer with sentences of the documents, without a model" },
    {
      flags: "--provider <name>",
      description: "query: provider of the model (default: the one whose key is set)",
      choices: ["openai", "anthropic"],
    },
    { flags: "--model <name>", description: "query: name of the model" },
    {
      flags: "--base-url <url>",
      description: "query: URL of the provider's API, such as a server on this machine",
    },
    { flags: "--verbose", description: "query: include every claim and the query of each hop" },
    { flags: "--log", description: "log the operation as JSON on stderr; query: each step as a line" },
    { flags: "--details", description: "list: include the path, size and beginning of each document" },
    { flags: "--json", description: "print JSON" },
  ],
  examples: [
    "veritest ground ingest docs/                                   # read all PDF, Markdown and text files",
    'veritest ground query "When was the bridge opened?" --extract  # without a model',
    'veritest ground query "When was it opened?" --model gpt-4o     # by OPENAI_API_KEY',
    "veritest ground config set coverageThreshold 0.7",
  ],
  run,
};

async function run(input: CommandInput, io: CliIo): Promise<ExitCode> {
  const action = ACTIONS.find((name) => name === input.operands[0]);
  if (action === undefined)
    return printRefusal(io, `ground does one of ${ACTIONS.join(", ")}. See: veritest ground --help`);
  const known = Object.values(OPTIONS).flat();
  const unsupported = known.find(
    (name) => !OPTIONS[action].includes(name) && (input.flag(name) || input.text(name) !== undefined),
  );
  if (unsupported !== undefined)
    return printRefusal(
      io,
      `--${flagOf(unsupported)} isn't an option of ground ${action}. See: veritest ground --help`,
    );
  const started = performance.now();
  const exitCode = await perform(action, input, io);
  // A query logs its own steps.
  if (input.flag("log") && action !== "query")
    printDiagnostics(
      io,
      `${JSON.stringify({ operation: action, exitCode, durationMs: Math.round(performance.now() - started) })}\n`,
    );
  return exitCode;
}

async function perform(action: (typeof ACTIONS)[number], input: CommandInput, io: CliIo): Promise<ExitCode> {
  switch (action) {
    case "ingest":
      return ingestDocuments(input, io);
    case "query":
      return queryDocuments(input, io);
    case "list":
      return listDocuments(input, io);
    case "remove":
      return removeDocuments(input, io);
    case "config":
      return groundConfig(input, io);
  }
}

/** Returns the flag of an option: `show-sources` for `showSources`. */
function flagOf(option: string): string {
  return option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
