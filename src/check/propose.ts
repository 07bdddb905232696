import type { HashedContent } from "../kernel/json/hash.ts";
import { type CaseDetails, type KeptResult, baselineOf } from "../baseline/baseline-of.ts";
import { type Baseline, type Proposal, type StepBaseline, groupOf } from "../baseline/baseline.ts";
import type { StoredCase } from "../baseline/library.ts";
import { readBack, writtenBaseline } from "../baseline/serialize-baseline.ts";
import type { AdapterCall } from "../record/adapter-call.ts";
import { keptHash } from "../redact/placeholder.ts";
import { secretsHere } from "../redact/recording-secrets.ts";
import type { Artifact } from "../kernel/step/artifact.ts";

/**
 * The proposal that puts `baseline` where `place` says: an addition when nothing is stored there yet, else an update.
 * `known` is the canonical JSON of a value's baseline with its hash, where they were made already. Throws a TypeError
 * for content that would not read back as it is.
 */
export function proposalOf(
  baseline: Baseline,
  place: {
    readonly root: string;
    readonly path: string;
    readonly stored: StoredCase | undefined;
    readonly known?: HashedContent | undefined;
  },
): Proposal {
  const { root, path, known, stored } = place;
  if (stored !== undefined) refuseOtherCase(baseline, stored);
  const after = writtenBaseline(baseline, { known, numbers: secretsHere()?.numbers });
  const problem = readBack(after, known);
  if (problem !== undefined) throw new TypeError(`it would not read back: ${problem}.`);
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
 * A case without a name is told by its input. Throws a TypeError where more of that is hidden than in an older file:
 * the same file would be of another case.
 */
function refuseOtherCase(next: Baseline, { file, baseline }: StoredCase): void {
  if (next.kind !== "step" || next.name !== undefined || !baseline.ok || baseline.value.kind !== "step") return;
  if (next.inputHash === baseline.value.inputHash) return;
  throw new TypeError(
    `${file} holds in its input a secret that the rest of the run names, and hidden it is the input of another case: ` +
      "delete the file, and capture the case again.",
  );
}

/**
 * The baseline of a result and its recorded calls as it may be written: without secrets, and an artifact that is to be
 * kept as its hash has no content. Throws like `baselineOf`.
 */
export function keptBaseline(result: KeptResult, calls: readonly AdapterCall[], details: CaseDetails): StepBaseline {
  const baseline = baselineOf(result, calls, details);
  return { ...baseline, artifacts: baseline.artifacts.map(withoutContent) };
}

function withoutContent(artifact: Artifact): Artifact {
  const hash = keptHash(artifact.content);
  return hash === undefined ? artifact : { hash, kind: artifact.kind };
}

/**
 * A baseline with labels and meta as given, without their secrets as `next` has them, else as stored: a test that says
 * nothing about them changes neither.
 */
export function describeCase<B extends Baseline>(
  next: B,
  { labels, meta }: CaseDetails,
  stored: StoredCase | undefined,
): B {
  const before = stored?.baseline.ok === true ? stored.baseline.value : next;
  return {
    ...next,
    labels: labels === undefined ? before.labels : next.labels,
    meta: meta === undefined ? before.meta : next.meta,
  };
}
