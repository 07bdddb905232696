import { requireLossless } from "../kernel/json/lossy-part.ts";
import type { Result } from "../kernel/result.ts";
import { noteSecrets } from "../baseline/baseline-of.ts";
import type { StepBaseline } from "../baseline/baseline.ts";
import { displayPath } from "../baseline/library.ts";
import type { AdapterCall } from "../record/adapter-call.ts";
import type { Snapshot } from "../record/snapshot.ts";
import { RecordingSecrets, inRecording, secretsHere } from "../redact/recording-secrets.ts";
import type { Artifact } from "../kernel/step/artifact.ts";
import type { StepError } from "../kernel/step/fail.ts";
import type { Answers } from "./adapter-mode.ts";
import { parsedInputArtifact } from "./cause/parsed-input.ts";
import type { Case, Check, World } from "./check.ts";
import { keptInput, placeOf } from "./find-case.ts";
import { keptBaseline, proposalOf } from "./propose.ts";
import type { CaseRun } from "./run-case.ts";
import type { SteadySource } from "./source.ts";

/** A case to run once. */
export interface CaseTurn {
  readonly asked: Case;
  readonly world: World;
  /** The stored baseline; undefined for a new case. */
  readonly baseline: StepBaseline | undefined;
  readonly answers: Answers;
}

/** A case after its run. */
export interface RanCase extends CaseTurn {
  readonly snapshot: Snapshot | undefined;
  /** True if it ran on the stored input: a named case may get another. */
  readonly stands: boolean;
  readonly source: SteadySource;
  /** Artifacts of the adapters, even if the run didn't finish. */
  readonly artifacts: readonly Artifact[];
  readonly result: Result<CaseRun, StepError>;
  /** False if the stored or passed data prevented the run. */
  readonly isRun: boolean;
}

/** Returns the functions that create a run's baseline, and its path. Callers may use them later. */
export async function proposalsOf(
  ran: RanCase,
  run: CaseRun,
): Promise<Pick<Check, "file" | "path" | "propose" | "proof">> {
  const { asked, baseline, source, stands, world } = ran;
  if (!stands) noteSecrets(run);
  const secrets = secretsHere() ?? new RecordingSecrets();
  const { input, inputHash } = stands && baseline !== undefined ? baseline : givenInput(asked);
  const parsedInput = await parsedInputArtifact(asked.step, input, inputHash);
  const make = (calls = source.calls()): StepBaseline => nextBaseline(ran, run, { input, parsedInput, calls });
  // If no baseline is stored yet, a rule that hides all content is an error of the rule.
  const made = stands ? undefined : make();
  const path = stands ? asked.path : placeOf(asked, inputHash);
  const place = { root: world.root, path, stored: asked.stored };
  const proposal = (baselineNow: () => StepBaseline): ReturnType<typeof proposalOf> =>
    inRecording(secrets, () => proposalOf(baselineNow(), place));
  const { asCame } = source;
  return {
    file: path === asked.path ? asked.file : displayPath(path),
    path,
    propose: () => {
      requireLossless(run.outcome.output);
      return proposal(() => made ?? make());
    },
    proof: { step: asked.step, ...(asCame && { proposeAsCame: () => proposal(() => make(asCame())) }) },
  };
}

function givenInput({ input: given }: Case): Pick<StepBaseline, "input" | "inputHash"> {
  if (given === undefined) throw new Error("a case without a stored input was given none");
  const { hidden, hash } = keptInput(given);
  return { input: hidden, inputHash: hash };
}

function nextBaseline(
  { asked, baseline, stands, artifacts }: RanCase,
  run: CaseRun,
  {
    input,
    parsedInput,
    calls,
  }: { readonly input: unknown; readonly parsedInput: Artifact | undefined; readonly calls: readonly AdapterCall[] },
): StepBaseline {
  const { details = {} } = asked;
  const { id, version } = workflowOf(asked, stands ? baseline : undefined);
  const { parsed, raw } = run.observed;
  const kept = {
    input,
    // A step's baseline can't store unvalidated output (`validate: false`) that isn't an object.
    output: parsed ?? (typeof raw === "object" && raw !== null ? raw : {}),
    events: run.events,
    ...(run.commands === undefined ? {} : { commands: run.commands }),
    artifacts: parsedInput === undefined ? artifacts : [parsedInput, ...artifacts],
    stepName: asked.step.name,
    workflowId: id,
    workflowVersion: version,
  };
  const { name = baseline?.name, labels = baseline?.labels, meta = baseline?.meta } = details;
  return keptBaseline(kept, calls, { name, labels, meta });
}

/** Returns the workflow of a case: the stored one, or the step itself. */
export function workflowOf({ step }: Case, baseline: StepBaseline | undefined): StepBaseline["workflow"] {
  return baseline?.workflow ?? { id: step.name, version: "0.0.0" };
}
