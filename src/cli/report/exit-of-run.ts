import type { RunModel } from "../../reporter/run-model.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";

/** What the status of a run is as an exit code. */
export function exitOfRun({ status }: Pick<RunModel, "status">): ExitCode {
  switch (status) {
    case "pass":
      return EXIT.clean;
    case "fail":
      return EXIT.regressions;
    case "error":
      return EXIT.usage;
  }
}
