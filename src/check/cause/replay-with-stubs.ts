import { jsonOf } from "../../kernel/json/canonical-json.ts";
import type { Result } from "../../kernel/result.ts";
import { diff } from "../../kernel/diff/diff.ts";
import { type AdapterCall, isMethodCall, responsePath } from "../../record/adapter-call.ts";
import { requestIdentity } from "../../record/request-keys.ts";
import { isOfSameKind } from "../../record/model-call.ts";
import { hasSameTarget, nearestCall } from "../../record/replay/nearest-call.ts";
import { recordingRules } from "../../record/recording-rules.ts";
import { type UnrecordedRequest, isPartlyRecorded } from "../../record/replay/unrecorded-request.ts";
import { CallReplayer } from "../../record/replay/replay-adapters.ts";
import { currentRedactor } from "../../redact/current-redactor.ts";
import { createContextFactory } from "../../kernel/step/context.ts";
import type { AnyStep } from "../../kernel/step/define-step.ts";
import type { StepError } from "../../kernel/step/fail.ts";
import { messageOf } from "../../kernel/error-message.ts";
import type { RequestChange } from "./cause.ts";
import type { Outcome } from "../compare/compare.ts";
import { type CaseRun, type SchemaViolation, runParsed } from "../run/run-case.ts";
import { undoEdit } from "./undo-edit.ts";
import { watchUses } from "../run/watch-uses.ts";
import { thrownViolations } from "./thrown-violations.ts";

/** Outcome of the current step if each adapter replays a list of calls. */
export type OfflineRun = OfflineEnd & {
  readonly changes: readonly OfflineChange[];
  /** The calls in order. */
  readonly made: readonly AdapterCall[];
  /** Uses of time, random numbers and ids by its last run. */
  readonly uses: readonly string[];
  /** A request that differs from one run to the next on the same responses. */
  readonly varying?: RequestChange;
};

/** End of an offline run. */
type OfflineEnd =
  | { readonly kind: "ran"; readonly outcome: Outcome }
  /** The step failed although each request had a response. `violations`: of the schema that threw the error, if any. */
  | { readonly kind: "failed"; readonly message: string; readonly violations: readonly SchemaViolation[] }
  /** The step sent requests outside its adapters, so their effect is unknown. */
  | { readonly kind: "network_reached" }
  /** The step sent a request that no recorded call matches. */
  | ({ readonly kind: "unrecorded"; readonly unrecorded: UnrecordedRequest } & Progress);

/** Calls with the stubs for changed requests, and the changes that were followed up. */
interface Progress {
  readonly calls: readonly AdapterCall[];
  readonly edits: readonly OfflineChange[];
}

/** A request change and its call: today's, or the recorded one that the step no longer makes. */
export interface OfflineChange extends RequestChange {
  readonly call: Pick<AdapterCall, "adapter" | "request" | "role">;
}

/** Options of a run of the current step that reaches no adapter. */
export interface OfflineRunOptions {
  readonly step: AnyStep;
  /** Creates the parsed input on each call: a run may change its input. */
  readonly input: () => unknown;
  readonly calls: readonly AdapterCall[];
  readonly workflowId: string;
  readonly workflowVersion: string;
  readonly runId: string;
  readonly validate?: boolean | undefined;
  readonly strictOutput?: boolean | undefined;
  /** False if only the exact requests of `calls` have a response. */
  readonly usesNearestResponse: boolean;
  /** Responds to a new call from the nearest recorded one; undefined without a response. */
  readonly extra?: ((nearest: AdapterCall) => AdapterCall) | undefined;
  /** Run that ended at a new call, to go on with a response to it: its runs needn't be repeated. */
  readonly after?: Extract<OfflineEnd, { readonly kind: "unrecorded" }> | undefined;
}

/** Number of changed requests that are followed up one by one: each may cost one more run. */
const MAX_CHANGES = 50;

/**
 * Runs the current step on recorded responses only. A changed request gets the response of the nearest recorded call
 * that no other request uses. So the run shows the result of the code on the old responses, whatever it requests.
 *
 * A run ends at its first changed requests, and the next one starts with stubs for them. Within that run, later
 * requests with the same edit (`beforeEdits`) get their responses without a further run: one run for each took half a
 * second for 24 prompts of 20 kB.
 */
export async function replayWithStubs(options: OfflineRunOptions): Promise<OfflineRun> {
  const changes: OfflineChange[] = [];
  const edits: OfflineChange[] = [...(options.after?.edits ?? [])];
  const stubbed = new Set<AdapterCall>();
  let calls = options.after === undefined ? options.calls : withAdded(options.after, options);
  for (;;) {
    const replayer = new CallReplayer(calls, undefined, {
      beforeEdits: (adapter, sent) =>
        edits.filter((edit) => edit.adapter === adapter).flatMap(({ entries }) => undoEdit(entries, sent)),
    });
    const input = await options.input();
    const { value: ran, uses } = await watchUses(() =>
      runParsed(options.step, input, {
        ...options,
        contextFactory: createContextFactory(replayer.adapters),
        runInScope: async (run) => replayer.untilUnrecorded(run),
      }),
    );
    const seen = { made: replayer.made(), uses };
    if (replayer.networkAccess().length > 0) return { kind: "network_reached", changes, ...seen };
    const edited = [...replayer.changedRequests()];
    changes.push(...edited.map(([call, sent]) => changedRequest(call, sent)));
    const [unrecorded] = replayer.unrecorded();
    // A failed run doesn't reach its later calls: only a successful one can drop any.
    if (unrecorded === undefined) {
      const dropped = ran.ok ? droppedCalls(replayer.uncalled()) : [];
      return { ...ended(ran), changes: [...changes, ...dropped], ...seen };
    }
    for (const [call, sent] of edited) {
      const stub = callUnder(calls, call, { adapter: call.adapter, request: sent });
      stubbed.add(stub);
      calls = withStubbedCall(calls, call, stub);
    }
    // Requests that were sent at once are followed up together: one run for each took a second for fifty.
    const end = { kind: "unrecorded", unrecorded, calls, edits } as const;
    const followed = followUp(replayer, { options, calls, most: MAX_CHANGES - edits.length, stubbed });
    if (followed.varying !== undefined) return { ...end, changes, ...seen, varying: withoutCall(followed.varying) };
    if (followed.changes.length === 0) return { ...end, changes: [...changes, ...addedCall(unrecorded)], ...seen };
    changes.push(...followed.changes);
    edits.push(...followed.changes);
    calls = followed.calls;
  }
}

/** Calls with stubs for changed requests, and the request that varies between runs on the same responses, if any. */
interface FollowedUp {
  readonly calls: readonly AdapterCall[];
  readonly changes: readonly OfflineChange[];
  readonly varying?: OfflineChange;
}

/** Returns the calls with responses to the first unrecorded requests of a run, and how these requests changed. */
function followUp(
  replayer: CallReplayer,
  {
    options,
    calls: before,
    most,
    stubbed,
  }: {
    readonly options: OfflineRunOptions;
    readonly calls: readonly AdapterCall[];
    readonly most: number;
    readonly stubbed: Set<AdapterCall>;
  },
): FollowedUp {
  const changes: OfflineChange[] = [];
  let calls = before;
  let unused = replayer.uncalled();
  for (const unrecorded of replayer.firstUnrecorded().slice(0, most)) {
    const partner = options.usesNearestResponse ? partnerOf(unrecorded, unused) : undefined;
    if (partner !== undefined) {
      const change = changedRequest(partner, unrecorded.request);
      // The same step on the same responses sent the request of the stub before, and another one now.
      if (stubbed.has(partner)) return { calls, changes, varying: change };
      changes.push(change);
      const stub = callUnder(calls, partner, unrecorded);
      stubbed.add(stub);
      calls = withStubbedCall(calls, partner, stub);
      unused = unused.filter((call) => call !== partner);
      continue;
    }
    const withCall = withAdded({ calls, unrecorded }, options);
    if (withCall === calls) break;
    changes.push(...addedCall(unrecorded));
    calls = withCall;
  }
  return { calls, changes };
}

function ended(ran: Result<CaseRun, StepError>): Extract<OfflineEnd, { readonly kind: "ran" | "failed" }> {
  if (!ran.ok) {
    const message = currentRedactor().redactText(`${ran.error.code}: ${ran.error.message}`);
    return { kind: "failed", message, violations: thrownViolations(ran.error.cause) };
  }
  const { output, commands = [], events, unnamed } = ran.value.outcome;
  try {
    return { kind: "ran", outcome: { output: jsonOf(output), commands, events, unnamed } };
  } catch (thrown) {
    return { kind: "failed", message: messageOf(thrown), violations: [] };
  }
}

/** Returns the recorded call that matches a changed request: of the same adapter, and not requested elsewhere. */
function partnerOf(
  { adapter, request, reason }: UnrecordedRequest,
  unused: readonly AdapterCall[],
): AdapterCall | undefined {
  if (isPartlyRecorded(reason)) return undefined;
  const partner = nearestCall(
    unused.filter((call) => call.adapter === adapter && isMethodCall(call) && isOfSameKind(call, request)),
    request,
  );
  // A request that is sent once more doesn't take the response of one to another address.
  const isRepeated = reason === "repeated" && partner !== undefined && !hasSameTarget(partner.request, request);
  return isRepeated ? undefined : partner;
}

/** Returns the calls with a response to a call that isn't recorded; unchanged if it has none. */
function withAdded(
  { calls, unrecorded }: { readonly calls: readonly AdapterCall[]; readonly unrecorded: UnrecordedRequest },
  { calls: recorded, extra }: OfflineRunOptions,
): readonly AdapterCall[] {
  const { adapter, request, reason } = unrecorded;
  if (extra === undefined || isPartlyRecorded(reason)) return calls;
  const nearest = nearestCall(
    recorded.filter((call) => call.adapter === adapter && isMethodCall(call)),
    request,
  );
  return nearest === undefined ? calls : [...calls, callUnder(calls, extra(nearest), unrecorded)];
}

/**
 * Returns a stub: a recorded call with its response, for another request. Calls with that request may be recorded, too,
 * so the stub's occurrence is the next one.
 */
function callUnder(
  calls: readonly AdapterCall[],
  call: AdapterCall,
  { adapter, request }: Pick<AdapterCall, "adapter" | "request">,
): AdapterCall {
  const identity = requestIdentity(adapter, request);
  const isEqual = (other: AdapterCall): boolean =>
    other.adapter === adapter && requestIdentity(adapter, other.request) === identity;
  return { ...call, request, occurrence: calls.filter(isEqual).length };
}

/** Returns the calls with a stub instead of its recorded call, `partner`. */
function withStubbedCall(
  calls: readonly AdapterCall[],
  partner: AdapterCall,
  stub: AdapterCall,
): readonly AdapterCall[] {
  // Uses of the response are recorded as calls below its path (`db.connect(…).query`), so they get the path of the
  // stub.
  if (!calls.some(({ adapter }) => adapter.startsWith(`${partner.adapter}(`)))
    return calls.map((call) => (call === partner ? stub : call));
  const [from, to] = [`${responsePath(partner)}.`, `${responsePath(stub)}.`];
  return calls.map((call) => {
    if (call === partner) return stub;
    return call.adapter.startsWith(from) ? { ...call, adapter: to + call.adapter.slice(from.length) } : call;
  });
}

/** A change without its call. */
export function withoutCall({ call: _call, ...change }: OfflineChange): RequestChange {
  return change;
}

function changedRequest({ adapter, request, role }: AdapterCall, sent: unknown): OfflineChange {
  const { entries } = diff(recordingRules().request(adapter, request), sent);
  return {
    kind: "changed",
    adapter,
    entries: entries.map((entry) => ({ ...entry, path: ["request", ...entry.path] })),
    call: { adapter, request: sent, ...(role !== undefined && { role }) },
  };
}

/** Further reads of a recorded stream aren't requests, nor are requests whose response isn't stored. */
function addedCall({ adapter, request, reason }: UnrecordedRequest): OfflineChange[] {
  if (isPartlyRecorded(reason)) return [];
  return [{ kind: "added", adapter, entries: [], call: { adapter, request } }];
}

function droppedCalls(unused: readonly AdapterCall[]): OfflineChange[] {
  return unused.filter(isMethodCall).map((call) => ({ kind: "dropped", adapter: call.adapter, entries: [], call }));
}
