import { collectResultSecrets } from "../../baseline/create-baseline.ts";
import type { StepBaseline } from "../../baseline/baseline.ts";
import { displayPath } from "../../baseline/baseline-library.ts";
import { type AdapterCall, withoutOrder } from "../../record/adapter-call.ts";
import { currentRedactor } from "../../redact/current-redactor.ts";
import { redactCalls } from "../../record/redact-calls.ts";
import { RevealedSecrets, withRevealedSecrets, currentRevealedSecrets } from "../../redact/revealed-secrets.ts";
import { STEP_PARSES } from "../../kernel/step/whole-run.ts";
import type { Artifact } from "../../kernel/step/artifact.ts";
import type { CaseRules } from "../compare/case-rules.ts";
import { parsedInputArtifact } from "../compare/parsed-input.ts";
import type { Case, Check } from "../check.ts";
import { type ExecutedCase, workflowOf } from "../run/execute-case.ts";
import { storedFormOfInput, newCasePath } from "../find-case.ts";
import { baselineToStore, containsSecret, createUpdate } from "./create-update.ts";
import type { CaseRun } from "../run/run-case.ts";
import { RETURNED_OUTPUT, returnedArtifact } from "../compare/returned-output.ts";
import { unnamedArtifact } from "../compare/unnamed-fields.ts";

/** Returns the update of a run. `propose` builds its baseline, because most updates are never written. */
export async function updateOfRun(
  executed: ExecutedCase,
  run: CaseRun,
): Promise<Pick<Check, "file" | "path" | "update">> {
  const { stepCase, baseline, source, usesStoredInput, context } = executed;
  if (!usesStoredInput) collectResultSecrets(run);
  const secrets = currentRevealedSecrets() ?? new RevealedSecrets();
  const { input, inputHash } = usesStoredInput && baseline !== undefined ? baseline : inputOfCase(stepCase);
  const parsedInput = await parsedInputArtifact(stepCase.step, input, inputHash);
  const calls = source.calls();
  // The recorder has hidden the secrets of live calls; those of a file may be older than a rule.
  const hides = source.kind === "recorded" && hidesStoredSecret(executed);
  const makeBaseline = (storedCalls: readonly AdapterCall[]): StepBaseline =>
    nextBaseline(executed, run, { input, parsedInput, calls: hides ? redactCalls(storedCalls) : storedCalls });
  // With a new input, create the baseline now, so that a redaction rule that hides the complete input fails this check.
  const early = usesStoredInput ? undefined : makeBaseline(withoutOrder(calls));
  const path = usesStoredInput ? stepCase.path : newCasePath(stepCase, inputHash);
  const target = { root: context.root, path, stored: stepCase.stored };
  const updateFrom = (baselineNow: () => StepBaseline): ReturnType<typeof createUpdate> =>
    withRevealedSecrets(secrets, () => createUpdate(baselineNow(), target));
  const { received } = source;
  return {
    file: path === stepCase.path ? stepCase.file : displayPath(path),
    path,
    update: {
      ...(baseline === undefined && { rules: rulesOfCheck(executed) }),
      propose: () => updateFrom(() => early ?? makeBaseline(withoutOrder(calls))),
      verification: {
        step: stepCase.step,
        ...(calls.some(({ completed }) => completed !== undefined) && {
          proposeInOrder: () => updateFrom(() => makeBaseline(calls)),
        }),
        ...(received && { proposeWithOriginalIds: () => updateFrom(() => makeBaseline(received)) }),
      },
    },
  };
}

/** Returns true if a run hides secrets that the case's file contains. */
export function hidesStoredSecret({ context, baseline }: ExecutedCase): boolean {
  return context.hidesStoredSecrets === true && baseline !== undefined && containsSecret(baseline);
}

function rulesOfCheck({ stepCase: { step }, context }: ExecutedCase): CaseRules {
  const { keyBy, roles } = step;
  return { keyBy, compare: context.compare ?? step.compare, calls: context.calls ?? step.calls, roles };
}

function inputOfCase({ input }: Case): Pick<StepBaseline, "input" | "inputHash"> {
  if (input === undefined) throw new Error("neither the test nor the baseline has an input");
  const { hidden, hash } = storedFormOfInput(input);
  return { input: hidden, inputHash: hash };
}

/** Artifacts of values before or after a parse. A schema may rename a field that is redacted by its path. */
const OF_PARSES: ReadonlySet<string> = new Set([RETURNED_OUTPUT, STEP_PARSES]);

function nextBaseline(
  { stepCase, baseline, usesStoredInput, artifacts }: ExecutedCase,
  run: CaseRun,
  {
    input,
    parsedInput,
    calls,
  }: { readonly input: unknown; readonly parsedInput: Artifact | undefined; readonly calls: readonly AdapterCall[] },
): StepBaseline {
  const { details = {} } = stepCase;
  const { id, version } = workflowOf(stepCase, usesStoredInput ? baseline : undefined);
  const { parsed, raw } = run.checkedOutput;
  const result = {
    input,
    // A step's baseline can't store unvalidated output (`validate: false`) that isn't an object.
    output: parsed ?? (typeof raw === "object" && raw !== null ? raw : {}),
    events: run.events,
    ...(run.commands === undefined ? {} : { commands: run.commands }),
    artifacts: [
      parsedInput,
      unnamedArtifact(run.outcome.unnamed),
      returnedArtifact(run.checkedOutput, run.outcome.unnamed),
      ...artifacts,
    ]
      .filter((artifact) => artifact !== undefined)
      .filter(({ kind }) => !OF_PARSES.has(kind) || !currentRedactor().hasPaths),
    stepName: stepCase.step.name,
    workflowId: id,
    workflowVersion: version,
  };
  const { name = baseline?.name, labels = baseline?.labels, meta = baseline?.meta } = details;
  return baselineToStore(result, calls, { name, labels, meta });
}
