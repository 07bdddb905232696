import type { CallChange } from "../../record/calls/diff-calls.ts";
import type { DiffEntry } from "../../kernel/diff/entries.ts";
import type { SchemaViolation } from "../run-case.ts";

/** What can be to blame for a change. */
export type CauseKind = "code" | "prompt" | "model" | "schema";

/** A request that is not among the recorded ones, or a recorded one that is no longer made. */
export interface RequestChange {
  readonly kind: "changed" | "added" | "dropped";
  readonly adapter: string;
  /** Where a changed request differs from the recorded one it stands for, under `request`. */
  readonly entries: readonly DiffEntry[];
}

/** A write that comes in another place. */
export type MovedCall = Extract<CallChange, { readonly kind: "moved" }>;

/** A request that is the same as recorded and was answered differently. */
export interface ResponseChange {
  readonly adapter: string;
  /** Where the answer differs from the recorded one, under `response` or `error`. */
  readonly entries: readonly DiffEntry[];
}

/** Calls that an answer led to. */
export interface FollowingCalls {
  /**
   * The question to a model, counted from 1, whose other answer led to the first new call; undefined where none did.
   */
  readonly nth: number | undefined;
  readonly changes: readonly CallChange[];
}

/** What speaks for one cause. */
export type Evidence =
  | {
      readonly kind: "code";
      /** What today's code makes of the recorded answers, against the baseline; empty where it came to no result. */
      readonly entries: readonly DiffEntry[];
      /** How it ended instead of with a result, a phrase. */
      readonly ended?: string | undefined;
      /** True where the same answers, given twice, led to different results. */
      readonly unstable?: true | undefined;
      /** What it asks tools otherwise on the recorded answers. */
      readonly calls?: readonly RequestChange[] | undefined;
      /** The writes that it makes in another order on the recorded answers. */
      readonly moved?: readonly MovedCall[] | undefined;
      /** An adapter among them that is asked in prose, as a model is: nobody declared it one. */
      readonly prose?: string | undefined;
    }
  | { readonly kind: "prompt"; readonly requests: readonly RequestChange[] }
  | {
      readonly kind: "model";
      /** Requests in which only the model's name is another. */
      readonly requests: readonly RequestChange[];
      readonly responses: readonly ResponseChange[];
      /** What the step does because of another answer, and would not on the recorded ones. */
      readonly follows?: FollowingCalls | undefined;
    }
  | {
      readonly kind: "schema";
      /** How the stored input is parsed today, against how it was parsed when it was captured. */
      readonly entries: readonly DiffEntry[];
      /** What today's schemas refuse although it is as it was. */
      readonly violations: readonly SchemaViolation[];
    };

/** Why a case changed: one cause, or several at once, with the evidence of each. */
export interface Cause {
  readonly kind: CauseKind | "mixed";
  readonly evidence: readonly Evidence[];
}
