import type { Block } from "./block.ts";

/** Resolution of a review. `override` approves the review, and puts these fields over the state. */
export type ReviewResolution = "approve" | "reject" | { readonly override: Readonly<Record<string, unknown>> };

/**
 * Function of a checkpoint. It's a method, so that a test can declare the checkpoint's type: `(checkpoint: { id: string
 * }) => …`.
 */
export interface Resumes {
  data(checkpoint: unknown, block: Block): unknown;
}

/** Resolutions of a run's blocks. If a block gets `undefined`, it stays open, and the run ends there. */
export interface BlockResolutions {
  readonly review?:
    | ReviewResolution
    | ((review: Block) => ReviewResolution | undefined | Promise<ReviewResolution | undefined>)
    | undefined;
  /** Data with which a suspended run resumes: JSON, or a function of its checkpoint. */
  readonly suspend?: Resumes["data"] | object | string | number | boolean | null | undefined;
}

/** Kind of the artifact with the values that a workflow's steps parsed. */
export const STEP_PARSES = "step-parses";

/** A stored run of a complete workflow, for a step that repeats it. */
export interface StoredWholeRun {
  /** Stored output of the step, with the names of its runs and its decisions. */
  readonly output?: unknown;
  /** Decisions of the run. They replace the decisions in `output`. */
  readonly resolve?: BlockResolutions | undefined;
  /** Stored outputs of the workflow's steps. A repeated run with different ones fails with `not_reproduced`. */
  readonly outputs?: readonly { readonly step: string; readonly output: unknown }[];
  /**
   * Values that the steps' schemas parsed (`content`). The steps get them instead of today's. `onParse` gets each of
   * them, and today's value; undefined if the schema refuses it.
   */
  readonly parses?: {
    readonly content: unknown;
    readonly onParse: (at: readonly string[], before: unknown, now: unknown) => void;
  };
}

/** Options of a step that runs a complete workflow. */
export interface WorkflowStepOptions {
  /** Step that a run begins with. Default: the workflow's first step. */
  readonly start?: string | undefined;
  /** Decisions for the blocks of a run. Default: none, so the run ends at its first block. */
  readonly resolve?: BlockResolutions | undefined;
  /** Input field that identifies each run of a step, `{ rate: "claimId" }`. Default: runs are numbered from 1. */
  readonly runsBy?: Readonly<Record<string, string>> | undefined;
}
