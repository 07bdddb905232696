import type { Block } from "./block.ts";

/** What somebody says of a review; `override` puts these fields over the state, and approves. */
export type ReviewResolution = "approve" | "reject" | { readonly override: Readonly<Record<string, unknown>> };

/** A method, so that a test may say what its checkpoints are: `(checkpoint: { id: string }) => …`. */
export interface Resumes {
  data(checkpoint: unknown, block: Block): unknown;
}

/** What answers the blocks of a run; one that is answered with `undefined` stays open, and the run ends there. */
export interface BlockResolutions {
  readonly review?:
    | ReviewResolution
    | ((review: Block) => ReviewResolution | undefined | Promise<ReviewResolution | undefined>)
    | undefined;
  /** What a suspended run goes on with: JSON, or a function of its checkpoint. */
  readonly suspend?: Resumes["data"] | object | string | number | boolean | null | undefined;
}

/** How a workflow is run whole. */
export interface WorkflowStepOptions {
  /** The step a run begins with. Default: the workflow's first. */
  readonly start?: string | undefined;
  /** What people and callers answer. Default: nothing, so that a run ends at its first block. */
  readonly resolve?: BlockResolutions | undefined;
  /** Tells the runs of one step apart by a field of their input, `{ rate: "claimId" }`. Default: counted from 1. */
  readonly runsBy?: Readonly<Record<string, string>> | undefined;
}
