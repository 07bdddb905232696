import type { Check } from "../../check/check.ts";

/** Which differences fail a sweep. What is damaged, failed, or refused by a schema always does. */
export interface FailOn {
  /** Differences of outputs, events and inputs. */
  readonly diff: boolean;
  /** Differences of commands. */
  readonly commands: boolean;
  /** Outputs that break their schema, and requests nothing is recorded for. */
  readonly refusals: boolean;
}

/** How bad a check is for the exit code of a sweep: 0 not at all, 1 a regression, 2 nothing can be known. */
export function badnessOf({ verdict }: Pick<Check, "verdict">, { diff, commands, refusals }: FailOn): 0 | 1 | 2 {
  switch (verdict.kind) {
    case "clean":
    case "obsolete":
      return 0;
    case "value_changed":
    case "commands_changed":
      return verdict.changes.some(({ part }) => (part === "commands" ? commands : diff)) ? 1 : 0;
    case "schema_violation":
    case "request_changed":
      return refusals ? 1 : 0;
    case "missing":
    case "failed":
      return 1;
    case "broken":
      return 2;
  }
}
