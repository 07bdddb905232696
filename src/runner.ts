export { type BatchItem, type BatchOptions, type BatchOutcome, type BatchSummary, runBatch } from "./runner/batch.ts";
export type { RunFailure, Sink } from "./runner/execute.ts";
export type { Rate, RetryOptions } from "./runner/limits.ts";
export {
  type Pipeline,
  type PipelineConfig,
  type PipelineStage,
  definePipeline,
} from "./runner/pipeline.ts";
export type { ProgressOutput } from "./runner/progress.ts";
export type { Queue, QueueJob, QueueTransaction } from "./runner/queue.ts";
export {
  type ChangeGroup,
  type RecomputeBatchOptions,
  type RecomputeSummary,
  type RecomputedStep,
  recomputeBatch,
} from "./runner/recompute-batch.ts";
export {
  type BlockAnswers,
  type ReviewAnswer,
  type WholeRunOptions,
  workflowStep,
} from "./runner/workflow-step.ts";
export type { StoredRunFilter, StoredStep } from "./store/stored-steps.ts";
export { type RunRequest, type Runner, type RunnerEvent, type RunnerOptions, createRunner } from "./runner/runner.ts";
