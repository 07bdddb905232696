import type { StepBaseline } from "../../baseline/baseline.ts";
import { snapshotOf } from "../../baseline/baseline.ts";
import { type Result, err } from "../../kernel/result.ts";
import type { Artifact } from "../../kernel/step/artifact.ts";
import type { StepError } from "../../kernel/step/fail.ts";
import type { Snapshot } from "../../record/snapshot.ts";
import type { RunPlan } from "./adapter-mode.ts";
import { type StorableSource, lazyAdapterContext, openSource, storableSource } from "./adapter-source.ts";
import { CHECK_RUN_ID, type Case, type CheckContext } from "../check.ts";
import { declaredRoleResolver } from "../step-call-rules.ts";
import { type CaseRun, runCase } from "./run-case.ts";
import { hashOnlyInputError, snapshotError } from "./snapshot-integrity.ts";

/** A case to run once. */
export interface CaseExecution {
  readonly stepCase: Case;
  readonly context: CheckContext;
  /** The stored baseline; undefined for a new case. */
  readonly baseline: StepBaseline | undefined;
  /** Responses of this run; `context.responses` are those that the check requests. */
  readonly responses: RunPlan;
  /** True to create an update even if the run is clean: a rebase runs on calls that differ from those in the file. */
  readonly updatesIfClean?: boolean;
}

/** Result of `executeCase` for `evaluateRun`: a case after its run, or after the error that prevented the run. */
export interface ExecutedCase extends CaseExecution {
  readonly snapshot: Snapshot | undefined;
  /** True if the run used the stored input. A test can pass a different input to a named case. */
  readonly usesStoredInput: boolean;
  readonly source: StorableSource;
  /** Artifacts of the adapters, even if the run didn't finish. */
  readonly artifacts: readonly Artifact[];
  readonly result: Result<CaseRun, StepError>;
  /** False if damaged or incomplete stored data prevented the run. */
  readonly ranStep: boolean;
}

/** Runs a case once with one source of responses. A stored case whose data doesn't verify isn't run. */
export async function executeCase(execution: CaseExecution): Promise<ExecutedCase> {
  const { stepCase, context, baseline, responses } = execution;
  const { step, input } = stepCase;
  const usesStoredInput = baseline !== undefined && isStoredInput(baseline, input);
  const snapshot = baseline === undefined ? undefined : snapshotOf(baseline);
  const roleOf = responses.kind === "recorded" ? undefined : await declaredRoleResolver(step);
  const source = openSource(responses, baseline?.calls ?? [], {
    executes: context.executesWrites === true,
    roleOf,
  });
  const artifacts: Artifact[] = [];
  const problem = snapshot === undefined ? undefined : storedCaseError(snapshot, stepCase);
  const workflow = workflowOf(stepCase, usesStoredInput ? baseline : undefined);
  const result =
    problem === undefined
      ? await runCase(step, input === undefined ? baseline?.input : input.value, {
          contextFactory: lazyAdapterContext(source),
          runInScope: (run) => source.runInScope(run),
          workflowId: workflow.id,
          workflowVersion: workflow.version,
          runId: CHECK_RUN_ID,
          onArtifact: (artifact) => void artifacts.push(artifact),
          // A new case, or a named case with another input, always enforces the schemas, also with `validate: false`.
          ...(usesStoredInput ? { validate: context.validate } : { onInvalidOutput: "fail" }),
          strictOutput: context.strictOutput,
        })
      : err(problem);
  return {
    ...execution,
    snapshot,
    usesStoredInput,
    source: storableSource(source, result, baseline?.calls),
    artifacts,
    result,
    ranStep: problem === undefined,
  };
}

/** Returns true if a case's input is the stored one: the test passes none, or an equal one. */
export function isStoredInput({ inputHash }: StepBaseline, input: Case["input"]): boolean {
  return input === undefined || input.hash === inputHash;
}

/** Returns the error that prevents running or comparing the stored case; undefined if there isn't one. */
function storedCaseError(snapshot: Snapshot, { step, input }: Case): StepError | undefined {
  return snapshotError(snapshot, step) ?? (input === undefined ? hashOnlyInputError(snapshot) : undefined);
}

/** Returns the workflow of a case: the stored one, or the step itself. */
export function workflowOf({ step }: Case, baseline: StepBaseline | undefined): StepBaseline["workflow"] {
  return baseline?.workflow ?? { id: step.name, version: "0.0.0" };
}
