import { CommanderError, Argument, Command as Program, Option } from "commander";
import { variableProblem } from "../kernel/environment.ts";
import { isArray } from "../kernel/json/plain-data.ts";
import { escapeText } from "../kernel/text.ts";
import { fileErrorMessage } from "../kernel/error-message.ts";
import { versions } from "../updates/receipts/receipt.ts";
import { flushTelemetry } from "../kernel/telemetry/flush.ts";
import { commandInput } from "./terminal/command-input.ts";
import type { CliCommand, ArgumentSpec, OptionSpec, RegisteredCommand } from "./command.ts";
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
    const loaded = await loadCommand(argv, commands);
    const program = buildProgram({ io, version: versions().veritest, commands, loaded, done: (exit) => (code = exit) });
    await program.parseAsync(argv, { from: "user" });
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
  const [first, second] = argv.filter((argument) => !argument.startsWith("-"));
  const requested = first === "help" ? second : first;
  const command = commands.find(({ name }) => name === requested);
  return command === undefined ? new Map() : new Map([[command.name, await command.load()]]);
}

function unexpected(thrown: unknown, debug: boolean): string {
  const message = fileErrorMessage(thrown);
  const stack = thrown instanceof Error ? thrown.stack : undefined;
  const line = escapeText(message)
    .replaceAll(/\s*\n\s*/g, " ")
    .replace(/\.$/, "");
  return debug
    ? `veritest: ${line}.\n${escapeText(stack ?? "no stack")}\n`
    : `veritest: ${line}. Run it again with --debug for details.\n`;
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
    .description("Replay, recompute and diff AI-workflow steps, and apply what changed.")
    .usage("<command> [options]")
    .version(version, "-V, --version", "print the version")
    .option("--debug", "print the stack of an unexpected error")
    .helpOption("-h, --help", "print help")
    .helpCommand("help [command]", "print the help of a command")
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
      "\nExit codes: 0 clean, 1 regressions or refused, 2 usage or infrastructure.\nExample: veritest log --limit 5",
    );
  for (const { name, summary } of commands) {
    const sub = program
      .command(name)
      .summary(summary)
      .description(`${summary[0]?.toUpperCase()}${summary.slice(1)}.`)
      .helpOption("-h, --help", "print help")
      .option("--debug", "print the stack of an unexpected error")
      .configureOutput({ outputError: (text, write) => write(complaint(text, `veritest ${name}`)) });
    const command = loaded.get(name);
    if (command !== undefined)
      fill(sub, command, async (operands, options) => {
        const problem = variableProblem(io.environment);
        done(
          problem === undefined ? await command.run(commandInput(operands, options), io) : printRefusal(io, problem),
        );
      });
  }
  return program;
}

type Action = (operands: readonly string[], options: Readonly<Record<string, unknown>>) => Promise<void>;

function fill(program: Program, command: CliCommand, act: Action): void {
  for (const spec of command.arguments ?? []) program.addArgument(argumentOf(spec));
  for (const spec of command.options ?? []) program.addOption(optionOf(spec));
  program.addHelpText("after", `\nExamples:\n${command.examples.map((example) => `  ${example}`).join("\n")}`);
  program.action(async () => act(program.args, program.opts()));
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
