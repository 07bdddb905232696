/** Identity of a run: its workflow and its id, which is unique within the workflow. */
export interface RunRef {
  readonly workflowId: string;
  readonly runId: string;
}

/**
 * Decision on a block. `approve`, `reject` and `override` resolve a review, and `resume` resolves a suspend. Cancelling
 * the run gives `cancel`.
 */
export type Decision =
  | { readonly kind: "approve" }
  | { readonly kind: "reject" }
  | { readonly kind: "cancel" }
  | { readonly kind: "override"; readonly patch: Readonly<Record<string, unknown>> }
  | { readonly kind: "resume"; readonly data: unknown };

/** Block of a run: a review or data that the run waits for. It can be resolved once; its other fields never change. */
export interface Block extends RunRef {
  readonly blockId: string;
  readonly workflowVersion: string;
  readonly stepId: string;
  readonly stepName: string;
  readonly kind: "review" | "suspend";
  readonly reason: string;
  /** Payload of the review that opened the block. */
  readonly payload?: unknown;
  /** Checkpoint of the suspend that opened the block. */
  readonly checkpoint?: unknown;
  readonly resumeStep?: string;
  /** Decision of a review, or data of a suspend, for a block that is still open after `after` milliseconds. */
  readonly timeout?: { readonly after: number; readonly decision?: "approve" | "reject"; readonly data?: unknown };
  readonly openedAt: number;
  readonly resolvedAt?: number;
  readonly resolution?: { readonly decision: Decision; readonly actor: string; readonly reason: string };
}
