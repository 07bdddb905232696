import type { ReportCase } from "../../explain/report-case.ts";
import { EXIT, type ExitCode } from "../terminal/exit-code.ts";
import type { CaseOutcome } from "./case-outcome.ts";

/** Differences that fail the command. Damaged, failed and missing cases always do. */
export interface FailOn {
  /** Differences of outputs, events and inputs. */
  readonly diff: boolean;
  /** Differences of commands. */
  readonly commands: boolean;
  /** Outputs that break their schema, and unrecorded requests. */
  readonly refusals: boolean;
  /** False if pending rebases don't fail. Default: true. Decided where `exitCodeOfCase` is called. */
  readonly rebased?: false;
}

/** Returns the exit code of a command for one of its cases. `check-command.ts` ends with the highest one. */
export function exitCodeOfCase(
  { kind, parts }: Pick<ReportCase, "kind"> & Pick<CaseOutcome, "parts">,
  { diff, commands, refusals }: FailOn,
): ExitCode {
  switch (kind) {
    case "clean":
    case "obsolete":
      return EXIT.clean;
    case "value_changed":
    case "commands_changed":
    case "calls_changed":
    case "events_changed":
    case "input_changed":
      return parts.some((part) => (part === "commands" ? commands : diff)) ? EXIT.regressions : EXIT.clean;
    case "schema_violation":
    case "request_changed":
      return refusals ? EXIT.regressions : EXIT.clean;
    case "missing":
    case "failed":
      return EXIT.regressions;
    case "broken":
      return EXIT.usage;
  }
}
