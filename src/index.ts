import { requireNode } from "./kernel/require-node.ts";

export {
  type AnyStep,
  type RetryOptions,
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
export type { BaseAdapters, StepContext } from "./kernel/step/context.ts";
export { type FailureDetails, type StepErrorCode, type StepFailure, fail } from "./kernel/step/fail.ts";
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
export type { StepEntry, StepsConfig } from "./config/steps-config.ts";

export { type RecordToolsOptions, recordTools } from "./record/calls/record-tools.ts";
export { type Tool, type ToolConfig, type ToolEffect, type ToolRun, tool } from "./record/calls/tool.ts";
export {
  type Clock,
  type ClockOptions,
  type Ids,
  type IdsOptions,
  type Random,
  type RandomOptions,
  clock,
  ids,
  random,
} from "./record/interceptors/clock-random-ids.ts";
export { type AdapterRecorder, recordAdapters } from "./record/proxy/record-adapters.ts";
export { type AdapterReplayer, replayAdapters } from "./record/replay/replay-adapters.ts";
export { type Recording, withReplay } from "./record/with-replay.ts";
export type { AdapterCall } from "./record/adapter-call.ts";
export type { RecordingOptions } from "./record/recording-rules.ts";
export type { UnrecordedRequest } from "./record/replay/unrecorded-request.ts";
export type { IgnoreRule } from "./kernel/ignore-rule.ts";
export { type ValueCodec, configureValues } from "./kernel/value-codecs.ts";
export type { CallRole, CallScope, OrderRule, OrderRules, RoleRules } from "./kernel/call-role.ts";
export type { NormalizeRequest } from "./redact/check-rules.ts";

export type { CompareBy, KeyBy, KeyFn, OrderedKey, Tolerance, ToleranceFn } from "./kernel/diff/compare-rules.ts";
export { diff } from "./kernel/diff/diff.ts";
export { anything, matches, oneOf, similar, within } from "./kernel/diff/tolerances.ts";

export type { AdapterMode, AdapterModes, ResponseMode, TestMode } from "./check/run/adapter-mode.ts";
export type { MatchBaselineOptions, MatchStepOptions, MatchValueOptions } from "./matchers/to-match-baseline.ts";
export type { PureOptions } from "./matchers/to-be-pure.ts";
export type { RecomputeCleanOptions } from "./matchers/to-recompute-clean.ts";
export type { ReplayOptions } from "./matchers/to-replay.ts";
export type { Budget } from "./check/run/costs.ts";
export type { FollowOptions, ReferenceCall, ToCallOptions, TrajectoryOptions } from "./matchers/trajectory-matchers.ts";
export type { SatisfyPropertiesOptions } from "./extras/properties/property-subject.ts";
export type { SurviveFaultsOptions } from "./extras/properties/faults/to-survive-faults.ts";

requireNode();
