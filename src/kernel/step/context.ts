import type { Artifact } from "./artifact.ts";

/** Object with the clients that a step calls. The caller passes them in, so that veritest can record them. */
export type BaseAdapters = object;

/** Second argument of a step's `run`, after its input. */
export interface StepContext<Adapters extends BaseAdapters = BaseAdapters> {
  readonly adapters: Adapters;
  readonly workflowId: string;
  readonly workflowVersion: string;
  readonly runId: string;
  /** Key that is the same for all attempts of a command, for adapters that write. Only a runner sets it. */
  readonly idempotencyKey?: string;
  /** Aborted when a runner ends the attempt because its `timeoutMs` have passed. */
  readonly signal?: AbortSignal;
  /** Stores an artifact, or a promise of an artifact, with the run. Throws a TypeError for a reserved kind. */
  readonly onArtifact?: (artifact: Artifact | Promise<Artifact>) => void;
  /** Reports an audit event. It comes before the events that the step returns. */
  readonly emitEvent: (event: AuditEvent) => void;
}

/** Context of a run, and the receivers of its events and artifacts. */
export interface ExecutionMetadata {
  readonly workflowId: string;
  readonly workflowVersion: string;
  readonly runId: string;
  readonly onArtifact?: (artifact: Artifact | Promise<Artifact>) => void;
  readonly emitEvent?: (event: AuditEvent) => void;
}

/** Creates the context of one run. */
export type ContextFactory<Adapters extends BaseAdapters = BaseAdapters> = (
  metadata: ExecutionMetadata,
) => StepContext<Adapters>;

/** Creates a factory that passes the same adapters to every run. */
export function createContextFactory<Adapters extends BaseAdapters>(adapters: Adapters): ContextFactory<Adapters> {
  return ({ emitEvent = () => undefined, ...metadata }) => ({ ...metadata, adapters, emitEvent });
}

/**
 * Costs and response of one model call. Hashes are always present. Content is optional, so you can omit it for
 * compliance.
 */
export interface LLMTrace {
  readonly model: string;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly durationMs: number;
  readonly inputHash: string;
  readonly outputHash: string;
  readonly input?: unknown;
  readonly output?: unknown;
}

/**
 * An event that a step reports for the audit trail. Events are stored, replayed and compared, except for `llmTrace`.
 */
export interface AuditEvent {
  readonly type: string;
  readonly payload?: unknown;
  readonly llmTrace?: LLMTrace;
}
