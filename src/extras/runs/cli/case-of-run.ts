import { err } from "../../../kernel/result.ts";
import { messageOf } from "../../../kernel/error-message.ts";
import { collectResultSecrets } from "../../../baseline/create-baseline.ts";
import type { BaselineMeta } from "../../../baseline/baseline.ts";
import type { BaselineLibrary, StoredCase } from "../../../baseline/baseline-library.ts";
import { parseBaseline } from "../../../baseline/parse-baseline.ts";
import { writtenBaseline } from "../../../baseline/serialize-baseline.ts";
import { parsedInputArtifact } from "../../../check/compare/parsed-input.ts";
import type { Case } from "../../../check/check.ts";
import { locateInput, storedFormOfInput, newCasePath } from "../../../check/find-case.ts";
import { baselineToStore } from "../../../check/update/create-update.ts";
import { recordedCalls } from "../../../record/read-snapshot.ts";
import { redactCalls } from "../../../record/redact-calls.ts";
import { currentRedactor } from "../../../redact/current-redactor.ts";
import { withRevealedSecrets } from "../../../redact/revealed-secrets.ts";
import type { AnyStep } from "../../../kernel/step/define-step.ts";
import type { StoredStep } from "../store/stored-steps.ts";

/** A step of a stored run as a case: its input, its output and every call it made. */
export interface RunCase {
  /** The run, without secrets: `claims/claim-17`. */
  readonly from: string;
  /** The case as its baseline file would store it, with the path of that file. */
  readonly stored: StoredCase;
  /** The input itself, including what a file hides. */
  readonly input: NonNullable<Case["input"]>;
  /** The baseline that exists for this input. */
  readonly known: StoredCase | undefined;
}

/** Library that cases of stored runs go into, and their names. */
interface RunCaseContext {
  readonly library: BaselineLibrary;
  readonly labels?: readonly string[] | undefined;
  /** Returns the case's facts, from the name of its run. */
  readonly meta?: ((from: string) => BaselineMeta) | undefined;
}

/**
 * Creates a case of a step of a stored run. Its baseline is an error if the run has a value that a file can't store.
 */
export async function caseOfRun(
  { run, entry }: StoredStep,
  step: AnyStep,
  { library, labels, meta }: RunCaseContext,
): Promise<RunCase> {
  const { input, output = {}, events, commands, artifacts: recorded, workflowVersion } = entry;
  const { workflowId, runId } = run;
  const from = currentRedactor().redactText(`${workflowId}/${runId}`);
  const match = locateInput(step.name, { input, details: {}, label: runId }, library);
  const file = `${from} ${step.name}`;
  return withRevealedSecrets(match.input.secrets, async () => {
    const common = { from, input: match.input, known: match.stored };
    try {
      const calls = redactCalls(recordedCalls({ artifacts: recorded }));
      const own = recorded.filter(({ kind }) => kind !== "adapter-call");
      collectResultSecrets({ outcome: { output }, events, commands, artifacts: own });
      const { hidden, hash } = storedFormOfInput(match.input);
      const path = match.stored?.path ?? newCasePath(match, hash);
      const parsed = await parsedInputArtifact(step, hidden, hash);
      const artifacts = parsed === undefined ? own : [parsed, ...own];
      const result = { input, output, events, commands, artifacts, workflowId, workflowVersion, stepName: step.name };
      const text = writtenBaseline(baselineToStore(result, calls, { labels, meta: meta?.(from) }));
      const stored = { path, file, text, baseline: parseBaseline(text, file) };
      return { ...common, input: { ...match.input, hash }, stored };
    } catch (thrown) {
      const baseline = err(`Cannot use ${file}: ${messageOf(thrown)}`);
      return { ...common, stored: { path: match.path, file, text: "", baseline } };
    }
  });
}
