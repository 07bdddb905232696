// Types of a check, and functions that make and extend one. To read how a case is checked, begin with check-case.ts.

import type { IgnoreRule } from "../kernel/ignore-rule.ts";
import type { CallScope } from "../kernel/call-role.ts";
import type { CompareBy, KeyBy } from "../kernel/diff/compare-rules.ts";
import type { CaseDetails } from "../baseline/create-baseline.ts";
import type { StoredCase } from "../baseline/baseline-library.ts";
import type { BaselineUpdate } from "../baseline/baseline.ts";
import type { DiffEntry } from "../kernel/diff/entries.ts";
import type { AdapterCall } from "../record/adapter-call.ts";
import type { Snapshot } from "../record/snapshot.ts";
import type { RevealedSecrets } from "../redact/revealed-secrets.ts";
import type { AnyStep } from "../kernel/step/define-step.ts";
import type { StepError } from "../kernel/step/fail.ts";
import type { ResponsePlan, RunPlan } from "./run/adapter-mode.ts";
import type { ServiceFailure } from "./cause/cause.ts";
import type { CaseRules } from "./compare/case-rules.ts";
import type { Outcome } from "./compare/compare.ts";
import type { Budget, LlmCosts } from "./run/costs.ts";
import type { Verdict, VerdictClass } from "./verdict.ts";

/** Run id of steps in a check. It's constant, so a step that uses it returns the same each time. */
export const CHECK_RUN_ID = "baseline";

/**
 * A case to check: a step, the stored baseline, and the input if the test passes one. A `StoredCase` is a file and the
 * result of parsing it, a `StepBaseline` is its content, and a `Snapshot` is the form for `replay` and comparisons.
 */
export interface Case extends Pick<StoredCase, "file" | "path"> {
  readonly step: AnyStep;
  /** Undefined for a new case. */
  readonly stored: StoredCase | undefined;
  /** The input from the test; undefined if the stored one is used. */
  readonly input?: TestInput | undefined;
  /** New name, labels and meta; undefined keeps the stored ones. */
  readonly details?: CaseDetails | undefined;
}

/**
 * An input from a test. Data *reveals* a secret if the name of a field says that its value is one, as `password` does.
 * A value that looks random is then hidden in all parts of the recording, see `RevealedSecrets`.
 */
export interface TestInput {
  readonly value: unknown;
  /**
   * Hash that identifies the case: of the input without its secrets. If calls or the output of a stored case reveal
   * more secrets of the same input, it's the hash of that case.
   */
  readonly hash: string;
  /** True if the baseline hides a part of the input. Inputs that differ only in hidden parts are one case. */
  readonly isHidden: boolean;
  /** Secrets that the input reveals. */
  readonly secrets: RevealedSecrets;
  /** Returns the path of a new case whose run reveals more secrets and so changes the hash. Absent for a named case. */
  readonly pathFor?: (inputHash: string) => string;
}

/** Context of a check: its responses, requirements of a run, and allowed updates. */
export interface CheckContext {
  /** The directory of the baselines. */
  readonly root: string;
  readonly responses: ResponsePlan;
  /** Use the step's schemas: parse inputs, and report outputs that break them as violations. Default: true. */
  readonly validate?: boolean | undefined;
  /** Check outputs against the complete schema instead of the partial one. Default: false. */
  readonly strictOutput?: boolean | undefined;
  /** Budget of each run's model calls. */
  readonly budget?: Budget | undefined;
  /** Tolerances. Default: the step's own rules. */
  readonly compare?: CompareBy | undefined;
  /** Calls that count. Default: as in the step or the project. */
  readonly calls?: CallScope | undefined;
  /** True if a live run fails on a request without a recorded response. Default: as in the project. */
  readonly strictRequests?: boolean | undefined;
  /**
   * Parts of requests whose changes keep the recorded responses, in addition to `recording.harmless` of the
   * configuration.
   */
  readonly harmless?: readonly IgnoreRule[] | undefined;
  /** True if writes run; if false, a live run skips them and gets a stubbed response. */
  readonly executesWrites?: boolean | undefined;
  /** True for a run that writes changes (`-u`): it also writes a clean case whose file contains a secret. */
  readonly hidesStoredSecrets?: boolean | undefined;
  /** True for `toReplay`: only the same bytes pass, of events too, and there is no update. */
  readonly isByteExact?: boolean | undefined;
  /**
   * How to run a new case. Undefined if this run can't store a result: the case isn't run, and its verdict is
   * `missing`. `reviewOnly`: the case is run only to propose a pending update, so its verdict is `missing`, even if its
   * step fails.
   */
  readonly capture?: { readonly responses: RunPlan; readonly reviewOnly: boolean } | undefined;
}

/** Result of one case's check. */
export interface Check {
  /** The baseline file as shown; its future path if it doesn't exist. */
  readonly file: string;
  readonly path: string;
  readonly verdict: Verdict;
  /** Details for reports besides the verdict. */
  readonly findings: Findings;
  /** Update that would accept the change; undefined if there is none to accept, or the result can't be stored. */
  readonly update: CheckUpdate | undefined;
  /**
   * The input as its baseline stores it, secrets hidden; absent for a clean case, for one that is captured, and for one
   * without an input.
   */
  readonly input?: unknown;
  /** Data of its run for the search for a cause: removed after the search, absent if the check can't have a cause. */
  readonly runToExplain?: RunToExplain | undefined;
}

/** Report of a case without a baseline in a run that writes none. An earlier input's baseline may belong to it. */
export interface NewCase {
  /** The input as its baseline would store it. */
  readonly input: unknown;
  /** The baseline that a capture would write. Absent if the run has no result to store. */
  readonly text?: string | undefined;
  /** Rules of its check, as JSON. Absent if there are none. */
  readonly rules?: string | undefined;
}

/** Details of a check for reports. Each is absent if there is nothing to report. */
export interface Findings {
  /** Source of the adapters' responses; absent without a run. A recorded response never counts as a live one. */
  readonly source?: "recorded" | "live" | undefined;
  /**
   * Adapters of recorded calls that the step didn't make, one name for each call; only if recorded calls were replayed.
   */
  readonly uncalled?: readonly string[] | undefined;
  /** True if the run failed, and one of its live calls failed or has no complete response. */
  readonly hasFailedCall?: true | undefined;
  /** Failure of a service that ended the live run, if the step's error doesn't have its status. */
  readonly serviceFailure?: ServiceFailure | undefined;
  /** Description of outages in the run of a new case whose step handled them. */
  readonly handledOutage?: string | undefined;
  /** Rules of `compare` that applied. */
  readonly compare?: CompareBy | undefined;
  /** Paths of output lists with elements matched by key. */
  readonly keyed?: readonly string[] | undefined;
  /** Rules that match the stored or the current result, and rules that match neither. */
  readonly matchedRules?: readonly string[] | undefined;
  readonly unmatchedRules?: readonly string[] | undefined;
  /** True if a live check used recorded responses, because the stored input has placeholders for secrets. */
  readonly notLive?: boolean | undefined;
  /** Number of writes that a live run skipped. */
  readonly skippedWrites?: number | undefined;
  /**
   * Hosts and paths that the run reached outside adapters and recorders (untrusted text), and the number of calls that
   * it recorded.
   */
  readonly networkAccess?: { readonly locations: readonly string[]; readonly recordedCalls: number } | undefined;
  /** The project's rules of `ignore`, by whether one matched so far. The summary shows what never matched. */
  readonly projectIgnores?: { readonly matched: readonly string[]; readonly unmatched: readonly string[] } | undefined;
  /** Headers of replayed requests that differ from the recorded ones and aren't compared. */
  readonly otherHeaders?: readonly string[] | undefined;
  /** For scripted responses: number of requests that differ from the recorded ones. */
  readonly scripted?: { readonly changedRequests: number } | undefined;
  /** True if the run has staged another result of the case, so that none of them can be accepted. */
  readonly isSecondResult?: true | undefined;
  /** True if the check has an unrecorded request, and accepting a pending change of an earlier run makes it clean. */
  readonly hasPendingResult?: true | undefined;
  /** Share of clean runs, if there were several. */
  readonly trials?: Trials | undefined;
  /** Duration in milliseconds without the search for a cause. */
  readonly ms?: number | undefined;
  /** Number of its live calls of adapters and recorders, of all trials together. */
  readonly liveCalls?: number | undefined;
  /** Cost of its live model calls, of all trials together. Recorded responses cost nothing. */
  readonly costs?: LlmCosts | undefined;
  /** Content of a table of outcomes, for display as one. */
  readonly grid?: OutcomeGrid | undefined;
}

/** Outcomes of a step under several conditions, with named rows and columns. */
export interface OutcomeGrid {
  readonly columns: readonly string[];
  readonly rows: readonly {
    readonly name: string;
    /** Outcome for each column; null if the column's condition doesn't apply. */
    readonly cells: readonly (GridCell | null)[];
  }[];
}

/** One outcome of a grid. Untrusted text. */
export interface GridCell {
  readonly text: string;
  /** The accepted outcome, if it differs from `text`. Absent if no outcome has been accepted yet. */
  readonly before?: string;
  /** True for an outcome that no step should have. */
  readonly wrong: boolean;
}

/** Update of a check. `updateOfRun` creates it, `verifyUpdate` replays it, and `stageUpdate` stages it. */
export interface CheckUpdate {
  /** Creates the update. Throws the error that refuses to store its result. */
  readonly propose: () => BaselineUpdate;
  /** Data to verify the update before it is staged; absent for results and values, which no step replays. */
  readonly verification?: UpdateVerification | undefined;
  /** True if the update rebases the case, see `rebaseCase`. */
  readonly keepsResponses?: true | undefined;
  /** Rules of the check of a new case. Absent for any other case. */
  readonly rules?: CaseRules | undefined;
  /** Keys of list elements if no step declares them. */
  readonly keyBy?: KeyBy | undefined;
  /** Changes that the update writes in addition to the verdict's, by path in the file. Absent if there are none. */
  readonly otherChanges?: readonly DiffEntry[] | undefined;
  /**
   * State after `stageUpdate`. `toWrite`: the run's end writes it. `pending`: it's kept for review.
   * `refused`: it was to be kept for review, but can't be stored. Absent before, and for an update that is ignored.
   */
  readonly state?: "toWrite" | "pending" | { readonly refused: StepError } | undefined;
}

/** Data to verify an update: a replay by its step must return the same result. */
export interface UpdateVerification {
  readonly step: AnyStep;
  /** Creates the update with the original ids and times, for a step that reads them; absent if `propose` keeps them. */
  readonly proposeWithOriginalIds?: (() => BaselineUpdate) | undefined;
  /** Creates the update with the order of the responses; absent if they came in the order of the calls. */
  readonly proposeInOrder?: (() => BaselineUpdate) | undefined;
}

/** Data of a stored case's run, as far as the search for a change's cause needs it. */
export interface RunToExplain extends Pick<CheckContext, "validate" | "strictOutput" | "compare"> {
  readonly step: AnyStep;
  readonly snapshot: Snapshot;
  /** Outcome of the run; undefined if the run didn't finish. */
  readonly outcome: Outcome | undefined;
  /** Calls of the run to live adapters; undefined if recorded responses were replayed. */
  readonly live: readonly AdapterCall[] | undefined;
  /** Secrets that names in it reveal. */
  readonly secrets: RevealedSecrets | undefined;
}

/** A path of the output and the number of runs in which it equals the baseline. */
export interface PathStability {
  readonly path: readonly (string | number)[];
  readonly equal: number;
  readonly of: number;
}

/** Results of several live runs of one case. */
export interface Trials {
  /** Number of planned runs, and number that had to be clean. */
  readonly planned: number;
  readonly min: number;
  /** Number of runs: fewer than planned if the result was decided early. */
  readonly run: number;
  readonly clean: number;
  /** The 95 % Wilson score interval of the share of clean runs. */
  readonly interval: readonly [low: number, high: number];
  /** Number of runs of each class. */
  readonly classes: Readonly<Partial<Record<VerdictClass, number>>>;
  /** Paths that differed at least once, the least stable first. */
  readonly unstable: readonly PathStability[];
}

/** Returns the rules of a check in their stored form; empty without rules. */
export function ruleFindings(compare: CompareBy, keyBy: KeyBy): Pick<Findings, "compare" | "keyed"> {
  const keyed = Object.keys(keyBy);
  return { ...(Object.keys(compare).length > 0 && { compare }), ...(keyed.length > 0 && { keyed }) };
}

/** Adds findings to a check. */
export function withFindings(check: Check, findings: Findings): Check {
  return { ...check, findings: { ...check.findings, ...findings } };
}

/** Returns a finished check without an update. */
export function checkWithoutUpdate({ file, path }: Pick<Check, "file" | "path">, verdict: Verdict): Check {
  return { file, path, verdict, findings: {}, update: undefined };
}

/** Returns a failed check of a case without a baseline. */
export function failedNewCase(file: Pick<Check, "file" | "path">, error: StepError): Check {
  return checkWithoutUpdate(file, { kind: "failed", error, isNew: true });
}

/** Returns true if the update of a check rebases the case, see `rebaseCase`. */
export function isRebased({ update }: Pick<Check, "update">): boolean {
  return update?.keepsResponses === true;
}
