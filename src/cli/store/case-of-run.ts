import { err } from "../../base/result.ts";
import { messageOf } from "../../base/thrown.ts";
import type { BaselineMeta } from "../../baseline/baseline.ts";
import type { BaselineLibrary, StoredCase } from "../../baseline/library.ts";
import { parseBaseline } from "../../baseline/parse-baseline.ts";
import { serializeBaseline } from "../../baseline/serialize-baseline.ts";
import { parsedInputArtifact } from "../../check/cause/parsed-input.ts";
import type { Case } from "../../check/check.ts";
import { fileLabel } from "../../check/find-case.ts";
import { keptBaseline } from "../../check/propose.ts";
import { recordedCalls } from "../../check/verify-snapshot.ts";
import { redactCalls } from "../../record/redact-calls.ts";
import { inputHashOf } from "../../record/snapshot.ts";
import { currentRedactor } from "../../redact/current-redactor.ts";
import type { AnyStep } from "../../step/define-step.ts";
import type { StoredStep } from "../../store/stored-steps.ts";

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
  const hidden = currentRedactor().redact(input, ["input"]).value;
  const hash = inputHashOf(hidden);
  const { path, stored: known } = library.find(step.name, { inputHash: hash }, fileLabel(runId));
  const file = `${from} ${step.name}`;
  const found = { from, input: { whole: input, hash }, known };
  try {
    const recorded = recordedCalls({ artifacts: kept });
    const parsed = await parsedInputArtifact(step, hidden, hash);
    const own = kept.filter(({ kind }) => kind !== "adapter-call");
    const artifacts = parsed === undefined ? own : [parsed, ...own];
    const result = { input, output, events, commands, artifacts, workflowId, workflowVersion, stepName: step.name };
    const text = serializeBaseline(keptBaseline(result, redactCalls(recorded), { labels, meta: meta?.(from) }));
    return { ...found, stored: { path, file, text, baseline: parseBaseline(text, file) } };
  } catch (thrown) {
    return { ...found, stored: { path, file, text: "", baseline: err(`Cannot use ${file}: ${messageOf(thrown)}`) } };
  }
}
