import type { Result } from "../kernel/result.ts";
import { collectResultSecrets } from "../baseline/create-baseline.ts";
import type { StepBaseline } from "../baseline/baseline.ts";
import { displayPath } from "../baseline/baseline-library.ts";
import { type AdapterCall, withoutOrder } from "../record/adapter-call.ts";
import type { Snapshot } from "../record/snapshot.ts";
import { RevealedSecrets, withRevealedSecrets, currentRevealedSecrets } from "../redact/revealed-secrets.ts";
import type { Artifact } from "../kernel/step/artifact.ts";
import type { StepError } from "../kernel/step/fail.ts";
import type { ResponseSource } from "./adapter-mode.ts";
import { parsedInputArtifact } from "./cause/parsed-input.ts";
import type { Case, Check, CheckContext } from "./check.ts";
import { storedFormOfInput, newCasePath } from "./find-case.ts";
import { storedBaseline, createUpdate } from "./create-update.ts";
import type { CaseRun } from "./run-case.ts";
import type { StableSource } from "./adapter-source.ts";
import { unnamedArtifact } from "./unnamed-fields.ts";

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
  readonly usedStoredInput: boolean;
  readonly source: StableSource;
  /** Artifacts of the adapters, even if the run didn't finish. */
  readonly artifacts: readonly Artifact[];
  readonly result: Result<CaseRun, StepError>;
  /** False if the stored or passed data prevented the run. */
  readonly wasRun: boolean;
}

/** Returns the functions that create a run's baseline, and its path. Callers may use them later. */
export async function updateOf(ran: ExecutedCase, run: CaseRun): Promise<Pick<Check, "file" | "path" | "update">> {
  const { request, baseline, source, usedStoredInput, context } = ran;
  if (!usedStoredInput) collectResultSecrets(run);
  const secrets = currentRevealedSecrets() ?? new RevealedSecrets();
  const { input, inputHash } = usedStoredInput && baseline !== undefined ? baseline : inputOfCase(request);
  const parsedInput = await parsedInputArtifact(request.step, input, inputHash);
  const calls = source.calls();
  const make = (calls: readonly AdapterCall[]): StepBaseline => nextBaseline(ran, run, { input, parsedInput, calls });
  // With a new input, create the baseline now, so that a redaction rule that hides all of it fails this check.
  const made = usedStoredInput ? undefined : make(withoutOrder(calls));
  const path = usedStoredInput ? request.path : newCasePath(request, inputHash);
  const target = { root: context.root, path, stored: request.stored };
  const update = (baselineNow: () => StepBaseline): ReturnType<typeof createUpdate> =>
    withRevealedSecrets(secrets, () => createUpdate(baselineNow(), target));
  const { asReceived } = source;
  return {
    file: path === request.path ? request.file : displayPath(path),
    path,
    update: {
      propose: () => update(() => made ?? make(withoutOrder(calls))),
      proof: {
        step: request.step,
        ...(calls.some(({ completed }) => completed !== undefined) && {
          proposeInOrder: () => update(() => make(calls)),
        }),
        ...(asReceived && { proposeWithOriginalIds: () => update(() => make(asReceived())) }),
      },
    },
  };
}

function inputOfCase({ input }: Case): Pick<StepBaseline, "input" | "inputHash"> {
  if (input === undefined) throw new Error("a case without a stored input has no input");
  const { hidden, hash } = storedFormOfInput(input);
  return { input: hidden, inputHash: hash };
}

function nextBaseline(
  { request, baseline, usedStoredInput, artifacts }: ExecutedCase,
  run: CaseRun,
  {
    input,
    parsedInput,
    calls,
  }: { readonly input: unknown; readonly parsedInput: Artifact | undefined; readonly calls: readonly AdapterCall[] },
): StepBaseline {
  const { details = {} } = request;
  const { id, version } = workflowOf(request, usedStoredInput ? baseline : undefined);
  const { parsed, raw } = run.output;
  const kept = {
    input,
    // A step's baseline can't store unvalidated output (`validate: false`) that isn't an object.
    output: parsed ?? (typeof raw === "object" && raw !== null ? raw : {}),
    events: run.events,
    ...(run.commands === undefined ? {} : { commands: run.commands }),
    artifacts: [parsedInput, unnamedArtifact(run.outcome.unnamed), ...artifacts].filter(
      (artifact) => artifact !== undefined,
    ),
    stepName: request.step.name,
    workflowId: id,
    workflowVersion: version,
  };
  const { name = baseline?.name, labels = baseline?.labels, meta = baseline?.meta } = details;
  return storedBaseline(kept, calls, { name, labels, meta });
}

/** Returns the workflow of a case: the stored one, or the step itself. */
export function workflowOf({ step }: Case, baseline: StepBaseline | undefined): StepBaseline["workflow"] {
  return baseline?.workflow ?? { id: step.name, version: "0.0.0" };
}
