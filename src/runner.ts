export {
  type BatchItem,
  type BatchOptions,
  type BatchOutcome,
  type BatchSummary,
  runBatch,
} from "./extras/runs/runner/batch.ts";
export type { RunFailure, RunReader, Sink } from "./extras/runs/runner/execute-command.ts";
export type { RetryOptions } from "./kernel/step/define-step.ts";
export type { Rate } from "./extras/runs/runner/limits.ts";
export {
  type Pipeline,
  type PipelineConfig,
  type PipelineStage,
  definePipeline,
} from "./extras/runs/runner/pipeline.ts";
export type { ProgressOutput } from "./extras/runs/runner/progress.ts";
export type { Queue, QueueDelivery, QueueJob, QueueTransaction } from "./extras/runs/runner/queue.ts";
export {
  type ChangeGroup,
  type RecomputeBatchOptions,
  type RecomputeSummary,
  type RecomputedStep,
  recomputeBatch,
} from "./extras/runs/runner/recompute-batch.ts";
export type { BlockResolutions, ReviewResolution, WorkflowStepOptions } from "./kernel/step/whole-run.ts";
export { workflowStep } from "./extras/runs/runner/workflow-step.ts";
export type { StoredRunFilter, StoredStep } from "./extras/runs/store/stored-steps.ts";
export {
  type RunRequest,
  type Runner,
  type RunnerEvent,
  type RunnerOptions,
  createRunner,
} from "./extras/runs/runner/runner.ts";
export { type WaitOptions, waitForRun } from "./extras/runs/runner/wait-for-run.ts";
