import type { CallsDiff } from "../record/calls/diff-calls.ts";
import type { CompareBy, KeyBy } from "../kernel/diff/compare-rules.ts";
import { messageOf } from "../kernel/error-message.ts";
import type { CaseDetails } from "../baseline/create-baseline.ts";
import { type StepBaseline, snapshotOf } from "../baseline/baseline.ts";
import { type BaselineLibrary, type StoredCase, displayPath } from "../baseline/baseline-library.ts";
import { inputHashError } from "./run/snapshot-integrity.ts";
import { artifactProblem, recordedCalls } from "../record/read-snapshot.ts";
import type { Snapshot } from "../record/snapshot.ts";
import { type StepError, kernelError } from "../kernel/step/fail.ts";
import { RevealedSecrets, withRevealedSecrets, currentRevealedSecrets, secretsOf } from "../redact/revealed-secrets.ts";
import { PlaceholderNumbers } from "../redact/placeholder-numbers.ts";
import { type StepResult, type StepRules, keyByOf, stepRulesOf } from "../kernel/step/step-result.ts";
import { type Check, type CheckUpdate, checkWithoutUpdate, failedNewCase, ruleFindings } from "./check.ts";
import { onlyMatched, ruleMatches, rulesByMatch } from "./compare/unmatched-rules.ts";
import { compareCalls } from "./compare/compare-calls.ts";
import {
  type Comparison,
  RESULT_PARTS,
  compareOutcomes,
  verdictOfNewCase,
  storedOutcome,
  addCallsDiff,
} from "./compare/compare.ts";
import { locateInput, labelOfTitle } from "./find-case.ts";
import { createUpdate, withDetails, hasOtherDetails, baselineToStore } from "./update/create-update.ts";
import { notStorable } from "./not-storable.ts";
import { verdictOf, verdictOfError } from "./verdict.ts";

/** A result to compare with its baseline, and the details of its case. */
interface ResultRequest {
  readonly details: CaseDetails;
  readonly label: string;
  /** Identity of array elements. Default: the step's own. */
  readonly keyBy?: KeyBy | undefined;
  /** Tolerances. Default: the step's own rules. */
  readonly compare?: CompareBy | undefined;
}

/** Checks if a result of a finished run matches its baseline. */
export async function checkStepResult(
  result: StepResult,
  request: ResultRequest,
  library: BaselineLibrary,
): Promise<Check> {
  return withRevealedSecrets(secretsOf(result), async () => checkAgainstBaseline(result, request, library));
}

async function checkAgainstBaseline(
  result: StepResult,
  request: ResultRequest,
  library: BaselineLibrary,
): Promise<Check> {
  const { details, label, keyBy = keyByOf(result) } = request;
  const ownRules = stepRulesOf(result);
  const rules = { ...ownRules, compare: request.compare ?? ownRules.compare };
  const now = baselineOf(result, details);
  if ("code" in now) {
    const stored = storedCaseOf(result, request, library);
    if (stored !== undefined) return checkWithoutUpdate(stored, { kind: "failed", error: now });
    return failedNewCase({ file: result.stepName, path: library.root }, now);
  }
  const identity = details.name === undefined ? { inputHash: now.inputHash } : { name: details.name };
  const { path, stored } = library.find(result.stepName, identity, details.name ?? labelOfTitle(label));
  const file = displayPath(path);
  const next = withDetails(now, details, stored);
  const propose = (): ReturnType<typeof createUpdate> => createUpdate(next, { root: library.root, path, stored });
  if (stored === undefined) {
    const verdict = verdictOfNewCase(next.output, keyBy);
    const update = verdict.kind === "missing" ? { propose, rules: { ...rules, keyBy } } : undefined;
    const results = { outputs: [next.output], events: [next.events], calls: next.calls };
    const findings = onlyMatched(ruleMatches({ compare: rules.compare, keyBy }, results));
    return { file, path, verdict, findings, update };
  }
  return { ...(await compareBaselines({ stored, next, details, keyBy, rules, propose })), file, path };
}

function baselineOf(result: StepResult, details: CaseDetails): StepBaseline | StepError {
  try {
    return baselineToStore(result, recordedCalls(result), details);
  } catch (thrown) {
    return notStorable("result", thrown);
  }
}

/** Returns the stored case of a result that can't be stored; undefined if there is none, or its input isn't one. */
function storedCaseOf(
  { stepName, input }: StepResult,
  { details, label }: ResultRequest,
  library: BaselineLibrary,
): StoredCase | undefined {
  try {
    return locateInput(stepName, { input, details, label }, library).stored;
  } catch {
    return undefined;
  }
}

/** A stored case and the baseline that would replace it. */
interface BaselinePair {
  readonly stored: StoredCase;
  readonly next: StepBaseline;
  readonly details: CaseDetails;
  readonly keyBy: KeyBy;
  readonly rules: StepRules;
  readonly propose: CheckUpdate["propose"];
}

/** Compares the stored result with the current one, without a run. */
async function compareBaselines({ stored, next, details, keyBy, rules, propose }: BaselinePair): Promise<Check> {
  const { baseline, file, path } = stored;
  if (!baseline.ok) return checkWithoutUpdate(stored, { kind: "broken", problem: baseline.error });
  if (baseline.value.kind !== "step") {
    const problem = `Cannot use ${file}: it is a baseline of a value. Delete it or move it.`;
    return checkWithoutUpdate(stored, { kind: "broken", problem });
  }
  const { value } = baseline;
  const snapshot = snapshotOf(value);
  const otherInput = inputHashError(snapshot);
  if (otherInput !== undefined) return checkWithoutUpdate(stored, verdictOfError(otherInput, file));
  const damage = snapshot.artifacts.map(artifactProblem).find((problem) => problem !== undefined);
  if (damage !== undefined)
    return checkWithoutUpdate(stored, verdictOfError(kernelError("snapshot_corrupted", damage), file));
  const numbers = new PlaceholderNumbers({ stored: () => stored.text, live: () => next, isIndependent: true });
  const secrets = (currentRevealedSecrets() ?? new RevealedSecrets()).withNumbers(numbers);
  return withRevealedSecrets(secrets, async () => {
    try {
      const verdict = verdictOf(await comparedWith(value, snapshot, { next, keyBy, rules }));
      const isChanged = verdict.kind !== "clean" || hasOtherDetails(value, details);
      const update = isChanged ? { propose } : undefined;
      const matches = ruleMatches(
        { compare: rules.compare, keyBy },
        {
          outputs: [value.output, next.output],
          events: [value.events, next.events],
          // Without any, the result wasn't recorded, and its calls are unknown.
          ...(value.calls.length + next.calls.length > 0 && { calls: [...value.calls, ...next.calls] }),
        },
      );
      return {
        file,
        path,
        verdict,
        findings: { ...ruleFindings(rules.compare, keyBy), ...rulesByMatch(matches) },
        update,
      };
    } catch (thrown) {
      const error = kernelError("normalization_failed", messageOf(thrown), thrown);
      return checkWithoutUpdate(stored, verdictOfError(error, file));
    }
  });
}

async function comparedWith(
  stored: StepBaseline,
  snapshot: Snapshot,
  { next, keyBy, rules }: Pick<BaselinePair, "next" | "keyBy" | "rules">,
): Promise<Comparison> {
  const { input, output, commands, events } = next;
  const comparison = compareOutcomes(
    storedOutcome(snapshot),
    { input, output, commands, events },
    { parts: ["input", ...RESULT_PARTS], keyBy, compare: rules.compare },
  );
  return addCallsDiff(comparison, await callsOf(stored, next, rules));
}

/** A recorded result includes its calls; another result doesn't describe them. */
async function callsOf(stored: StepBaseline, next: StepBaseline, step: StepRules): Promise<CallsDiff | undefined> {
  if (stored.calls.length === 0 || next.calls.length === 0) return undefined;
  return compareCalls(stored.calls, next.calls, { step, context: {} });
}
