import type { StepBaseline } from "../baseline/baseline.ts";
import { snapshotOf } from "../baseline/baseline.ts";
import { type Result, err } from "../kernel/result.ts";
import type { Artifact } from "../kernel/step/artifact.ts";
import type { StepError } from "../kernel/step/fail.ts";
import type { Snapshot } from "../record/snapshot.ts";
import type { ResponseSource } from "./adapter-mode.ts";
import { type StableSource, lazyAdapterContext, openSource, stableSource } from "./adapter-source.ts";
import { CHECK_RUN_ID, type Case, type CheckContext } from "./check.ts";
import { declaredRoleResolver } from "./compare-calls.ts";
import { type CaseRun, runCase } from "./run-case.ts";
import { hashOnlyInputError, verifySnapshot } from "./snapshot-integrity.ts";

/** A case to run once. */
export interface CaseExecution {
  readonly request: Case;
  readonly context: CheckContext;
  /** The stored baseline; undefined for a new case. */
  readonly baseline: StepBaseline | undefined;
  readonly responses: ResponseSource;
  /** True if a clean run has an update, because it sent other requests than those in the file. */
  readonly writesRequests?: boolean;
}

/** A case after its run, or after the error that prevented the run (`wasRun` is false). */
export interface ExecutedCase extends CaseExecution {
  readonly snapshot: Snapshot | undefined;
  /** True if it ran on the stored input: a named case may get another. */
  readonly usesStoredInput: boolean;
  readonly source: StableSource;
  /** Artifacts of the adapters, even if the run didn't finish. */
  readonly artifacts: readonly Artifact[];
  readonly result: Result<CaseRun, StepError>;
  /** False if the stored or passed data prevented the run. */
  readonly wasRun: boolean;
}

/** Runs a case once with one source of responses. A stored case whose data doesn't verify isn't run. */
export async function executeCase(execution: CaseExecution): Promise<ExecutedCase> {
  const { request, context, baseline, responses } = execution;
  const { step, input } = request;
  const usesStoredInput = baseline !== undefined && isInputOf(baseline, input);
  const snapshot = baseline === undefined ? undefined : snapshotOf(baseline);
  const roleOf = responses.kind === "recorded" ? undefined : await declaredRoleResolver(step);
  const source = openSource(responses, baseline?.calls ?? [], {
    executes: context.executesWrites === true,
    roleOf,
  });
  const artifacts: Artifact[] = [];
  const problem = snapshot === undefined ? undefined : storedCaseError(snapshot, request);
  const workflow = workflowOf(request, usesStoredInput ? baseline : undefined);
  const result =
    problem === undefined
      ? await runCase(step, input === undefined ? baseline?.input : input.value, {
          contextFactory: lazyAdapterContext(source),
          within: (run) => source.within(run),
          workflowId: workflow.id,
          workflowVersion: workflow.version,
          runId: CHECK_RUN_ID,
          onArtifact: (artifact) => void artifacts.push(artifact),
          // Capture enforces the output's schema: a captured result must be one that `run` would return.
          ...(usesStoredInput
            ? { validate: context.validate, strictOutput: context.strictOutput }
            : { onInvalidOutput: "fail" }),
        })
      : err(problem);
  return {
    ...execution,
    snapshot,
    usesStoredInput,
    source: stableSource(source, result, baseline?.calls),
    artifacts,
    result,
    wasRun: problem === undefined,
  };
}

/** Returns true if a case runs on its stored input: the test passes none or the same. A named case may get another. */
export function isInputOf({ inputHash }: StepBaseline, input: Case["input"]): boolean {
  return input === undefined || input.hash === inputHash;
}

/** Returns the error that prevents running or comparing the stored case; undefined if there isn't one. */
function storedCaseError(snapshot: Snapshot, { step, input }: Case): StepError | undefined {
  const verified = verifySnapshot(snapshot, step);
  if (!verified.ok) return verified.error;
  return input === undefined ? hashOnlyInputError(snapshot) : undefined;
}

/** Returns the workflow of a case: the stored one, or the step itself. */
export function workflowOf({ step }: Case, baseline: StepBaseline | undefined): StepBaseline["workflow"] {
  return baseline?.workflow ?? { id: step.name, version: "0.0.0" };
}
