import type { CallScope } from "../kernel/call-role.ts";
import type { CompareBy, KeyBy } from "../kernel/diff/compare-rules.ts";
import type { CaseDetails } from "../baseline/baseline-of.ts";
import type { StoredCase } from "../baseline/library.ts";
import type { Proposal } from "../baseline/baseline.ts";
import type { DiffEntry } from "../kernel/diff/entries.ts";
import type { AdapterCall } from "../record/adapter-call.ts";
import type { Snapshot } from "../record/snapshot.ts";
import type { RecordingSecrets } from "../redact/recording-secrets.ts";
import type { AnyStep } from "../kernel/step/define-step.ts";
import type { StepError } from "../kernel/step/fail.ts";
import type { Answers } from "./adapter-mode.ts";
import type { Outcome } from "./compare.ts";
import type { Budget, LlmCosts } from "./costs.ts";
import type { Verdict, VerdictKind } from "./verdict.ts";

/** The run id steps see under a check: constant, so that a step that uses it answers the same each time. */
export const CHECK_RUN_ID = "baseline";

/** A case to check: a step, what is stored, and the input where a test gives it. */
export interface Case extends Pick<StoredCase, "file" | "path"> {
  readonly step: AnyStep;
  /** Undefined for a new case. */
  readonly stored: StoredCase | undefined;
  /** The input as it was given; undefined where the stored one is run. */
  readonly input?: GivenInput | undefined;
  /** New name, labels and meta; those stored are kept where undefined. */
  readonly details?: CaseDetails | undefined;
}

/** An input as it was given. */
export interface GivenInput {
  readonly whole: unknown;
  /** Its hash as a baseline keeps it, without what it says itself is secret; that of its stored case if it has one. */
  readonly hash: string;
  /** True if a part of it is hidden in its baseline: then inputs that differ there alone are one case. */
  readonly isHidden: boolean;
  /** What it says is secret. */
  readonly secrets: RecordingSecrets;
  /** Where a new case lies whose input the rest of its recording hides more of; absent where a name tells the case. */
  readonly placeOf?: (inputHash: string) => string;
}

/** What a case is checked in: where answers come from, what is demanded of a run, and what may come of it. */
export interface World {
  /** The directory of the baselines. */
  readonly root: string;
  readonly answers: Answers;
  /** Parse inputs and observe outputs with the step's schemas. Default true. */
  readonly validate?: boolean | undefined;
  /** Check outputs against the whole schema instead of the partial one. Default false. */
  readonly strictOutput?: boolean | undefined;
  /** What the model calls of each run may cost. */
  readonly within?: Budget | undefined;
  /** What is tolerated; the step's own rules where undefined. */
  readonly compare?: CompareBy | undefined;
  /** Which calls count; what the step or the project says where undefined. */
  readonly calls?: CallScope | undefined;
  /** True where a live run fails that asks what no recorded call answers; what the project says where undefined. */
  readonly strictRequests?: boolean | undefined;
  /** True where writes run: else a live run's are held, and answered in their place. */
  readonly runsWrites?: boolean | undefined;
  /** True where only the same bytes will do, of events too, and nothing is proposed: a replay. */
  readonly exact?: boolean | undefined;
  /** How a new case is run; undefined where it could not be kept anyway: then it is not run, and missing. */
  readonly capture?: { readonly answers: Answers; readonly reviewOnly: boolean } | undefined;
}

/** One case that was checked: the verdict, and the change that would settle it where there is one. */
export interface Check {
  /** The baseline file, for people; where it would be when there is none. */
  readonly file: string;
  readonly path: string;
  readonly verdict: Verdict;
  /** Makes the proposal that would accept what was found; undefined where nothing can be accepted. */
  readonly propose: (() => Proposal) | undefined;
  /** Proof of the proposal before it is kept; absent for results and values, which no step replays. */
  readonly proof?: ProposalProof | undefined;
  /**
   * Where the adapters' answers came from; undefined where no step ran. A recorded answer never counts as a live one.
   */
  readonly source?: "recorded" | "live" | undefined;
  /**
   * The adapters of recorded calls that were not made, one name for each call; only where recorded calls were served.
   */
  readonly unused?: readonly string[] | undefined;
  /**
   * The input it ran on as a baseline keeps it, secrets hidden; absent of what came out clean or missing, and of what
   * has none.
   */
  readonly input?: unknown;
  /** The rules of `compare` it was judged by; absent where there are none. */
  readonly compare?: CompareBy | undefined;
  /** The paths of lists of the output whose elements were told apart by key; absent where there are none. */
  readonly keyed?: readonly string[] | undefined;
  /** Rules whose paths lead nowhere in what is stored and in what came out; absent where there are none. */
  readonly unresolved?: readonly string[] | undefined;
  /** How many writes a live run asked for that did not run; absent where there were none. */
  readonly held?: number | undefined;
  /**
   * Where its run reached past adapters and tapes, host and place, and how many calls were made of those; absent where
   * it did not. Untrusted text.
   */
  readonly reached?: { readonly places: readonly string[]; readonly calls: number } | undefined;
  /** Where recorded answers were served as a script: how many answered another request than they were recorded for. */
  readonly scripted?: number | undefined;
  /** How often it came out clean, where it was run more than once. */
  readonly trials?: Trials | undefined;
  /** How long asking took, in milliseconds, the search for a cause left out; undefined where nobody timed it. */
  readonly ms?: number | undefined;
  /**
   * What its live model calls cost, of all trials together; undefined where none was traced. Recorded answers cost
   * nothing.
   */
  readonly costs?: LlmCosts | undefined;
  /** What a table of outcomes says, for who shows it as one. */
  readonly grid?: OutcomeGrid | undefined;
  /** How elements of lists are told apart where no step says so; absent where they are not. */
  readonly keyBy?: KeyBy | undefined;
  /** What its proposal writes beside what the verdict tells, by its place in the file; absent where that is nothing. */
  readonly beside?: readonly DiffEntry[] | undefined;
  /** What became of its proposal, once that was decided: absent where nothing did. */
  readonly kept?: "written" | "held" | { readonly refused: StepError } | undefined;
  /** What its run left for who asks why it came out so: gone once that was asked, absent where there is no cause. */
  readonly run?: RunToExplain | undefined;
}

/** What proves a proposal: a replay by its step must give the same result. */
export interface ProposalProof {
  readonly step: AnyStep;
  /** Makes the proposal with ids and times as they came, for a step that reads them; absent if it has them already. */
  readonly proposeAsCame?: (() => Proposal) | undefined;
}

/** A check that failed where nothing is stored that it could be held against. */
export function failedNew({ file, path }: Pick<Check, "file" | "path">, error: StepError): Check {
  return { file, path, verdict: { kind: "failed", error, isNew: true }, propose: undefined };
}

/** What came of a step under each of several conditions, where each row and each column has a name. */
export interface OutcomeGrid {
  readonly columns: readonly string[];
  readonly rows: readonly {
    readonly name: string;
    /** One for each column; null where the condition does not apply. */
    readonly cells: readonly (GridCell | null)[];
  }[];
}

/** One outcome of a grid. Untrusted text. */
export interface GridCell {
  readonly text: string;
  /** What is accepted instead; absent where it is this, or nothing is accepted yet. */
  readonly before?: string;
  /** True where no step should end so. */
  readonly wrong: boolean;
}

/** The rules a check was judged by, as it keeps them: nothing where there are none. */
export function rulesOf(compare: CompareBy, keyBy: KeyBy): Pick<Check, "compare" | "keyed"> {
  const keyed = Object.keys(keyBy);
  return { ...(Object.keys(compare).length > 0 && { compare }), ...(keyed.length > 0 && { keyed }) };
}

/** What a run of a stored case left, as far as the cause of a change is sought in it. */
export interface RunToExplain extends Pick<World, "validate" | "strictOutput" | "compare"> {
  readonly step: AnyStep;
  readonly snapshot: Snapshot;
  /** What it came to; undefined where it came to no end. */
  readonly outcome: Outcome | undefined;
  /** The calls it made of live adapters; undefined where recorded answers were served. */
  readonly live: readonly AdapterCall[] | undefined;
  /** What names told to be secret in it. */
  readonly secrets: RecordingSecrets | undefined;
}

/** A path of the output and how often it came out as the baseline says. */
export interface PathStability {
  readonly path: readonly (string | number)[];
  readonly equal: number;
  readonly of: number;
}

/** What several live runs of one case came to. */
export interface Trials {
  /** Runs that were asked for, and the number of them that had to be clean. */
  readonly planned: number;
  readonly min: number;
  /** Runs that were made: fewer than planned where the outcome was decided before. */
  readonly run: number;
  readonly clean: number;
  /** The 95 % Wilson score interval of the share of clean runs. */
  readonly interval: readonly [low: number, high: number];
  /** How often each class came out. */
  readonly classes: Readonly<Partial<Record<VerdictKind, number>>>;
  /** Paths that differed at least once, the least stable first. */
  readonly unstable: readonly PathStability[];
}
