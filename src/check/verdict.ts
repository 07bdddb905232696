import type { Tolerated } from "../diff/tolerate.ts";
import type { DiffResult } from "../diff/types.ts";
import type { RecordingMiss } from "../record/serve-adapters.ts";
import type { Cause } from "../replay/cause.ts";
import type { SchemaViolation } from "../replay/schema-violation.ts";
import type { StepError } from "../step/step-error.ts";

/** A part of a case that differs from its baseline. */
export interface Change {
  readonly part: "input" | "output" | "commands" | "events";
  readonly diff: DiffResult;
}

/** What a case that ran has beside its class. */
interface Findings {
  /** Why it came out as it did; undefined where that cannot be known: for results, values, changed inputs, replays. */
  readonly cause?: Cause | undefined;
  /** Differences a rule of `compare` let pass: told, never dropped. */
  readonly tolerated?: readonly Tolerated[] | undefined;
}

/** How one case stands against its baseline: classes, never scores. */
export type Verdict =
  | ({ readonly kind: "clean" } & Findings)
  | ({ readonly kind: "value_changed"; readonly changes: readonly Change[] } & Findings)
  | ({ readonly kind: "commands_changed"; readonly changes: readonly Change[] } & Findings)
  | ({
      readonly kind: "schema_violation";
      readonly violations: readonly SchemaViolation[];
      readonly changes: readonly Change[];
    } & Findings)
  | ({ readonly kind: "request_changed"; readonly miss: RecordingMiss; readonly recorded: number } & Findings)
  | { readonly kind: "failed"; readonly error: StepError }
  | { readonly kind: "missing" }
  | { readonly kind: "obsolete" }
  | { readonly kind: "broken"; readonly problem: string };

/** The name of a verdict's class. */
export type VerdictKind = Verdict["kind"];

/** How bad each class is: the lower, the worse. Reports list the worst first. */
export const SEVERITY: Readonly<Record<VerdictKind, number>> = {
  broken: 0,
  failed: 1,
  schema_violation: 2,
  request_changed: 3,
  commands_changed: 4,
  value_changed: 5,
  missing: 6,
  obsolete: 7,
  clean: 11,
};

/** The verdict on parts that were compared: clean without a difference, else by what differs most telling. */
export function verdictOfChanges(compared: readonly Change[], tolerated: readonly Tolerated[] = []): Verdict {
  const changes = compared.filter(({ diff }) => !diff.equal);
  const findings = tolerated.length === 0 ? {} : { tolerated };
  if (changes.length === 0) return { kind: "clean", ...findings };
  return {
    kind: changes.every(({ part }) => part === "commands") ? "commands_changed" : "value_changed",
    changes,
    ...findings,
  };
}
