import { CommanderError, Argument, Command as Program, Option } from "commander";
import { unknownVariables, variableProblem } from "../kernel/variable-problem.ts";
import { nearestWords, wordDistance } from "../kernel/did-you-mean.ts";
import { isArray } from "../kernel/json/plain-data.ts";
import { escapeText } from "../kernel/text.ts";
import { fileErrorMessage } from "../kernel/error-message.ts";
import { versions } from "../updates/receipts/receipt.ts";
import { flushTelemetry } from "../kernel/telemetry/flush.ts";
import { commandInput } from "./terminal/command-input.ts";
import type { ArgumentSpec, CliCommand, CommandAction, OptionSpec, RegisteredCommand, Subcommand } from "./command.ts";
import { EXIT, type ExitCode } from "./terminal/exit-code.ts";
import type { CliIo } from "./terminal/io.ts";
import { printRefusal, printDocument, printDiagnostics } from "./terminal/print.ts";

/**
 * Runs one command line, without the program's own name, and returns the exit code: 0 clean, 1 regressions or
 * refused, 2 usage or infrastructure. Never throws and never exits: an unexpected error is one line, with its stack
 * by `--debug`.
 */
export async function runCommandLine(
  argv: readonly string[],
  io: CliIo,
  commands: readonly RegisteredCommand[],
): Promise<ExitCode> {
  let code: ExitCode = EXIT.usage;
  try {
    const loaded = await loadCommand(argv[0] === "help" ? argv.slice(1) : argv, commands);
    const program = buildProgram({ io, version: versions().veritest, commands, loaded, done: (exit) => (code = exit) });
    await program.parseAsync(parsedLine(argv, { commands, loaded }), { from: "user" });
    return code;
  } catch (thrown) {
    // The requested help and version are thrown as errors too, with exit code 0.
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT.clean : EXIT.usage;
    printDiagnostics(io, unexpected(thrown, argv.includes("--debug")));
    return EXIT.usage;
  } finally {
    await flushTelemetry();
  }
}

/** Loads the requested command alone: the overview stays fast however many there are. */
async function loadCommand(
  argv: readonly string[],
  commands: readonly RegisteredCommand[],
): Promise<ReadonlyMap<string, CliCommand>> {
  const [requested] = wordsOf(argv);
  const command = commands.find(({ name }) => name === requested);
  return command === undefined ? new Map() : new Map([[command.name, await command.load()]]);
}

function wordsOf(argv: readonly string[]): readonly string[] {
  return argv.filter((argument) => !argument.startsWith("-"));
}

/**
 * Returns the command line to parse: `help log verify` is `log verify --help`. A name that isn't a command is parsed
 * without its options, because commander would print the help of the program.
 */
function parsedLine(
  argv: readonly string[],
  { commands, loaded }: Pick<ProgramSource, "commands" | "loaded">,
): readonly string[] {
  const requestsHelp = argv[0] === "help";
  const words = wordsOf(requestsHelp ? argv.slice(1) : argv);
  const [name, subName] = words;
  if (name !== undefined && !commands.some((command) => command.name === name)) return [name];
  const below = loaded.get(name ?? "")?.commands;
  if (requestsHelp && subName !== undefined && !(below ?? []).some((command) => command.name === subName)) return words;
  return requestsHelp ? [...words, "--help"] : argv;
}

function unexpected(thrown: unknown, debug: boolean): string {
  const message = fileErrorMessage(thrown);
  const stack = thrown instanceof Error ? thrown.stack : undefined;
  const line = escapeText(message)
    .replaceAll(/\s*\n\s*/g, " ")
    .replace(/\.$/, "");
  return debug
    ? `veritest: ${line}.\n${escapeText(stack ?? "no stack")}\n`
    : `veritest: ${line}. Run the command again with --debug for details.\n`;
}

/** Parts of a program. */
interface ProgramSource {
  readonly io: CliIo;
  readonly version: string;
  readonly commands: readonly RegisteredCommand[];
  /** The one command that is loaded, by name. */
  readonly loaded: ReadonlyMap<string, CliCommand>;
  /** Takes the exit code of the command that ran. */
  readonly done: (code: ExitCode) => void;
}

/** Builds commander's program. Nothing in it exits the process: it throws commander's own error instead. */
function buildProgram({ io, version, commands, loaded, done }: ProgramSource): Program {
  const program = new Program("veritest")
    .description("Replay, recompute and diff AI-workflow steps, and apply changes.")
    .usage("<command> [options]")
    .version(version, "-v, --version", "print the version")
    .option("--debug", "print the stack trace of an unexpected error")
    .helpOption("-h, --help", "print help")
    .helpCommand(false)
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => printDocument(io, text),
      writeErr: (text) => printDiagnostics(io, text),
      outputError: (text, write) => write(complaint(text, "veritest")),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
      getOutHelpWidth: () => io.stdout.columns ?? 80,
      getErrHelpWidth: () => io.stderr.columns ?? 80,
    })
    .addHelpText(
      "after",
      "\nHelp of a command: veritest help <command>\n" +
        "Exit codes: 0 clean, 1 regressions or refused, 2 usage or infrastructure.",
    );
  const runAction: RunAction = async (action, operands, options) => {
    const problem = variableProblem(io.environment);
    const unknown = unknownVariables(io.environment);
    if (unknown !== undefined) printDiagnostics(io, `veritest: ${unknown}\n`);
    done(problem === undefined ? await action(commandInput(operands, options), io) : printRefusal(io, problem));
  };
  for (const { name, group, summary } of commands) {
    const sub = addCommand(program, { name, summary }, `veritest ${name}`).helpGroup(`${group}:`);
    const command = loaded.get(name);
    if (command !== undefined) fill(sub, command, { line: `veritest ${name}`, runAction });
  }
  return program;
}

function addCommand(parent: Program, { name, summary }: Pick<Subcommand, "name" | "summary">, line: string): Program {
  return parent
    .command(name)
    .summary(summary)
    .description(`${summary[0]?.toUpperCase()}${summary.slice(1)}.`)
    .helpOption("-h, --help", "print help")
    .helpCommand(false)
    .option("--debug", "print the stack trace of an unexpected error")
    .configureOutput({ outputError: (text, write) => write(complaint(text, line)) });
}

type RunAction = (
  action: CommandAction,
  operands: readonly string[],
  options: Readonly<Record<string, unknown>>,
) => Promise<void>;

interface Filling {
  /** Words of the command: `veritest log verify`. */
  readonly line: string;
  readonly runAction: RunAction;
}

function fill(program: Program, command: CliCommand, { line, runAction }: Filling): void {
  const { run: action, commands = [] } = command;
  for (const spec of command.arguments ?? []) program.addArgument(argumentOf(spec));
  for (const spec of command.options ?? []) program.addOption(optionOf(spec));
  program.addHelpText("after", `\nExamples:\n${command.examples.map((example) => `  ${example}`).join("\n")}`);
  for (const sub of commands)
    fill(addCommand(program, sub, `${line} ${sub.name}`), sub, { line: `${line} ${sub.name}`, runAction });
  if (action === undefined) return;
  // commander has no word for an unknown command here: the command runs without one, too.
  program.allowExcessArguments(commands.length > 0);
  program.action(async () => {
    const [word] = commands.length > 0 ? program.args : [];
    if (word !== undefined) {
      const names = commands.map(({ name }) => name);
      const [nearest = ""] = nearestWords(word, names, 1);
      program.error(
        `unknown command '${word}'${wordDistance(word, nearest) <= 2 ? ` (Did you mean ${nearest}?)` : ""}`,
      );
    }
    await runAction(action, program.args, program.opts());
  });
}

function argumentOf({ name, description, choices }: ArgumentSpec): Argument {
  const argument = new Argument(name, description);
  return choices === undefined ? argument : argument.choices(choices);
}

function optionOf({ flags, description, choices, repeatable = false }: OptionSpec): Option {
  const option = new Option(flags, description);
  if (choices !== undefined) option.choices(choices);
  const parse = option.parseArg;
  if (!repeatable) return option;
  // commander would let a variadic option swallow the operands after it.
  return option.argParser((value: string, before: unknown): unknown[] => {
    parse?.(value, undefined);
    return isArray(before) ? [...before, value] : [value];
  });
}

/** A message of commander as one line of ours; it may quote what was typed. */
function complaint(text: string, command: string): string {
  const message = escapeText(text)
    .trim()
    .replace(/^error: /, "")
    .replaceAll(/\s*\n\s*/g, " ");
  const sentence = /[.?)]$/.test(message) ? message : `${message}.`;
  return `veritest: ${sentence} See: ${command} --help\n`;
}
