import { CommanderError } from "commander";
import { escapeText } from "../base/text.ts";
import { versions } from "../notes/receipt.ts";
import { flushTelemetry } from "../telemetry/flush.ts";
import { buildProgram } from "./build-program.ts";
import type { CliCommand } from "./command.ts";
import { EXIT, type ExitCode } from "./exit-code.ts";
import type { CliIo } from "./io.ts";
import { COMMANDS, type RegisteredCommand } from "./registry.ts";

/**
 * Runs one command line, without the program's own name, and returns the exit code: 0 clean, 1 regressions or
 * refused, 2 usage or infrastructure. Never throws and never exits: an unexpected error is one line, with its stack
 * by `--debug`.
 */
export async function main(
  argv: readonly string[],
  io: CliIo,
  commands: readonly RegisteredCommand[] = COMMANDS,
): Promise<ExitCode> {
  let code: ExitCode = EXIT.usage;
  try {
    const loaded = await loadAsked(argv, commands);
    const program = buildProgram({ io, version: versions().veritest, commands, loaded, done: (exit) => (code = exit) });
    await program.parseAsync(argv, { from: "user" });
    return code;
  } catch (thrown) {
    // Help and the version that were asked for come as errors too, with exit code 0.
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT.clean : EXIT.usage;
    io.stderr.write(unexpected(thrown, argv.includes("--debug")));
    return EXIT.usage;
  } finally {
    await flushTelemetry();
  }
}

/** Only the command that is asked for is loaded: the overview stays fast however many there are. */
async function loadAsked(
  argv: readonly string[],
  commands: readonly RegisteredCommand[],
): Promise<ReadonlyMap<string, CliCommand>> {
  const [first, second] = argv.filter((argument) => !argument.startsWith("-"));
  const asked = first === "help" ? second : first;
  const command = commands.find(({ name }) => name === asked);
  return command === undefined ? new Map() : new Map([[command.name, await command.load()]]);
}

function unexpected(thrown: unknown, debug: boolean): string {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const stack = thrown instanceof Error ? thrown.stack : undefined;
  const line = escapeText(message)
    .replaceAll(/\s*\n\s*/g, " ")
    .replace(/\.$/, "");
  return debug
    ? `veritest: ${line}.\n${escapeText(stack ?? "no stack")}\n`
    : `veritest: ${line}. Run it again with --debug for details.\n`;
}
