import { withCauses } from "../kernel/error-message.ts";
import { ComparisonError, type Tolerated } from "../kernel/diff/tolerate.ts";
import type { UnrecordedRequest } from "../record/replay/unrecorded-request.ts";
import { currentRedactor } from "../redact/current-redactor.ts";
import type { SchemaIssue } from "../kernel/step/schema.ts";
import type { StepError } from "../kernel/step/fail.ts";
import type { StepBaseline } from "../baseline/baseline.ts";
import type { PartDiff, ReportedPart, Comparison } from "./compare/compare.ts";
import { mayLackCalls } from "./compare/parsed-input.ts";
import type { Cause } from "./cause/cause.ts";
import { type SchemaViolation, violationOf } from "./run/run-case.ts";
import { HASH_ONLY, hashOnlyResponseError } from "./run/snapshot-integrity.ts";

/** Data of a finished case besides its class. */
interface VerdictDetails {
  /** Reason for the verdict; undefined if the search found none or didn't run. */
  readonly cause?: Cause | undefined;
  /** Differences that a rule of `compare` tolerates: reported, never dropped. */
  readonly tolerated?: readonly Tolerated[] | undefined;
}

/** Remarks on a clean case whose new baseline would still differ from the stored one. */
interface CleanRemarks {
  /** True if a live run sent requests that the recording doesn't have: a replay would have no response for them. */
  readonly hasOtherRequests?: true;
  /** True if the output differs only in the order of lists that are compared by key. */
  readonly isReordered?: true;
}

/** Relation of one case to its baseline. */
export type Verdict =
  | ({ readonly kind: "clean" } & VerdictDetails & CleanRemarks)
  | ({ readonly kind: "value_changed"; readonly changes: readonly PartDiff[] } & VerdictDetails)
  | ({ readonly kind: "commands_changed"; readonly changes: readonly PartDiff[] } & VerdictDetails)
  | ({ readonly kind: "calls_changed"; readonly changes: readonly PartDiff[] } & VerdictDetails)
  | ({ readonly kind: "events_changed"; readonly changes: readonly PartDiff[] } & VerdictDetails)
  | ({
      readonly kind: "schema_violation";
      readonly violations: readonly SchemaViolation[];
      readonly changes: readonly PartDiff[];
    } & VerdictDetails)
  | ({
      readonly kind: "request_changed";
      readonly unrecorded: UnrecordedRequest;
      /** Number of recorded calls. */
      readonly recordedCount: number;
      /** True if the baseline was captured from a result, whose calls aren't recorded. */
      readonly lacksCalls?: true;
    } & VerdictDetails)
  | {
      readonly kind: "failed";
      readonly error: StepError;
      readonly cause?: Cause | undefined;
      /** True if no baseline is stored, so the case can't have changed. */
      readonly isNew?: true;
    }
  /** No baseline is stored. `needsKey`: it wasn't captured, because the run has only a placeholder for the API key. */
  | { readonly kind: "missing"; readonly needsKey?: true }
  /** No test uses the baseline: `findObsolete` finds it at the run's end. `checkCase` never returns this. */
  | { readonly kind: "obsolete" }
  /** The file is damaged, or of another kind. */
  | { readonly kind: "broken"; readonly problem: string };

/**
 * Name of a verdict's class. `input_changed`: the run's end pairs a new case with an unused one of the same test and
 * step, so no check returns it.
 */
export type VerdictClass = Verdict["kind"] | "input_changed";

/** Returns true for a new case that wasn't captured because its run had no key. */
export function needsKey(verdict: Verdict): boolean {
  return verdict.kind === "missing" && verdict.needsKey === true;
}

/** A verdict that can have a cause. */
export type ExplainableVerdict = Extract<Verdict, { readonly cause?: Cause | undefined }>;

/** Returns true for a verdict that can have a cause. */
export function canHaveCause(verdict: Verdict): verdict is ExplainableVerdict {
  switch (verdict.kind) {
    case "clean":
    case "value_changed":
    case "commands_changed":
    case "calls_changed":
    case "events_changed":
    case "schema_violation":
    case "request_changed":
    case "failed":
      return true;
    case "missing":
    case "obsolete":
    case "broken":
      return false;
  }
}

/** Severity of each class: lower is worse. Reports list the worst first. */
export const SEVERITY: Readonly<Record<VerdictClass, number>> = {
  broken: 0,
  failed: 1,
  schema_violation: 2,
  request_changed: 3,
  commands_changed: 4,
  calls_changed: 5,
  value_changed: 6,
  events_changed: 7,
  input_changed: 7,
  missing: 8,
  obsolete: 9,
  clean: 10,
};

/** Returns true for the text of a verdict's class. */
export function isVerdictClass(value: unknown): value is VerdictClass {
  return typeof value === "string" && Object.hasOwn(SEVERITY, value);
}

/** Returns the verdict of a comparison: clean without a difference, or else the class of the most significant one. */
export function verdictOf(
  { compared, tolerated, isReordered }: Comparison,
  violations: readonly SchemaViolation[] = [],
): Verdict {
  const changes = compared.filter(({ diff }) => !diff.equal);
  const findings = { ...(tolerated.length > 0 && { tolerated }) };
  if (violations.length > 0) return { kind: "schema_violation", violations, changes, ...findings };
  if (changes.length === 0) return { kind: "clean", ...findings, ...(isReordered && { isReordered }) };
  return { kind: classOfParts(new Set(changes.map(({ part }) => part))), changes, ...findings };
}

/**
 * Returns the class of a difference. Commands that change without the output are the most severe; if the output changes
 * too, they follow from it. A step's calls are more severe than its values, and its events are the least severe.
 */
export function classOfParts(
  parts: ReadonlySet<ReportedPart>,
): "commands_changed" | "calls_changed" | "value_changed" | "events_changed" {
  const hasValue = parts.has("output") || parts.has("input");
  if (parts.has("commands") && !hasValue) return "commands_changed";
  if (parts.has("calls")) return "calls_changed";
  return hasValue ? "value_changed" : "events_changed";
}

/** Returns the verdict on a request that a baseline doesn't have. */
export function verdictOfUnrecorded(
  unrecorded: UnrecordedRequest,
  baseline: Pick<StepBaseline, "calls" | "artifacts">,
): Verdict {
  const error = hashOnlyResponseError(unrecorded);
  if (error !== undefined) return { kind: "failed", error };
  const lacksCalls = mayLackCalls(baseline) && { lacksCalls: true as const };
  return { kind: "request_changed", unrecorded, recordedCount: baseline.calls.length, ...lacksCalls };
}

/**
 * Returns true if the recording lacks a response: a request isn't recorded, or only the hash of its response is stored.
 * A stored input of which only the hash is known has the code `HASH_ONLY` too: a live check ends in the same error.
 */
export function needsLiveAdapters(verdict: Verdict): boolean {
  return verdict.kind === "request_changed" || (verdict.kind === "failed" && verdict.error.code === HASH_ONLY);
}

/**
 * Returns the verdict on an error of a recompute or replay: damage is `broken`, an input that the current schema
 * refuses is a `schema_violation`, and a step's own failure is `failed`.
 */
export function verdictOfError(unredacted: StepError, file: string): Verdict {
  const error = redactedError(unredacted);
  const { code, message } = error;
  if (code === "input_hash_mismatch" || code === "snapshot_corrupted")
    return { kind: "broken", problem: damaged(error, file) };
  if (code === "normalization_failed") {
    const fix = error.cause instanceof ComparisonError ? error.cause.fix : "Fix keyBy or the output.";
    return { kind: "failed", error: { ...error, message: `Cannot compare with ${file}: ${message}. ${fix}` } };
  }
  if (code === "input_validation") return { kind: "schema_violation", violations: inputViolations(error), changes: [] };
  return { kind: "failed", error };
}

/** The actual and expected hashes don't help the reader. */
function damaged({ message }: StepError, file: string): string {
  const problem = message.replace(/: expected \S+, got .*$/s, "");
  const fix = "Restore the file with npx veritest repair --restore, or delete it and capture the case again.";
  return `Cannot use ${file}: ${problem}. It was probably edited by hand or damaged in a merge. ${fix}`;
}

function inputViolations({ cause, message }: StepError): SchemaViolation[] {
  const issues = typeof cause === "object" && cause !== null && "issues" in cause ? cause.issues : undefined;
  if (!Array.isArray(issues)) return [{ path: ["input"], kind: "other", message, isInput: true }];
  return issues.filter(isIssue).map((issue) => {
    const violation = violationOf(issue);
    return { ...violation, path: ["input", ...violation.path], isInput: true };
  });
}

function isIssue(value: unknown): value is SchemaIssue {
  return typeof value === "object" && value !== null && "message" in value;
}

/** Returns an error that is safe to show and store: a step's error may quote its input. A thrown one has its causes. */
export function redactedError(error: StepError): StepError {
  const { code, cause } = error;
  const text = code === "execution_failed" ? withCauses(error.message, cause) : error.message;
  const message = currentRedactor().redactText(text);
  return message === error.message ? error : { ...error, message };
}
