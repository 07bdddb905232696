export type { Embedder } from "./extras/grounding/adapters/embed.ts";
export type {
  JudgeModel,
  LlmAdapter,
  LlmJsonFormat,
  LlmOptions,
  LlmRequest,
} from "./extras/grounding/adapters/llm-adapter.ts";
export {
  type NliAdapter,
  type NliPair,
  type NliScore,
  type PostJson,
  teiNli,
} from "./extras/grounding/adapters/nli-adapter.ts";
export type { GroundingResult } from "./extras/grounding/checks/received-value.ts";
export {
  type GroundedResult,
  type ToBeGroundedInOptions,
  toBeGroundedIn,
} from "./extras/grounding/checks/to-be-grounded-in.ts";
export { type ToCiteOptions, toCite } from "./extras/grounding/checks/to-cite.ts";
export { type ToCoverOptions, toCover } from "./extras/grounding/checks/to-cover.ts";
export { explainGrounding } from "./extras/grounding/checks/explain-grounding.ts";
export type {
  AnsweredClaim,
  AnsweredQuestion,
  FlowQuestion,
  CompleteState,
  FailedState,
  FlowDocument,
  AnswerEvent,
  AnswerPhase,
  AnswerState,
} from "./extras/grounding/flow/answer-state.ts";
export type { FlowAdapters, FlowOptions } from "./extras/grounding/flow/flow-options.ts";
export { type GroundedAnswerFlow, groundedAnswer } from "./extras/grounding/flow/grounded-answer.ts";
export { jsonLog } from "./extras/grounding/flow/json-log.ts";
export type { FlowRun } from "./extras/grounding/flow/run-flow.ts";
export { type GroundingConfig, groundingConfig } from "./extras/grounding/grounding-config.ts";
export { type GroundingError, type GroundingErrorKind, isGroundingError } from "./extras/grounding/grounding-error.ts";
export type { ChunkOptions } from "./extras/grounding/ingest/chunk-text.ts";
export type { Chunk, DocumentKind, IngestLimits, IngestedDocument } from "./extras/grounding/ingest/document.ts";
export { type DocumentInput, type IngestOptions, ingest } from "./extras/grounding/ingest/ingest.ts";
export {
  type Loop,
  andThen,
  branch,
  identity,
  mapOutput,
  parallel,
  until,
} from "./extras/grounding/pipeline/compose.ts";
export { type Pipeline, type PipelineContext, stage } from "./extras/grounding/pipeline/pipeline.ts";
export { type PipelineStepConfig, stageOf, stepOf } from "./extras/grounding/pipeline/steps.ts";
export { type Judge, verified } from "./extras/grounding/pipeline/verified.ts";
export { type Coverage, type QueryConcept, coverageOf } from "./extras/grounding/retrieve/coverage.ts";
export {
  type IndexData,
  type MemoryIndex,
  type MemoryIndexOptions,
  createMemoryIndex,
  readIndex,
  serializeIndex,
} from "./extras/grounding/retrieve/memory-index.ts";
export { type Retrieval, type RetrieveOptions, retrieve } from "./extras/grounding/retrieve/retrieve.ts";
export type {
  SearchHit,
  SearchIndex,
  SearchMethod,
  SearchOptions,
  SearchResult,
} from "./extras/grounding/retrieve/search-index.ts";
export { type BlendOptions, blend } from "./extras/grounding/verify/blend.ts";
export { embeddingVerifier } from "./extras/grounding/verify/embedding-verifier.ts";
export { judgeVerifier } from "./extras/grounding/verify/judge-verifier.ts";
export {
  type ClaimToVerify,
  type ClaimVerdict,
  type Verifier,
  type VerifierContext,
  lexicalVerifier,
} from "./extras/grounding/verify/verifier.ts";
export { nliVerifier } from "./extras/grounding/verify/nli-verifier.ts";
export type { GroundingSource, Sources } from "./extras/grounding/verify/sources.ts";
export type {
  Citation,
  ClaimCitation,
  ClaimDifference,
  Contradiction,
  GroundingLabel,
  Verification,
  VerifiedClaim,
} from "./extras/grounding/verify/verification.ts";
export type { ContradictionKind, NoteKind } from "./extras/grounding/verify/difference.ts";
export { type VerifyOptions, verifyGrounding } from "./extras/grounding/verify/verify-grounding.ts";
