import type { CallRow } from "../record/calls/align-calls.ts";
import type { CallRole } from "../kernel/call-role.ts";
import type { VerdictClass } from "../check/verdict.ts";
import type { UnrecordedReason } from "../record/replay/unrecorded-request.ts";
import type { CauseKind, RequestChange } from "../check/cause/cause.ts";
import type { SchemaViolation } from "../check/run/run-case.ts";

/** Value in a report: JSON, redacted, long texts cut. */
export type ReportValue =
  | string
  | number
  | boolean
  | null
  | readonly ReportValue[]
  | { readonly [name: string]: ReportValue };

/** Part of a case that has a difference. */
export type ReportPart = "input" | "output" | "commands" | "events" | "calls" | "request" | "response";

/** Kind of change of part `calls`. */
export interface ReportCallChange {
  readonly kind: "added" | "removed" | "changed" | "moved";
  readonly role: CallRole;
  /** Number of equal calls that were added or removed. */
  readonly times: number;
  /** New position of a write that moved: `before tools.reserve`. */
  readonly movedTo: string | null;
}

/** One difference. An absent side has no value there. A check in memory has its values as they are. */
export interface ReportChange<Value = ReportValue> {
  readonly part: ReportPart;
  /** Dot path below the part, as failure messages write it; empty for the entire part. Untrusted text. */
  readonly path: string;
  /** The path with `*` for keys and indexes, if it differs from the path without indexes. Untrusted text. */
  readonly general?: string | undefined;
  readonly before?: Value | undefined;
  readonly after?: Value | undefined;
  /** True if a text was cut or a sentence replaced a value that is too large. */
  readonly cut: boolean;
  /** Number of the changed numbers of a long list, of which this change is the first. Absent: one. */
  readonly count?: number | undefined;
  /** Kind of the change, for part `calls`. */
  readonly call?: ReportCallChange | undefined;
}

/** A difference that a rule of `compare` let pass. */
export interface ReportTolerated<Value = ReportValue> extends ReportChange<Value> {
  /** The rule's path as it was written, and what it is called: `within(0.05)`. */
  readonly rule: string;
  readonly label: string;
}

/** A violation of the schema by an output. */
export interface ReportViolation {
  readonly path: string;
  readonly kind: SchemaViolation["kind"];
  readonly message: string;
}

/** A call of an adapter that speaks for a cause. */
export interface ReportCall<Value = ReportValue> {
  readonly adapter: string;
  /** `answered`: the request is the recorded one, its answer is another. */
  readonly kind: RequestChange["kind"] | "answered";
  /** Differences from the recorded request or response. */
  readonly changes: readonly ReportChange<Value>[];
}

/** Evidence for one cause. */
export interface ReportEvidence<Value = ReportValue> {
  readonly kind: CauseKind;
  /** Requests and answers: of prompt and model. */
  readonly calls: readonly ReportCall<Value>[];
  /** Differences of the current code on the recorded responses, or of the current schema on the stored input. */
  readonly changes: readonly ReportChange<Value>[];
  readonly violations: readonly ReportViolation[];
}

/** Reason for a case's result. */
export interface ReportCause<Value = ReportValue> {
  readonly kind: CauseKind | "mixed";
  /** The line a failing test prints: `cause: code (same requests, same responses, new output)`. */
  readonly line: string;
  readonly evidence: readonly ReportEvidence<Value>[];
}

/** A request for which the recording had no answer. */
export interface ReportUnrecordedRequest<Value = ReportValue> {
  readonly adapter: string;
  readonly reason: UnrecordedReason;
  /** Number of recorded calls of this adapter. */
  readonly recorded: number;
  /** Known of a check at hand, not in files: the chunks of a stream that was read past its end. */
  readonly chunks?: number | undefined;
  /** Known of a check at hand, not in files: the baseline has no recorded calls at all. */
  readonly bare?: boolean | undefined;
  /** Known of a check at hand, not in files: the arguments of a call that is compared with no recorded one. */
  readonly request?: Value | undefined;
  /** Differences of the request from the nearest recorded one; empty if none is near. */
  readonly changes: readonly ReportChange<Value>[];
}

/** Results of several live runs of one case. */
export interface ReportTrials {
  readonly planned: number;
  readonly min: number;
  readonly run: number;
  readonly clean: number;
  /** The 95 % Wilson score interval of the share of clean runs, from 0 to 1. */
  readonly interval: readonly [low: number, high: number];
  readonly classes: Readonly<Partial<Record<VerdictClass, number>>>;
  /** Paths of the output that differed at least once, the least stable first: equal in `equal` of `of` runs. */
  readonly unstable: readonly { readonly path: string; readonly equal: number; readonly of: number }[];
}

/**
 * One row of two trajectories: a call as it is written, `tools.lookup({"city":"Oslo"})`, null on the side without it.
 */
export interface ReportRow {
  readonly kind: CallRow["kind"];
  readonly role: CallRow["role"];
  readonly baseline: string | null;
  readonly now: string | null;
}

/** Outcomes of a step under several conditions. The names of rows and columns are untrusted text, too. */
export interface ReportGrid {
  readonly columns: readonly string[];
  readonly rows: readonly ReportGridRow[];
  /** Number of rows that were left out, to keep the report readable. */
  readonly moreRows: number;
}

/** One row of a grid, with a cell for each column; null if the column's condition doesn't apply. */
export interface ReportGridRow {
  readonly name: string;
  readonly cells: readonly (ReportGridCell | null)[];
}

/** One outcome of a grid. Untrusted text. */
export interface ReportGridCell {
  readonly text: string;
  /** Accepted outcome, if it differs; absent if it is the same, or if no outcome is accepted yet. */
  readonly before?: string | undefined;
  /** True if no step should end like this, accepted or not. */
  readonly wrong: boolean;
}

/** Findings of a case; a clean one may have none. */
export interface ReportFindings<Value = ReportValue> {
  readonly cause: ReportCause<Value> | null;
  readonly changes: readonly ReportChange<Value>[];
  /** Calls of both runs side by side, in the current order, if they differ. */
  readonly trajectory: readonly ReportRow[];
  /** Number of changes that were left out, to keep the report readable. */
  readonly more: number;
  readonly violations: readonly ReportViolation[];
  readonly tolerated: readonly ReportTolerated<Value>[];
  /**
   * Error of class `failed`; `at` is the location in the project at which it was thrown, `file:line:column`, if there
   * is one.
   */
  readonly error: { readonly code: string; readonly message: string; readonly at?: string | undefined } | null;
  /** Problem of the file, for class `broken`. */
  readonly problem: string | null;
  /** Unrecorded request, for class `request_changed`. */
  readonly unrecorded: ReportUnrecordedRequest<Value> | null;
  /** The adapters of recorded calls that were not made, a name for each. */
  readonly unused: readonly string[];
  readonly trials: ReportTrials | null;
  /** Present for a clean case only if an accepted outcome in it is wrong. */
  readonly grid: ReportGrid | null;
  /** Shortened input of the step; absent for a clean case and if there is none. */
  readonly input?: ReportValue | undefined;
}

/** Findings of a case that doesn't have any. */
export const NO_FINDINGS: ReportFindings = {
  cause: null,
  changes: [],
  trajectory: [],
  more: 0,
  violations: [],
  tolerated: [],
  error: null,
  problem: null,
  unrecorded: null,
  unused: [],
  trials: null,
  grid: null,
};

/** Cost of live calls of language models; recorded responses count as zero. */
export interface ReportUsage {
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** US dollars by the project's prices; absent if it has none. Models without a price count as zero. */
  readonly cost?: number | undefined;
}

/** State of a case's change: no change, written, pending, or removed. */
export type ReportUpdateState = "none" | "captured" | "updated" | "removed" | "pending" | "review";

/** One check of one baseline. */
export interface ReportCase {
  /** The step, or what a value is called. Untrusted text, like every text here that is not of a fixed set. */
  readonly step: string;
  /** The baseline file, relative to the project's root, with forward slashes: what `veritest accept` takes. */
  readonly baseline: string;
  readonly labels: readonly string[];
  /** Test that checked it; null for the command line. `line` is the line of its assertion, counted from 1. */
  readonly test: { readonly file: string; readonly name: string; readonly line: number | null } | null;
  readonly kind: VerdictClass;
  readonly updateState: ReportUpdateState;
  /** Source of the adapters' responses; null if no step ran. */
  readonly source: "recorded" | "live" | null;
  readonly durationMs: number | null;
  readonly usage: ReportUsage | null;
  readonly findings: ReportFindings | null;
}
