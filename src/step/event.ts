/** What one model call cost and answered. Hashes are always there; content is optional, for compliance. */
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

/** Something a step reports for the audit trail. Events are stored and replayed, and never diffed by a recompute. */
export interface AuditEvent {
  readonly type: string;
  readonly payload?: unknown;
  readonly llmTrace?: LLMTrace;
}
