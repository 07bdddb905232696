import { diff } from "../../kernel/diff/diff.ts";
import { type AdapterCall, isMethodCall, responsePath } from "../../record/adapter-call.ts";
import { exactPattern, isOfSameKind } from "../../record/model-call.ts";
import { recordingRules } from "../../record/recording-rules.ts";
import { hasSameTarget, nearestCall } from "../../record/replay/nearest-call.ts";
import type { CallReplayer } from "../../record/replay/replay-adapters.ts";
import { type UnrecordedRequest, isPartlyRecorded } from "../../record/replay/unrecorded-request.ts";
import { requestIdentity } from "../../record/request-keys.ts";
import type { RequestChange } from "./cause.ts";

/** A request change and its call: today's, or the recorded one that the step no longer makes. */
export interface OfflineChange extends RequestChange {
  readonly call: Pick<AdapterCall, "adapter" | "request" | "role">;
}

/** Calls with the stubs for changed requests, and the changes that were followed up. */
interface Progress {
  readonly calls: readonly AdapterCall[];
  readonly edits: readonly OfflineChange[];
}

/** The step sent a request that no recorded call matches. */
export interface EndAtNewCall extends Progress {
  readonly kind: "unrecorded";
  readonly unrecorded: UnrecordedRequest;
}

/** Recorded calls, and which further requests have a response. */
export interface StubOptions {
  readonly calls: readonly AdapterCall[];
  /** False if only the exact requests of `calls` have a response. */
  readonly usesNearestResponse: boolean;
  /** Responds to a new call from the nearest recorded one; undefined without a response. */
  readonly extra?: ((nearest: AdapterCall) => AdapterCall) | undefined;
  /** End of an earlier run at a new call. This run starts from its stubs instead of finding them again. */
  readonly after?: EndAtNewCall | undefined;
}

/** Number of changed requests that are followed up one by one: each may cost one more run. */
const MAX_CHANGES = 50;
const MAX_RETURNS = 10;

interface State extends Progress {
  readonly changes: readonly OfflineChange[];
  /** New calls that still have the response of a recorded one, so that the run goes on. */
  readonly newCalls: ReadonlyMap<AdapterCall, UnrecordedRequest>;
}

/** The recorded call and the current request that a stub was made of. */
interface Origin {
  readonly recorded: AdapterCall;
  /** Identity of the recorded request. */
  readonly recordedIdentity: string;
  readonly request: UnrecordedRequest;
  /** Identity of the current request. */
  readonly identity: string;
  /** State before the stub. */
  readonly before: State;
}

/**
 * Recorded calls with stubs for changed requests: each has the response of the nearest recorded call that no other
 * request uses. If a later request is the recorded one, the response belongs to it. Then the earlier request gets the
 * response of another call, or is a new call. Example: A is recorded, and the step now sends B and then A. B first gets
 * the response of A, as the nearest. A takes it back, and B is a new call.
 */
export class StubbedCalls {
  readonly #options: StubOptions;
  readonly #origins = new Map<AdapterCall, Origin>();
  #state: State;
  /** Number of times that a response can still go to a later request. Each time, later stubs are found again. */
  #returns = MAX_RETURNS;

  constructor(options: StubOptions) {
    this.#options = options;
    const { after } = options;
    const calls = after === undefined ? options.calls : withAdded(after, options);
    this.#state = { calls, edits: after?.edits ?? [], changes: [], newCalls: new Map() };
  }

  get calls(): readonly AdapterCall[] {
    return this.#state.calls;
  }

  get changes(): readonly OfflineChange[] {
    return this.#state.changes;
  }

  get edits(): readonly OfflineChange[] {
    return this.#state.edits;
  }

  /** Adds stubs for the requests of a run that have the edit of another request. */
  addEdited(replayer: CallReplayer): void {
    for (const [call, request] of replayer.changedRequests())
      this.#stub(call, { adapter: call.adapter, request, reason: "unknown_request", recorded: 0 });
  }

  /**
   * Adds stubs for the first unrecorded requests of a run. Requests that were sent at once are followed up together:
   * one run for each took a second for fifty. Returns `stuck` if no request got a response, and the request that varies
   * between runs on the same responses, if there is one.
   */
  followUp(replayer: CallReplayer): "continue" | "stuck" | { readonly varying: OfflineChange } {
    let unused = replayer.uncalled();
    let result: "continue" | "stuck" = "stuck";
    for (const unrecorded of replayer.firstUnrecorded().slice(0, MAX_CHANGES - this.edits.length)) {
      const origin = this.#earlierOf(unrecorded, unused);
      if (origin !== undefined) {
        this.#giveBack(origin, unused);
        return "continue";
      }
      const isStubbed = this.#options.usesNearestResponse;
      const partner = isStubbed ? partnerOf(unrecorded, this.#candidatesFor(unrecorded, unused)) : undefined;
      if (partner !== undefined) {
        // The same step on the same responses sent the request of the stub before, and another one now.
        if (this.#origins.has(partner) || this.#state.newCalls.has(partner))
          return { varying: changedRequest(partner, unrecorded.request) };
        this.#edit(partner, unrecorded);
        unused = unused.filter((call) => call !== partner);
      } else if (!this.#add(unrecorded)) break;
      result = "continue";
    }
    return result;
  }

  /** Returns the end of a run at the first new call that has the response of a recorded one; undefined without one. */
  endAtNewCall(): EndAtNewCall | undefined {
    const { newCalls } = this.#state;
    const [unrecorded] = newCalls.values();
    return unrecorded && this.endAt(unrecorded);
  }

  /** Returns a new call as a change; empty if its request repeats a changed one. */
  newCall(unrecorded: UnrecordedRequest): readonly OfflineChange[] {
    return this.#originsOf(unrecorded).length === 0 ? addedCall(unrecorded) : [];
  }

  endAt(unrecorded: UnrecordedRequest): EndAtNewCall {
    const { calls, edits, newCalls } = this.#state;
    return { kind: "unrecorded", unrecorded, calls: calls.filter((call) => !newCalls.has(call)), edits };
  }

  /**
   * Returns the calls whose response a request may get. The code may repeat a changed request because it refuses the
   * recorded response, as a retry does after a change of the schema. So a repeated one only gets the response to
   * another recorded call of the same request.
   */
  #candidatesFor(unrecorded: UnrecordedRequest, calls: readonly AdapterCall[]): readonly AdapterCall[] {
    const origins = this.#originsOf(unrecorded);
    if (origins.length === 0) return calls;
    const identities = new Set(origins.map(({ recordedIdentity }) => recordedIdentity));
    return calls.filter((call) => identities.has(identityOf(call)));
  }

  /** Origins of the stubs with the same request. */
  #originsOf(unrecorded: UnrecordedRequest): readonly Origin[] {
    const identity = identityOf(unrecorded);
    const stubs = [...this.#origins].filter(
      ([stub, origin]) => origin.identity === identity && this.calls.includes(stub),
    );
    return stubs.map(([, origin]) => origin);
  }

  /** Returns the stub that has the response to exactly this recorded request, if an earlier request of a run got it. */
  #earlierOf(later: UnrecordedRequest, unused: readonly AdapterCall[]): Origin | undefined {
    if (this.#returns === 0) return undefined;
    const identity = identityOf(later);
    const [, origin] =
      [...this.#origins].find(
        ([stub, { recordedIdentity }]) =>
          recordedIdentity === identity && !unused.includes(stub) && this.calls.includes(stub),
      ) ?? [];
    return origin;
  }

  /** Returns to the state before a stub, and responds with another call. */
  #giveBack({ recorded, request, before }: Origin, unused: readonly AdapterCall[]): void {
    this.#returns -= 1;
    this.#state = before;
    const partner = partnerOf(
      request,
      unused.filter((call) => before.calls.includes(call)),
    );
    if (partner !== undefined) this.#edit(partner, request);
    else if (!this.#add(request)) {
      const { calls, changes, newCalls } = before;
      const newCall = stubOf(calls, recorded, request);
      this.#state = {
        ...before,
        calls: [...calls, newCall],
        changes: [...changes, ...addedCall(request)],
        newCalls: new Map([...newCalls, [newCall, request]]),
      };
    }
  }

  /** Adds a stub, whose change is undone in later requests. */
  #edit(recorded: AdapterCall, request: UnrecordedRequest): void {
    const change = this.#stub(recorded, request);
    this.#state = { ...this.#state, edits: [...this.edits, change] };
  }

  #stub(recorded: AdapterCall, request: UnrecordedRequest): OfflineChange {
    const before = this.#state;
    const change = changedRequest(recorded, request.request);
    const stub = stubOf(before.calls, recorded, request);
    const [recordedIdentity, identity] = [identityOf(recorded), identityOf(stub)];
    this.#origins.set(stub, { recorded, recordedIdentity, request, identity, before });
    const calls = withStubbedCall(before.calls, recorded, stub);
    this.#state = { ...before, calls, changes: [...before.changes, change] };
    return change;
  }

  /** Adds a response to a new call, if the options have one. Returns false without one. */
  #add(unrecorded: UnrecordedRequest): boolean {
    const { calls, changes } = this.#state;
    const withCall = withAdded({ calls, unrecorded }, this.#options);
    if (withCall === calls) return false;
    this.#state = { ...this.#state, calls: withCall, changes: [...changes, ...this.newCall(unrecorded)] };
    return true;
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
  { calls: recorded, extra }: StubOptions,
): readonly AdapterCall[] {
  const { adapter, request, reason } = unrecorded;
  if (extra === undefined || isPartlyRecorded(reason)) return calls;
  const nearest = nearestCall(
    recorded.filter((call) => call.adapter === adapter && isMethodCall(call)),
    request,
  );
  return nearest === undefined ? calls : [...calls, stubOf(calls, extra(nearest), unrecorded)];
}

/**
 * Returns a stub: a recorded call with its response, for another request. Calls with that request may be recorded, too,
 * so the stub's occurrence is the next one.
 */
function stubOf(calls: readonly AdapterCall[], call: AdapterCall, { adapter, request }: SentRequest): AdapterCall {
  const identity = identityOf({ adapter, request });
  const isEqual = (other: AdapterCall): boolean => other.adapter === adapter && identityOf(other) === identity;
  return { ...call, request, occurrence: calls.filter(isEqual).length };
}

type SentRequest = Pick<AdapterCall, "adapter" | "request">;

function identityOf({ adapter, request }: SentRequest): string {
  return `${adapter}\n${requestIdentity(adapter, request)}`;
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

/** Returns a change without its call, of which only the URL is left. */
export function withoutCall({ call, ...change }: OfflineChange): RequestChange {
  const url = exactPattern(call);
  return url === undefined ? change : { ...change, url };
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
