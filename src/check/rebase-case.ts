import type { IgnoreRule } from "../kernel/ignore-rule.ts";
import type { StepBaseline } from "../baseline/baseline.ts";
import { type AdapterCall, adapterSegments, isMethodCall } from "../record/adapter-call.ts";
import { requestIdentity } from "../record/request-keys.ts";
import { ignoredPartsRemover } from "../record/ignored-parts.ts";
import { changeCalls } from "../record/redact-calls.ts";
import type { UnrecordedRequest } from "../record/replay/unrecorded-request.ts";
import { captureArtifactSync } from "../record/snapshot.ts";
import type { Check } from "./check.ts";

/** Options for {@link rebaseCase}. */
interface RebaseOptions {
  readonly baseline: StepBaseline;
  /** Parts of requests whose changes keep the recorded responses. */
  readonly harmless: readonly IgnoreRule[];
  /** Checks the case on these recorded calls. A clean check has an update that writes them. */
  readonly checkOn: (baseline: StepBaseline) => Promise<Check>;
}

/**
 * To rebase a case is to keep its recorded responses and to write the current requests. Returns the check of an
 * unrecorded request with an update that does so, if the requests differ only in harmless parts and everything else is
 * clean. Otherwise returns the check unchanged.
 */
export async function rebaseCase(check: Check, { baseline, harmless, checkOn }: RebaseOptions): Promise<Check> {
  const isSame = sameBut(harmless);
  const rewritten = new Set<number>();
  let { calls } = baseline;
  let current = check;
  // Each turn rewrites one recorded call that wasn't rewritten yet, so this ends.
  while (current.verdict.kind === "request_changed") {
    const { unrecorded } = current.verdict;
    const index = harmlessChange(calls, unrecorded, (call, at) => !rewritten.has(at) && isSame(call, unrecorded));
    const call = calls[index];
    if (call === undefined) return check;
    rewritten.add(index);
    calls = changeCalls(calls, {
      request: (_adapter, request, known) => (known === call ? unrecorded.request : request),
    });
    current = await checkOn(withCalls(baseline, calls));
  }
  const { verdict, update, findings } = current;
  // The current request of a recorded call that the step doesn't make is unknown, so the file would keep the old one.
  const isKept = verdict.kind === "clean" && (findings.uncalled ?? []).length === 0;
  return isKept && update !== undefined ? { ...check, update: { ...update, keepsResponses: true } } : check;
}

/**
 * Returns the index of the call whose request changed into the unrecorded one, or -1. If there are several, it's the
 * nearest, because the step may still send the requests of the others.
 */
function harmlessChange(
  calls: readonly AdapterCall[],
  { nearest }: UnrecordedRequest,
  isChange: (call: AdapterCall, index: number) => boolean,
): number {
  const identity = nearest && requestIdentity(nearest.adapter, nearest.request);
  const index = calls.findIndex(
    (call, at) => isChange(call, at) && requestIdentity(call.adapter, call.request) === identity,
  );
  return index === -1 ? calls.findIndex(isChange) : index;
}

/** Returns the function that compares a recorded request with the current one without the harmless parts. */
function sameBut(harmless: readonly IgnoreRule[]): (call: AdapterCall, unrecorded: UnrecordedRequest) => boolean {
  const without = ignoredPartsRemover(harmless, () => undefined);
  const identityOf = ({ adapter, request }: Pick<AdapterCall, "adapter" | "request">): string =>
    requestIdentity(adapter, without(request, adapterSegments(adapter)));
  return (call, unrecorded) =>
    isMethodCall(call) && call.adapter === unrecorded.adapter && identityOf(call) === identityOf(unrecorded);
}

/** Returns a baseline with other calls, of which it stores the hashes. */
function withCalls(baseline: StepBaseline, calls: readonly AdapterCall[]): StepBaseline {
  let at = 0;
  const artifacts = baseline.artifacts.map((artifact) =>
    artifact.kind === "adapter-call" ? captureArtifactSync("adapter-call", calls[at++], { hashOnly: true }) : artifact,
  );
  return { ...baseline, calls, artifacts };
}
