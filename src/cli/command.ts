import type { ExitCode } from "./terminal/exit-code.ts";
import type { CliIo } from "./terminal/io.ts";
import type { CommandInput } from "./terminal/command-input.ts";

/** An operand, in commander's notation: `<one>`, `[maybe]`, `[many...]`. */
export interface ArgumentSpec {
  readonly name: string;
  readonly description: string;
  /** The only values it may have. */
  readonly choices?: readonly string[];
}

/** An option, in commander's notation: `--json`, `-n, --limit <count>`. */
export interface OptionSpec {
  readonly flags: string;
  readonly description: string;
  /** May be given several times; its values come as a list. */
  readonly repeatable?: boolean;
  /** The only values it may have. */
  readonly choices?: readonly string[];
}

/** A command: what its help says, and what it does. */
export interface CliCommand {
  readonly arguments?: readonly ArgumentSpec[];
  readonly options?: readonly OptionSpec[];
  /** Whole command lines, each with what it does after `#`. */
  readonly examples: readonly string[];
  /**
   * Does it. What is expected to fail is said on `stderr` and in the exit code; a throw becomes one line and exit
   * code 2.
   */
  run(input: CommandInput, io: CliIo): Promise<ExitCode> | ExitCode;
}

/** A command as the overview lists it; its module is loaded only when it runs or its help is printed. */
export interface RegisteredCommand {
  readonly name: string;
  readonly summary: string;
  load(): Promise<CliCommand>;
}
