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
  /** Commands below it, each with its own options and help, in the order of its help. */
  readonly commands?: readonly Subcommand[];
  /**
   * Runs it; absent if one of `commands` must follow. Expected failures are reported on `stderr` and by the exit code.
   * A throw becomes one line and exit code 2.
   */
  readonly run?: CommandAction;
}

/** Action of a command. */
export type CommandAction = (input: CommandInput, io: CliIo) => Promise<ExitCode> | ExitCode;

/** Command below another one: `verify` of `veritest log verify`. */
export interface Subcommand extends CliCommand {
  readonly name: string;
  readonly summary: string;
}

/** Blocks of the overview, in their order. */
export const COMMAND_GROUPS = ["Start", "Check", "Review", "Baselines", "Reports and CI", "Advanced"] as const;

/** A command as the overview lists it; its module is loaded only when it runs or its help is printed. */
export interface RegisteredCommand {
  readonly name: string;
  readonly group: (typeof COMMAND_GROUPS)[number];
  readonly summary: string;
  readonly load: () => Promise<CliCommand>;
}
