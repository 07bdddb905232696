export type { Embedder } from "./grounding/adapters/embed.ts";
export type { LlmAdapter, LlmJsonFormat, LlmOptions, LlmRequest } from "./grounding/adapters/llm-adapter.ts";
export { type LocalNliOptions, localNli } from "./grounding/adapters/local-nli.ts";
export {
  type NliAdapter,
  type NliPair,
  type NliScore,
  type PostJson,
  teiNli,
  zeroShotNli,
} from "./grounding/adapters/nli-adapter.ts";
export type { GroundingAnswer } from "./grounding/checks/received-value.ts";
export {
  type GroundedAnswer,
  type ToBeGroundedInOptions,
  toBeGroundedIn,
} from "./grounding/checks/to-be-grounded-in.ts";
export { type ToCiteOptions, toCite } from "./grounding/checks/to-cite.ts";
export { type ToCoverOptions, toCover } from "./grounding/checks/to-cover.ts";
export { explainGrounding } from "./grounding/checks/explain-grounding.ts";
export type {
  AnsweredClaim,
  AnsweredQuestion,
  AskedQuestion,
  CompleteState,
  FailedState,
  FlowDocument,
  VeraEvent,
  VeraPhase,
  VeraState,
} from "./grounding/flow/vera-state.ts";
export type { FlowAdapters, FlowOptions } from "./grounding/flow/flow-options.ts";
export { type GroundedAnswerFlow, groundedAnswer } from "./grounding/flow/grounded-answer.ts";
export { jsonLog } from "./grounding/flow/json-log.ts";
export type { FlowRun } from "./grounding/flow/run-flow.ts";
export { type GroundingConfig, groundingConfig } from "./grounding/grounding-config.ts";
export { type GroundingError, type GroundingErrorKind, isGroundingError } from "./grounding/grounding-error.ts";
export type { ChunkOptions } from "./grounding/ingest/chunk-text.ts";
export type { Chunk, DocumentKind, IngestLimits, IngestedDocument } from "./grounding/ingest/document.ts";
export { type DocumentInput, type IngestOptions, ingest } from "./grounding/ingest/ingest.ts";
export { type Loop, andThen, branch, identity, mapOutput, parallel, until } from "./grounding/pipeline/compose.ts";
export { type OtelSpanOptions, otelSpan } from "./grounding/pipeline/otel-span.ts";
export { type Pipeline, type PipelineContext, stage } from "./grounding/pipeline/pipeline.ts";
export type { Traced } from "./grounding/pipeline/operation.ts";
export {
  type Span,
  type SpanAttribute,
  type SpanLog,
  type SpanRecord,
  createSpanLog,
} from "./grounding/pipeline/span.ts";
export { type PipelineStepConfig, stageOf, stepOf } from "./grounding/pipeline/steps.ts";
export { type Judge, verified } from "./grounding/pipeline/verified.ts";
export { type Coverage, type QueryConcept, coverageOf } from "./grounding/retrieve/coverage.ts";
export {
  type IndexData,
  type MemoryIndex,
  type MemoryIndexOptions,
  createMemoryIndex,
  readIndex,
  serializeIndex,
} from "./grounding/retrieve/memory-index.ts";
export { type Retrieval, type RetrieveOptions, retrieve } from "./grounding/retrieve/retrieve.ts";
export type {
  SearchHit,
  SearchIndex,
  SearchMethod,
  SearchOptions,
  SearchResult,
} from "./grounding/retrieve/search-index.ts";
export { type BlendOptions, type Calibration, blend, calibrate } from "./grounding/verify/blend.ts";
export { embeddingVerifier } from "./grounding/verify/embedding-verifier.ts";
export { judgeVerifier } from "./grounding/verify/judge-verifier.ts";
export {
  type ClaimToVerify,
  type ClaimVerdict,
  type Verifier,
  type VerifierContext,
  lexicalVerifier,
} from "./grounding/verify/verifier.ts";
export { nliVerifier } from "./grounding/verify/nli-verifier.ts";
export type { GroundingSource, Sources } from "./grounding/verify/sources.ts";
export type {
  Citation,
  ClaimCitation,
  GroundingLabel,
  Verification,
  VerifiedClaim,
} from "./grounding/verify/verification.ts";
export type { ConflictKind } from "./grounding/verify/alignment.ts";
export type { Conflict } from "./grounding/verify/lexical-score.ts";
export { type VerifyOptions, verifyGrounding } from "./grounding/verify/verify-grounding.ts";
