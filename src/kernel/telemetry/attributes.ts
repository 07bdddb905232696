/**
 * All names that veritest sends to OpenTelemetry or reads from it. The names of `gen_ai.` all have the state
 * "Development" and still change. A new version of the conventions only changes this file and docs/traces.md.
 */

/** Attributes of `open-telemetry/semantic-conventions-genai` 0.1.0 that are sent or read, with those of general use. */
export const GEN_AI = {
  operation: "gen_ai.operation.name",
  provider: "gen_ai.provider.name",
  agentName: "gen_ai.agent.name",
  inputMessages: "gen_ai.input.messages",
  outputMessages: "gen_ai.output.messages",
  systemInstructions: "gen_ai.system_instructions",
  toolDefinitions: "gen_ai.tool.definitions",
  toolName: "gen_ai.tool.name",
  toolType: "gen_ai.tool.type",
  toolCallId: "gen_ai.tool.call.id",
  toolCallArguments: "gen_ai.tool.call.arguments",
  toolCallResult: "gen_ai.tool.call.result",
  requestModel: "gen_ai.request.model",
  responseId: "gen_ai.response.id",
  responseModel: "gen_ai.response.model",
  responseFinishReasons: "gen_ai.response.finish_reasons",
  usageInputTokens: "gen_ai.usage.input_tokens",
  usageOutputTokens: "gen_ai.usage.output_tokens",
  tokenType: "gen_ai.token.type",
  evaluationName: "gen_ai.evaluation.name",
  evaluationLabel: "gen_ai.evaluation.score.label",
  evaluationExplanation: "gen_ai.evaluation.explanation",
  errorType: "error.type",
} as const;

/** Values of {@link GEN_AI}'s `operation`, which also begin a span's name. */
export const GEN_AI_OPERATION = {
  chat: "chat",
  executeTool: "execute_tool",
  generateContent: "generate_content",
  textCompletion: "text_completion",
} as const;

/** Events of the conventions. */
export const GEN_AI_EVENT = {
  evaluationResult: "gen_ai.evaluation.result",
  inferenceDetails: "gen_ai.client.inference.operation.details",
} as const;

/** Names of versions of the conventions up to 1.36, which instrumentations still emit; read, never written. */
export const GEN_AI_OLD = {
  system: "gen_ai.system",
  /** Event of a span, with {@link GEN_AI_OLD}'s `prompt` as its attribute. */
  contentPromptEvent: "gen_ai.content.prompt",
  /** Event of a span, with {@link GEN_AI_OLD}'s `completion` as its attribute. */
  contentCompletionEvent: "gen_ai.content.completion",
  prompt: "gen_ai.prompt",
  completion: "gen_ai.completion",
  systemMessageEvent: "gen_ai.system.message",
  userMessageEvent: "gen_ai.user.message",
  assistantMessageEvent: "gen_ai.assistant.message",
  toolMessageEvent: "gen_ai.tool.message",
  choiceEvent: "gen_ai.choice",
  usagePromptTokens: "gen_ai.usage.prompt_tokens",
  usageCompletionTokens: "gen_ai.usage.completion_tokens",
} as const;

/** Attributes of veritest's own. Hashes are the hex of SHA-256 over canonical JSON, as in a baseline. */
export const VERITEST = {
  stepName: "veritest.step.name",
  workflowName: "veritest.workflow.name",
  workflowVersion: "veritest.workflow.version",
  runId: "veritest.run.id",
  inputHash: "veritest.input.hash",
  outputHash: "veritest.output.hash",
  /** `ok` or `failed`. */
  status: "veritest.status",
  /** Content, redacted, as JSON; there only with `captureContent`. */
  input: "veritest.input",
  /** Content, redacted, as JSON; there only with `captureContent`. */
  output: "veritest.output",
  /** The dotted path of the adapter that was called. */
  adapter: "veritest.adapter",
  /** `served` from a recording, or `live`. */
  callSource: "veritest.call.source",
  /** The kind of a check's verdict. */
  checkClass: "veritest.check.class",
  /** The baseline's file, relative to the folder of the baselines. */
  checkFile: "veritest.check.file",
  commandKey: "veritest.command.key",
  /** `invoke` or `emit`. */
  commandKind: "veritest.command.kind",
  /** Number of the attempt, starting at 1. */
  commandAttempt: "veritest.command.attempt",
  /** The version of a run that a commit wrote. */
  runVersion: "veritest.run.version",
  /** True if the step had been committed before. */
  commitDuplicate: "veritest.commit.duplicate",
  /** Number of rows in a lease. */
  leaseRows: "veritest.lease.rows",
} as const;

/** The metrics. */
export const METRIC = {
  checks: "veritest.checks",
  calls: "veritest.calls",
  retries: "veritest.retries",
  dispatchLag: "veritest.dispatch.lag",
  tokens: "gen_ai.client.token.usage",
  groundingDuration: "vera.operation.duration",
} as const;

/** Attributes of `veritest/grounding`, as its specification names them. */
export const VERA = {
  operation: "vera.operation",
  documentId: "vera.document_id",
  phase: "vera.phase",
  groundingScore: "vera.grounding_score",
  status: "vera.status",
  durationMs: "vera.duration_ms",
  label: "vera.label",
  documents: "vera.documents",
  chunks: "vera.chunks",
  hops: "vera.hops",
  passages: "vera.passages",
  coverage: "vera.coverage",
  answeredBy: "vera.answered_by",
  responseLength: "vera.response_length",
  claims: "vera.claims",
  citations: "vera.citations",
  errorKind: "vera.error_kind",
  errorCode: "vera.error_code",
} as const;
