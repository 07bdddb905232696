import type { StepBaseline } from "../baseline/baseline.ts";
import { type CaseDetails, type KeptResult, baselineOf } from "../baseline/baseline-of.ts";
import type { AdapterCall } from "../record/adapter-call.ts";
import { keptHash } from "../redact/hash-only.ts";
import type { Artifact } from "../step/artifact.ts";

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
