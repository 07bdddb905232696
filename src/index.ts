import { requireNode } from "./kernel/require-node.ts";

export { type RecordToolsOptions, recordTools } from "./record/calls/record-tools.ts";
export { type Tool, type ToolConfig, type ToolEffect, type ToolRun, tool } from "./record/calls/tool.ts";
export { stableStringify } from "./kernel/json/canonical-json.ts";
export type { IgnoreRule } from "./kernel/ignore-rule.ts";
export type { NormalizeRequest } from "./redact/check-rules.ts";
export type { CallRole, CallScope, RoleRules } from "./kernel/call-role.ts";
export type { CompareBy, Tolerance, ToleranceFn } from "./kernel/diff/compare-rules.ts";
export { hashValue, hashValueSync, hashWithContent } from "./kernel/json/hash.ts";
export type { KeyBy, KeyFn } from "./kernel/diff/compare-rules.ts";
export { type Result, err, flatMap, isErr, isOk, map, mapErr, ok, unwrap } from "./kernel/result.ts";
export { formatPath } from "./kernel/text.ts";
export type { AdapterMode, AdapterModes, ResponseMode, TestMode } from "./check/adapter-mode.ts";
export {
  type PolicyConfig,
  type RecordingConfig,
  type RedactConfig,
  type ReportConfig,
  type TelemetryConfig,
  type TransactionConfig,
  type VeritestConfig,
  defineConfig,
} from "./config/config.ts";
export { type StepEntry, type StepsConfig } from "./config/steps-config.ts";
export { applyDiff } from "./kernel/diff/apply-diff.ts";
export { diff } from "./kernel/diff/diff.ts";
export { formatDiff } from "./kernel/diff/format-diff.ts";
export { normalizeForDiff } from "./kernel/diff/normalize-for-diff.ts";
export { similar } from "./kernel/diff/tolerances.ts";
export { ignore, matches, oneOf, within } from "./kernel/diff/tolerances.ts";
export type { Tolerated } from "./kernel/diff/tolerate.ts";
export type { DiffEntry, DiffResult } from "./kernel/diff/entries.ts";
export type { AdapterCall } from "./record/adapter-call.ts";
export { type CaptureOptions, captureArtifact } from "./record/snapshot.ts";
export { type Clock, type ClockOptions, clock } from "./record/interceptors/clock-random-ids.ts";
export { type Ids, type IdsOptions, ids } from "./record/interceptors/clock-random-ids.ts";
export { type Random, type RandomOptions, random } from "./record/interceptors/clock-random-ids.ts";
export { type StepOutputContent, loadOutput } from "./record/read-snapshot.ts";
export { type AdapterRecorder, recordAdapters } from "./record/proxy/record-adapters.ts";
export type { RecordingOptions } from "./record/recording-rules.ts";
export type { UnrecordedRequest } from "./record/replay/unrecorded-request.ts";
export { type AdapterReplayer, replayAdapters } from "./record/replay/replay-adapters.ts";
export {
  type Snapshot,
  type SnapshotConfig,
  type SnapshotFromResultOptions,
  createSnapshot,
  createSnapshotFromResult,
} from "./record/snapshot.ts";
export { type Recording, withReplay } from "./record/with-replay.ts";
export { type PurityUse, type WatchedRun, watchPurity } from "./record/watch-purity.ts";
export {
  type Redacted,
  type RedactedSecret,
  type Redactor,
  type RedactorOptions,
  createRedactor,
} from "./redact/create-redactor.ts";
export { configureRedaction } from "./redact/current-redactor.ts";
export { type SecretFinding, findSecrets } from "./redact/find-secrets.ts";
export { type KnownSecret, secretVariables } from "./redact/known-values.ts";
export type { Cause, CauseKind, Evidence } from "./check/cause/cause.ts";
export { type SnapshotComparison, compareSnapshots } from "./check/compare-snapshots.ts";
export {
  type RecomputeSettings,
  type RecomputeOptions,
  type RecomputeResult,
  type RecomputeStatus,
  recompute,
} from "./check/recompute.ts";
export { type ReplayPart, type ReplayVerdict, replay } from "./check/replay.ts";
export type { SchemaViolation } from "./check/run-case.ts";
export { type Artifact, type ArtifactKind, RESERVED_ARTIFACT_KINDS } from "./kernel/step/artifact.ts";
export { type CommandProblem, checkCommands } from "./kernel/step/check-commands.ts";
export {
  type Command,
  type EmitCommand,
  type FanoutCommand,
  type InvokeCommand,
  type ReviewCommand,
  type SuspendCommand,
  emit,
  fanout,
  invoke,
  isBlockingCommand,
  isControlCommand,
  isSideEffectCommand,
  review,
  suspend,
} from "./kernel/step/command.ts";
export {
  commandSchema,
  emitCommandSchema,
  fanoutCommandSchema,
  invokeCommandSchema,
  reviewCommandSchema,
  suspendCommandSchema,
} from "./kernel/step/command-schema.ts";
export {
  type BaseAdapters,
  type ContextFactory,
  type ExecutionMetadata,
  type StepContext,
  createContextFactory,
} from "./kernel/step/context.ts";
export {
  type AnyStep,
  type Step,
  type StepConfig,
  type StepInput,
  type StepOutput,
  type StepReturn,
  defineStep,
} from "./kernel/step/define-step.ts";
export {
  type Workflow,
  type WorkflowConfig,
  type WorkflowSteps,
  defineWorkflow,
} from "./kernel/step/define-workflow.ts";
export {
  type LayeredState,
  type OverlayConflict,
  diffEffectiveState,
  effectiveState,
  overlayConflicts,
} from "./kernel/step/effective-state.ts";
export type { AuditEvent, LLMTrace } from "./kernel/step/context.ts";
export { type FailureDetails, type StepFailure, fail, isStepFailure } from "./kernel/step/fail.ts";
export { commandKey, normalizeCommands } from "./kernel/step/command.ts";
export {
  type AdaptersOption,
  type OptionsArgument,
  type RunIdentity,
  type RunOptions,
  type RunStepInput,
  run,
  runStep,
} from "./kernel/step/run.ts";
export type { Schema, SchemaResult, SchemaInput, SchemaIssue, SchemaOutput } from "./kernel/step/schema.ts";
export type { StepError, StepErrorCode } from "./kernel/step/fail.ts";
export type { StepResult } from "./kernel/step/step-result.ts";

requireNode();
