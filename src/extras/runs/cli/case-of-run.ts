import { err } from "../../../kernel/result.ts";
import { messageOf } from "../../../kernel/thrown.ts";
import { noteSecrets } from "../../../baseline/baseline-of.ts";
import type { BaselineMeta } from "../../../baseline/baseline.ts";
import type { BaselineLibrary, StoredCase } from "../../../baseline/library.ts";
import { parseBaseline } from "../../../baseline/parse-baseline.ts";
import { writtenBaseline } from "../../../baseline/serialize-baseline.ts";
import { parsedInputArtifact } from "../../../check/cause/parsed-input.ts";
import type { Case } from "../../../check/check.ts";
import { findInput, keptInput, placeOf } from "../../../check/find-case.ts";
import { keptBaseline } from "../../../check/propose.ts";
import { recordedCalls } from "../../../check/verify-snapshot.ts";
import { redactCalls } from "../../../record/redact-calls.ts";
import { currentRedactor } from "../../../redact/current-redactor.ts";
import { inRecording } from "../../../redact/recording-secrets.ts";
import type { AnyStep } from "../../../kernel/step/define-step.ts";
import type { StoredStep } from "../store/stored-steps.ts";

/** A step of a stored run as a case of a test: what it was given, what it answered, and every call it made. */
export interface RunCase {
  /** The run, without secrets: `claims/claim-17`. */
  readonly from: string;
  /** The case as a file would hold it: its path is where that would be. */
  readonly stored: StoredCase;
  /** The input itself, with what a file hides. */
  readonly input: NonNullable<Case["input"]>;
  /** What is in that place already. */
  readonly known: StoredCase | undefined;
}

/** Where cases of stored runs would lie, and how they are called. */
interface RunCasePlace {
  readonly library: BaselineLibrary;
  readonly labels?: readonly string[] | undefined;
  /** Facts about a case, of its run's name. */
  readonly meta?: ((from: string) => BaselineMeta) | undefined;
}

/** Makes a case of a step of a stored run. Its baseline is an error where the run holds what no file can. */
export async function caseOfRun(
  { run, entry }: StoredStep,
  step: AnyStep,
  { library, labels, meta }: RunCasePlace,
): Promise<RunCase> {
  const { input, output = {}, events, commands, artifacts: kept, workflowVersion } = entry;
  const { workflowId, runId } = run;
  const from = currentRedactor().redactText(`${workflowId}/${runId}`);
  const asked = findInput(step.name, { input, details: {}, label: runId }, library);
  const file = `${from} ${step.name}`;
  return inRecording(asked.input.secrets, async () => {
    const found = { from, input: asked.input, known: asked.stored };
    try {
      const calls = redactCalls(recordedCalls({ artifacts: kept }));
      const own = kept.filter(({ kind }) => kind !== "adapter-call");
      noteSecrets({ outcome: { output }, events, commands, artifacts: own });
      const { hidden, hash } = keptInput(asked.input);
      const path = asked.stored?.path ?? placeOf(asked, hash);
      const parsed = await parsedInputArtifact(step, hidden, hash);
      const artifacts = parsed === undefined ? own : [parsed, ...own];
      const result = { input, output, events, commands, artifacts, workflowId, workflowVersion, stepName: step.name };
      const text = writtenBaseline(keptBaseline(result, calls, { labels, meta: meta?.(from) }));
      const stored = { path, file, text, baseline: parseBaseline(text, file) };
      return { ...found, input: { ...asked.input, hash }, stored };
    } catch (thrown) {
      const baseline = err(`Cannot use ${file}: ${messageOf(thrown)}`);
      return { ...found, stored: { path: asked.path, file, text: "", baseline } };
    }
  });
}
