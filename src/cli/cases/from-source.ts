import type { SourceCase } from "../../check-all/stored-cases.ts";
import type { BaselineTarget } from "../../check-all/find-targets.ts";
import type { Result } from "../../kernel/result.ts";
import type { OptionSpec } from "../command.ts";
import type { CommandInput } from "../terminal/command-input.ts";
import type { ExitCode } from "../terminal/exit-code.ts";
import type { CliIo } from "../terminal/io.ts";
import type { LoadedProject } from "./open-project.ts";

/** Source of cases other than files, which `--store` names. An extra brings it; the commands are made with it. */
export interface FromSource {
  /** `--store`, and the options that only make sense with it. */
  readonly options: readonly OptionSpec[];
  /** Options that only make sense with both `capture` and `--store`. */
  readonly captureOptions: readonly OptionSpec[];
  /** Returns one sentence on an option that makes no sense without `--store`; undefined if there is none. */
  withoutFrom(input: CommandInput): string | undefined;
  /** Opens what `--store` names for `work`, and closes it. Refuses, with its reason, what can't be opened. */
  open(input: CommandInput, io: CliIo, work: (cases: FromCases) => Promise<ExitCode>): Promise<ExitCode>;
  /** Captures what `--store` names: its results are pending, and no step runs live. */
  capture(input: CommandInput, io: CliIo): Promise<ExitCode>;
}

/** Cases of an open source. */
export interface FromCases {
  /** Finds the steps whose cases are checked, and where their changes belong. */
  targets(project: LoadedProject, request: FromRequest): Result<FromTargets, string>;
  cases(targets: readonly BaselineTarget[]): FromCaseList;
}

interface FromRequest {
  readonly steps: readonly string[];
  readonly baselines: readonly string[];
}

interface FromTargets {
  readonly targets: readonly BaselineTarget[];
  readonly strangers: readonly string[];
  readonly misplaced?: readonly string[];
}

/** Cases in their order. */
export interface FromCaseList extends AsyncIterable<SourceCase> {
  /** Returns the names of steps with cases that can't be run, once all cases are read. */
  strangers(): readonly string[];
}
