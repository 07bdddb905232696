import type { RoleRules } from "../kernel/call-role.ts";
import { refuseUnknownOptions } from "../kernel/did-you-mean.ts";
import { isArray, isPlainObject } from "../kernel/json/plain-data.ts";
import type { AdapterCall } from "../record/adapter-call.ts";
import type { Recording } from "../record/with-replay.ts";
import { checkRoles, isStep } from "../kernel/step/define-step.ts";
import type { StepResult } from "../kernel/step/step-result.ts";
import type { MatcherContext, MatcherResult } from "./matcher-context.ts";
import type { TrajectoryOptions } from "./step-to-record.ts";
import { readResult, wrongReceived } from "./received.ts";
import { errorText } from "./matcher-text.ts";

/** Options of these matchers and those of `toCall` and `toFollowTrajectory`. */
const OPTIONS = [
  "input",
  "adapters",
  "roles",
  "times",
  "mode",
  "match",
  "requests",
  "ignore",
  "matchHeaders",
  "normalizeRequest",
  "hashOnly",
] as const;

/** An answer at once, or that of a step that is run first. */
export type MatcherReturn = MatcherResult | Promise<MatcherResult>;

/** Call of a matcher of recorded calls. */
export interface TrajectoryRequest {
  readonly context: MatcherContext;
  readonly received: unknown;
  readonly options: TrajectoryOptions;
}

/**
 * Runs a matcher over a recording: it is checked as it is, or a step is replayed or recorded first. `judge` gets the
 * declared roles, also those of the step.
 */
export function withRecording(
  matcher: string,
  { context, received, options }: TrajectoryRequest,
  judge: (recorded: unknown, roles: RoleRules) => MatcherResult,
): MatcherReturn {
  refuseUnknownOptions(matcher, options, OPTIONS);
  checkRoles(matcher, options.roles);
  if (!isStep(received)) return judge(received, options.roles ?? {});
  if (!("input" in options))
    throw new TypeError(
      `${matcher} needs the step's input ({ input, adapters }) or a recording (await withReplay(…)).`,
    );
  const roles = { ...received.roles, ...options.roles };
  if (context.recordStep === undefined) throw new Error(`${matcher} must be called inside a test.`);
  return context.recordStep({ matcher, step: received, options }).then((run) => judge(run, roles));
}

/** Recorded calls of a run or of its result; `calls` is absent if only artifacts may have them. */
export interface RecordedCalls extends Pick<StepResult, "artifacts" | "events"> {
  readonly calls?: readonly AdapterCall[];
}

/** Reads a recording or a result. Throws the step's own error if it failed, and a TypeError for anything else. */
export function readRecorded(matcher: string, received: unknown): RecordedCalls {
  const { result, calls } = isRecording(received) ? received : { result: received };
  const read = readResult(result);
  if (read.kind === "error") throw new Error(`${matcher}: the step failed with ${errorText(read.error)}`);
  if (read.kind === "neither")
    throw wrongReceived(matcher, "a recording (await withReplay(…)), its result, or a step", received);
  const { artifacts, events } = read.result;
  return { artifacts, events, ...(calls !== undefined && { calls }) };
}

function isRecording(value: unknown): value is Pick<Recording, "result" | "calls"> {
  return isPlainObject(value) && "result" in value && isArray(value["calls"]);
}
