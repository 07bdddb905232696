import type { HashedContent } from "../../kernel/json/hash.ts";
import { type CaseDetails, type StoredResult, createStepBaseline } from "../../baseline/create-baseline.ts";
import { type Baseline, type BaselineUpdate, type StepBaseline, groupOf } from "../../baseline/baseline.ts";
import { type StoredCase, storedBaselineOf } from "../../baseline/baseline-library.ts";
import { verifySerialized, writtenBaseline } from "../../baseline/serialize-baseline.ts";
import type { AdapterCall } from "../../record/adapter-call.ts";
import { sameSecrets } from "../../redact/comparable.ts";
import { currentRedactor } from "../../redact/current-redactor.ts";
import { hashOnlyHash } from "../../redact/placeholder.ts";
import { RevealedSecrets, currentRevealedSecrets, withRevealedSecrets } from "../../redact/revealed-secrets.ts";
import type { Artifact } from "../../kernel/step/artifact.ts";

/**
 * Creates the update that writes `baseline` to `target.path`: an addition if no file exists, or else a change. `known`
 * is the canonical JSON of a value's baseline with its hash, if they exist already. Throws a TypeError for content
 * that wouldn't read back unchanged.
 */
export function createUpdate(
  baseline: Baseline,
  target: {
    readonly root: string;
    readonly path: string;
    readonly stored: StoredCase | undefined;
    readonly known?: HashedContent | undefined;
  },
): BaselineUpdate {
  const { root, path, known, stored } = target;
  if (stored !== undefined) refuseOtherCase(baseline, stored);
  const after = writtenBaseline(baseline, { known, numbers: currentRevealedSecrets()?.numbers });
  const problem = verifySerialized(after, known);
  if (problem !== undefined) throw new TypeError(`the new baseline can't be read back: ${problem}.`);
  return {
    kind: stored === undefined ? "add" : "update",
    root,
    path,
    group: groupOf(baseline),
    before: stored?.text,
    after,
  };
}

/**
 * The input identifies a case without a name. Throws a TypeError if more of the input is hidden than in an older file:
 * the same file would be of another case.
 */
function refuseOtherCase(next: Baseline, { file, baseline }: StoredCase): void {
  if (next.kind !== "step" || next.name !== undefined || !baseline.ok || baseline.value.kind !== "step") return;
  if (next.inputHash === baseline.value.inputHash) return;
  throw new TypeError(
    `${file} stores a secret in its input. Redacting it would change the input's hash, which identifies the case. ` +
      "Delete the file, and capture the case again.",
  );
}

/**
 * Creates the baseline of a result and its recorded calls in its written form: without secrets, and without the content
 * of artifacts stored as a hash. Throws like `createStepBaseline`.
 */
export function baselineToStore(
  result: StoredResult,
  calls: readonly AdapterCall[],
  details: CaseDetails,
): StepBaseline {
  const baseline = createStepBaseline(result, calls, details);
  return { ...baseline, artifacts: baseline.artifacts.map(withoutContent) };
}

function withoutContent(artifact: Artifact): Artifact {
  const hash = hashOnlyHash(artifact.content);
  return hash === undefined ? artifact : { hash, kind: artifact.kind };
}

/** Returns true if a test passes other labels or meta than a baseline has, secrets aside. */
export function hasOtherDetails(baseline: Baseline, { labels, meta }: CaseDetails): boolean {
  // Most tests pass neither, and serializing both took 5% of the time of a check of all cases.
  if (labels === undefined && meta === undefined) return false;
  const current = { labels: labels ?? baseline.labels, meta: meta ?? baseline.meta };
  const now = currentRedactor().redact(current).value;
  return !sameSecrets({ labels: baseline.labels, meta: baseline.meta }, now);
}

/**
 * Returns true if a baseline contains a secret of today's rules, as one that was captured before a rule was added. A
 * comparison hides it on both sides, so the case is clean.
 */
export function containsSecret(baseline: Baseline): boolean {
  const content =
    baseline.kind === "value"
      ? { value: baseline.value }
      : {
          input: baseline.input,
          output: baseline.output,
          events: baseline.events,
          commands: baseline.commands,
          calls: baseline.calls,
        };
  return withRevealedSecrets(new RevealedSecrets(), () => currentRedactor().redact(content).secrets.length > 0);
}

/**
 * Returns a baseline with the test's labels and meta, without their secrets as `next` has them. If the test doesn't
 * pass them, the stored ones remain.
 */
export function withDetails<B extends Baseline>(
  next: B,
  { labels, meta }: CaseDetails,
  stored: StoredCase | undefined,
): B {
  const before = storedBaselineOf(stored) ?? next;
  return {
    ...next,
    labels: labels === undefined ? before.labels : next.labels,
    meta: meta === undefined ? before.meta : next.meta,
  };
}
