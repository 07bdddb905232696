export {
  type AdaptersOption,
  type OptionsArgument,
  type RunIdentity,
  type RunOptions,
  type RunStepInput,
  run,
  runStep,
} from "./kernel/step/run.ts";
export type { StepResult } from "./kernel/step/step-result.ts";
export { type StepError, isStepFailure } from "./kernel/step/fail.ts";
export type { Schema, SchemaInput, SchemaIssue, SchemaOutput, SchemaResult } from "./kernel/step/schema.ts";
export type { SchemaViolation } from "./check/run/run-case.ts";
export {
  type AuditEvent,
  type ContextFactory,
  type ExecutionMetadata,
  type LLMTrace,
  createContextFactory,
} from "./kernel/step/context.ts";
export { type Result, err, flatMap, isErr, isOk, map, mapErr, ok, unwrap } from "./kernel/result.ts";

export {
  type CaptureOptions,
  type Snapshot,
  type SnapshotConfig,
  type SnapshotFromResultOptions,
  captureArtifact,
  createSnapshot,
  createSnapshotFromResult,
} from "./record/snapshot.ts";
export { type Artifact, type ArtifactKind, RESERVED_ARTIFACT_KINDS } from "./kernel/step/artifact.ts";
export { type StepOutputContent, loadOutput } from "./record/read-snapshot.ts";
export { type PurityUse, type WatchedRun, watchPurity } from "./record/watch-purity.ts";

export { type ReplayPart, type ReplayVerdict, replay } from "./check/replay.ts";
export {
  type RecomputeOptions,
  type RecomputeResult,
  type RecomputeSettings,
  type RecomputeStatus,
  recompute,
} from "./check/recompute.ts";
export type { Cause, CauseKind, Evidence } from "./check/cause/cause.ts";
export { type SnapshotComparison, compareSnapshots } from "./check/compare/compare-snapshots.ts";

export type { CallChange, CallsDiff } from "./record/calls/diff-calls.ts";
export type { CallRow } from "./record/calls/align-calls.ts";
export { diff } from "./kernel/diff/diff.ts";
export { applyDiff } from "./kernel/diff/apply-diff.ts";
export { type FormatDiffOptions, formatDiff } from "./kernel/diff/format-diff.ts";
export { normalizeForDiff } from "./kernel/diff/keyed-lists.ts";
export type { DiffEntry, DiffResult } from "./kernel/diff/entries.ts";
export type { Tolerated } from "./kernel/diff/tolerate.ts";
export { formatPath } from "./kernel/text.ts";
export { stableStringify } from "./kernel/json/canonical-json.ts";
export { hashValue, hashValueSync, hashWithContent } from "./kernel/json/hash.ts";
export {
  type LayeredState,
  type OverlayConflict,
  diffEffectiveState,
  effectiveState,
  overlayConflicts,
} from "./kernel/step/effective-state.ts";
