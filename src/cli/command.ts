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
  /** The option may be repeated; its values are a list. */
  readonly repeatable?: boolean;
  /** The only values it may have. */
  readonly choices?: readonly string[];
}

/** Command, with its help and its action. */
export interface CliCommand {
  readonly arguments?: readonly ArgumentSpec[];
  readonly options?: readonly OptionSpec[];
  /** Complete command lines, each with a comment after `#`. */
  readonly examples: readonly string[];
  /**
   * Runs it. Expected failures are reported on `stderr` and by the exit code; a throw becomes one line and exit code 2.
   */
  run(input: CommandInput, io: CliIo): Promise<ExitCode> | ExitCode;
}

/** A command as the overview lists it; its module is loaded only when it runs or its help is printed. */
export interface RegisteredCommand {
  readonly name: string;
  readonly summary: string;
  load(): Promise<CliCommand>;
}
