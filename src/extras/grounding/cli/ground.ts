import { groundConfig } from "./ground-config.ts";
import { ingestDocuments, listDocuments, removeDocuments } from "./documents.ts";
import { queryDocuments } from "./query-documents.ts";
import type { CliCommand, CommandAction, OptionSpec } from "../../../cli/command.ts";
import { JSON_OPTION } from "../../../cli/common-options.ts";
import { printDiagnostics } from "../../../cli/terminal/print.ts";

const LOG: OptionSpec = { flags: "--log", description: "log the operation as JSON on stderr" };

/** Defines `veritest ground …`, which answers questions from documents with verified citations. */
export const groundCommand: CliCommand = {
  examples: ["veritest ground ingest docs/", 'veritest ground query "When was the bridge opened?" --extract'],
  commands: [
    {
      name: "ingest",
      summary: "read documents: PDF, Markdown and text",
      arguments: [{ name: "[paths...]", description: "files or directories, with their subdirectories" }],
      options: [
        {
          flags: "--chunk-size <tokens>",
          description: "maximum number of tokens of a passage, 256 to 1024 (default: 512)",
        },
        {
          flags: "--overlap <tokens>",
          description: "number of tokens repeated from the previous passage (default: 50)",
        },
        LOG,
        JSON_OPTION,
      ],
      examples: ["veritest ground ingest docs/"],
      run: logged("ingest", ingestDocuments),
    },
    {
      name: "query",
      summary: "answer a question from the documents, with citations",
      arguments: [{ name: "[question...]", description: "the question, in quotes" }],
      options: [
        { flags: "--threshold <score>", description: "minimum score, 0 to 1; exit code 1 if the score is lower" },
        { flags: "--max-hops <count>", description: "maximum number of searches" },
        { flags: "--extract", description: "answer with sentences of the documents, without a model" },
        {
          flags: "--provider <name>",
          description: "provider of the model (default: the provider whose key is set)",
          choices: ["openai", "anthropic"],
        },
        { flags: "--model <name>", description: "name of the model" },
        { flags: "--base-url <url>", description: "URL of the provider's API, such as a server on this machine" },
        { flags: "--verbose", description: "show every claim, and the query of each search" },
        { flags: "--log", description: "log each step as a line of JSON on stderr" },
        JSON_OPTION,
      ],
      examples: [
        'veritest ground query "When was the bridge opened?" --extract  # without a model',
        'veritest ground query "When was it opened?" --model gpt-4o     # with OPENAI_API_KEY',
      ],
      // A query logs its own steps.
      run: queryDocuments,
    },
    {
      name: "list",
      summary: "list the documents",
      options: [
        { flags: "--details", description: "show the path, size and beginning of each document" },
        LOG,
        JSON_OPTION,
      ],
      examples: ["veritest ground list --details"],
      run: logged("list", listDocuments),
    },
    {
      name: "remove",
      summary: "remove documents",
      arguments: [{ name: "[documents...]", description: "ids or names of documents" }],
      options: [LOG],
      examples: ["veritest ground remove handbook.pdf"],
      run: logged("remove", removeDocuments),
    },
    {
      name: "config",
      summary: "show or change the settings",
      arguments: [{ name: "[words...]", description: "show, or set <name> <value>" }],
      options: [LOG, JSON_OPTION],
      examples: ["veritest ground config show", "veritest ground config set coverageThreshold 0.7"],
      run: logged("config", groundConfig),
    },
  ],
};

function logged(operation: string, action: CommandAction): CommandAction {
  return async (input, io) => {
    const started = performance.now();
    const exitCode = await action(input, io);
    if (input.flag("log"))
      printDiagnostics(
        io,
        `${JSON.stringify({ operation, exitCode, durationMs: Math.round(performance.now() - started) })}\n`,
      );
    return exitCode;
  };
}
