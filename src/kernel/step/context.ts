import type { Artifact } from "./artifact.ts";

/** Any adapters object: clients a step calls, injected so that they can be recorded and replaced. */
export type BaseAdapters = object;

/** Second argument of a step's `run`, after its input. */
export interface StepContext<Adapters extends BaseAdapters = BaseAdapters> {
  readonly adapters: Adapters;
  readonly workflowId: string;
  readonly workflowVersion: string;
  readonly runId: string;
  /** The same for each attempt at one command, for adapters that write; only there where a runner carries it out. */
  readonly idempotencyKey?: string;
  /** Aborted when a runner ends the attempt because its `timeoutMs` have passed. */
  readonly signal?: AbortSignal;
  /** Keeps an artifact (or one still being hashed) with the run. Reserved kinds are refused with a TypeError. */
  readonly onArtifact?: (artifact: Artifact | Promise<Artifact>) => void;
  /** Reports an audit event; it precedes the events the step returns. */
  readonly emitEvent: (event: AuditEvent) => void;
}

/** Context of an execution, and receivers of its events and artifacts. */
export interface ExecutionMetadata {
  readonly workflowId: string;
  readonly workflowVersion: string;
  readonly runId: string;
  readonly onArtifact?: (artifact: Artifact | Promise<Artifact>) => void;
  readonly emitEvent?: (event: AuditEvent) => void;
}

/** Makes the context of one execution. */
export type ContextFactory<Adapters extends BaseAdapters = BaseAdapters> = (
  metadata: ExecutionMetadata,
) => StepContext<Adapters>;

/** The usual factory: the same adapters for every execution. */
export function createContextFactory<Adapters extends BaseAdapters>(adapters: Adapters): ContextFactory<Adapters> {
  return ({ emitEvent = () => undefined, ...metadata }) => ({ ...metadata, adapters, emitEvent });
}

/** Costs and response of one model call. Hashes are always present; content is optional, for compliance. */
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
 * Something a step reports for the audit trail. Events are stored, replayed and compared; `llmTrace` is not compared.
 */
export interface AuditEvent {
  readonly type: string;
  readonly payload?: unknown;
  readonly llmTrace?: LLMTrace;
}
