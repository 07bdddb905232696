import type { ReportCase } from "../../explain/report-case.ts";
import { EXIT, type ExitCode } from "../terminal/exit-code.ts";

/**
 * Returns the exit code of a command for one of its cases. `check-command.ts` ends with the highest one. Differences
 * fail only a command that `failsOnChanges`, but damaged, failed and missing cases always do.
 */
export function exitCodeOfCase({ kind }: Pick<ReportCase, "kind">, failsOnChanges: boolean): ExitCode {
  switch (kind) {
    case "clean":
    case "obsolete":
      return EXIT.clean;
    case "value_changed":
    case "commands_changed":
    case "calls_changed":
    case "events_changed":
    case "input_changed":
    case "schema_violation":
    case "request_changed":
      return failsOnChanges ? EXIT.regressions : EXIT.clean;
    case "missing":
    case "failed":
      return EXIT.regressions;
    case "broken":
      return EXIT.usage;
  }
}
