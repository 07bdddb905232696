import type { AdapterMode } from "../check/run/adapter-mode.ts";
import type { RoleRules } from "../kernel/call-role.ts";
import type { BaseAdapters } from "../kernel/step/context.ts";
import type { AnyStep } from "../kernel/step/define-step.ts";
import type { CheckRules } from "../redact/check-rules.ts";

/** Options shared by the matchers that check recorded calls, such as `toCall` and `toCallInOrder`. */
export interface TrajectoryOptions extends CheckRules {
  /** Input of the step that you pass to `expect`. The matcher first replays its baseline, so use `await`. */
  readonly input?: unknown;
  /** Adapters to call for an input without a baseline (not in CI), or if `VERITEST_MODE` is live. */
  readonly adapters?: BaseAdapters;
  /** Source of adapter responses. Default: `replay`. With `-u`, a case with an unrecorded request runs live. */
  readonly mode?: AdapterMode;
  /** Roles of adapters, in addition to the detected roles. Model calls aren't part of a trajectory. */
  readonly roles?: RoleRules;
}

/** A step that a matcher runs on an input before it judges the run. */
export interface StepToRecord {
  readonly matcher: string;
  readonly step: AnyStep;
  readonly options: TrajectoryOptions;
}
