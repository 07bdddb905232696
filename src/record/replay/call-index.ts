import { pairHere } from "../../redact/comparable.ts";
import { learnSecrets } from "../../redact/current-redactor.ts";
import { containsHashOnly } from "../../redact/placeholder.ts";
import { currentRevealedSecrets } from "../../redact/revealed-secrets.ts";
import { type AdapterCall, isMethodCall } from "../adapter-call.ts";
import { CompletionOrder } from "./completion-order.ts";
import { hasSameTarget, nearestCall } from "./nearest-call.ts";
import { ParallelCalls } from "./parallel-calls.ts";
import { RecordedPaths } from "./recorded-paths.ts";
import type { UnrecordedRequest } from "./unrecorded-request.ts";
import { withSharedDetails } from "../instance-details.ts";
import { isOfSameKind } from "../model-call.ts";
import { type RecordingRules, recordingRules } from "../recording-rules.ts";
import { type RequestKeys, requestKeys } from "../request-keys.ts";

/** Recorded calls of one request, in order, with the number of times it was requested again. */
interface Line {
  readonly calls: AdapterCall[];
  /** Key of each call's own request. The keys differ if requests differ only in hidden secrets. */
  readonly keys: string[];
  isMixed: boolean;
  requested: number;
  /** For a property: index of the call with the current value. */
  at: number;
}

/** Returns what a request to an adapter may have been before known edits. */
export type RequestsBeforeEdits = (adapter: string, request: unknown) => readonly unknown[];

/** Index that finds recorded calls by their requests, each call once. */
export class CallIndex {
  /** Order of the responses, if it isn't that of the calls. */
  readonly order: CompletionOrder = new CompletionOrder();
  readonly paths: RecordedPaths = new RecordedPaths();
  /** Which calls the step makes while it waits for others. */
  readonly parallel: ParallelCalls = new ParallelCalls();
  readonly #calls: readonly AdapterCall[];
  readonly #lines = new Map<string, Line>();
  readonly #reads = new Map<string, Line>();
  /** The lines by their requests without details of instances, when one was searched for without them. */
  #byFields: ReadonlyMap<string, readonly Line[]> | undefined;
  readonly #byAdapter = new Map<string, AdapterCall[]>();
  readonly #replayed = new Set<AdapterCall>();
  /** Calls from which the current rules remove more than the recording's did, with the reduced request. */
  readonly #reduced = new Map<AdapterCall, AdapterCall>();
  /** True if a recorded request has a placeholder of a secret. */
  #mayHideSecrets = false;
  readonly #rules: RecordingRules;
  readonly #isScripted: (adapter: string) => boolean;
  readonly #beforeEdits: RequestsBeforeEdits;
  readonly #otherHeaders = new Set<string>();
  /** Reads whose property has another value now. */
  readonly #currentReads = new Map<AdapterCall, AdapterCall>();
  /** Current requests of calls that were replayed for a different request. */
  readonly #differentRequests = new Map<AdapterCall, unknown>();
  /** Current requests of calls that were replayed for a request with a different placeholder. */
  readonly #currentSecrets = new Map<AdapterCall, unknown>();

  /**
   * The rules are applied to the stored requests too, which may have been recorded under other rules. The calls of a
   * scripted adapter are replayed in the order of the recording, whatever the requests are. `beforeEdits` returns what
   * an unrecorded request may have been before known edits: one of these that is recorded is replayed.
   */
  constructor(
    calls: readonly AdapterCall[],
    rules: RecordingRules = recordingRules(),
    {
      isScripted = () => false,
      beforeEdits = () => [],
    }: {
      readonly isScripted?: ((adapter: string) => boolean) | undefined;
      readonly beforeEdits?: RequestsBeforeEdits | undefined;
    } = {},
  ) {
    this.#calls = calls;
    this.#rules = rules;
    this.#isScripted = isScripted;
    this.#beforeEdits = beforeEdits;
    for (const call of calls.toSorted((a, b) => a.occurrence - b.occurrence)) this.#add(call);
  }

  /** Returns the next recorded call of this request, or the reason why there isn't one. */
  take(adapter: string, request: unknown): AdapterCall | UnrecordedRequest {
    const { line, keys } = this.#find(adapter, request);
    const call = this.#isScripted(adapter)
      ? this.#nextInScript(adapter, request)
      : ((line && this.#nextOf(line, keys)) ?? this.#nextBeforeEdits(adapter, request));
    if (call === undefined) return this.#unrecorded(adapter, request, line);
    this.parallel.start(call);
    this.#replayed.add(call);
    if (keys.own !== keys.alike && line?.keys[line.calls.indexOf(call)] !== keys.own) {
      this.#currentSecrets.set(call, request);
      pairHere(this.#reduced.get(call)?.request ?? call.request, request);
    }
    return this.refusal(call, request) ?? call;
  }

  /** Returns the last recorded call of this request, also if it was replayed; undefined without one. */
  last(adapter: string, request: unknown): AdapterCall | undefined {
    const { line, keys } = this.#find(adapter, request);
    return line?.calls[line.keys.lastIndexOf(keys.own)] ?? line?.calls.at(-1);
  }

  /**
   * Returns the reason why a matching call can't be replayed: only the hash of its response is stored. Undefined if it
   * can.
   */
  refusal(call: AdapterCall, request: unknown): UnrecordedRequest | undefined {
    const { adapter, response, error } = call;
    // Even if only a part is hashed: the step would compute with the hash.
    if (!containsHashOnly(response) && !containsHashOnly(error)) return undefined;
    return { adapter, request, reason: "hash_only", nearest: call, recorded: this.callsOf(adapter).length };
  }

  /** Returns the recorded call for the next read of a property; undefined if the recording doesn't have one. */
  read(adapter: string, request: readonly string[]): AdapterCall | undefined {
    const line = this.#reads.get(requestKeys(adapter, request).own);
    if (line === undefined) return undefined;
    // A value is current from its first read to the first read of a different value.
    while ((line.calls[line.at + 1]?.occurrence ?? Infinity) <= line.requested) line.at += 1;
    const call = line.calls[line.at];
    line.requested += 1;
    if (call !== undefined) this.#replayed.add(call);
    return call;
  }

  /** Notes the current value of a property that was replayed, for the comparison and the update of the recording. */
  replaceRead(call: AdapterCall, response: unknown): void {
    this.#currentReads.set(call, { ...call, response });
  }

  /** Notes headers of a replayed request that differ from the recorded ones, and aren't part of it. */
  noteHeaders(names: readonly string[]): void {
    for (const name of names) this.#otherHeaders.add(name);
  }

  /** Returns the names of headers that differ from the recording. */
  otherHeaders(): readonly string[] {
    return [...this.#otherHeaders].toSorted();
  }

  /** Returns the recorded calls (not reads) of an adapter. */
  callsOf(adapter: string): readonly AdapterCall[] {
    return this.#byAdapter.get(adapter) ?? [];
  }

  /** Number of calls (not reads) that were replayed. */
  replayedCount(): number {
    return [...this.#replayed].filter(isMethodCall).length;
  }

  /** Returns the replayed calls and reads in order, with their current requests. */
  made(): readonly AdapterCall[] {
    if (this.#differentRequests.size + this.#currentReads.size === 0) return [...this.#replayed];
    return [...this.#replayed].map((call) =>
      this.#differentRequests.has(call)
        ? { ...call, request: this.#differentRequests.get(call) }
        : (this.#currentReads.get(call) ?? call),
    );
  }

  /** Returns `made()` with the placeholders of the current requests, which identify the secrets. */
  sentCalls(): readonly AdapterCall[] {
    if (this.#currentSecrets.size === 0) return this.made();
    return this.made().map((call) =>
      this.#currentSecrets.has(call) ? { ...call, request: this.#currentSecrets.get(call) } : call,
    );
  }

  /** Returns `sentCalls()` with the numbers of calls in parallel in this run, instead of those of the recorded one. */
  callsInOrder(): readonly AdapterCall[] {
    const parallel = Array.from(this.#replayed, (call) => this.parallel.countOf(call));
    return this.sentCalls().map(({ parallel: _recorded, ...call }, index) => {
      const count = parallel[index];
      return count === undefined ? call : { ...call, parallel: count };
    });
  }

  /** Returns the calls that were replayed for a different request, in order, with that request. */
  changedRequests(): ReadonlyMap<AdapterCall, unknown> {
    return this.#differentRequests;
  }

  /** Returns the recorded calls that weren't requested. */
  uncalled(): readonly AdapterCall[] {
    return this.#calls.filter((call) => !this.#replayed.has(call));
  }

  #find(adapter: string, request: unknown): { readonly line: Line | undefined; readonly keys: RequestKeys } {
    const keys = requestKeys(adapter, request, currentRevealedSecrets()?.numbers);
    const line =
      this.#lines.get(keys.alike) ??
      this.#lineWithOtherDetails(adapter, request) ??
      this.#lineOf(adapter, { request, keys });
    return { line, keys };
  }

  /** Returns the line of a request that differs only in details of instances that one of both lacks. */
  #lineWithOtherDetails(adapter: string, request: unknown): Line | undefined {
    const keyOf = (value: unknown): string => requestKeys(adapter, value).alike;
    const recorded = ([call]: readonly AdapterCall[]): unknown =>
      call === undefined ? undefined : (this.#reduced.get(call) ?? call).request;
    this.#byFields ??= Map.groupBy(
      this.#lines.values(),
      ({ calls }) => requestKeys(calls[0]?.adapter ?? "", withSharedDetails(recorded(calls))).alike,
    );
    return this.#byFields.get(keyOf(withSharedDetails(request)))?.find(({ calls }) => {
      const known = recorded(calls);
      return keyOf(withSharedDetails(request, known)) === keyOf(withSharedDetails(known, request));
    });
  }

  /**
   * Returns the line of a request in which more, or fewer, secrets are known than when its call was recorded. A run may
   * name a secret later, or in a response that is replayed without it. Old files hide fewer secrets.
   */
  #lineOf(
    adapter: string,
    { request, keys }: { readonly request: unknown; readonly keys: RequestKeys },
  ): Line | undefined {
    const secrets = currentRevealedSecrets();
    if (secrets === undefined) return undefined;
    // Without any secret the keys are those that were compared already, and each comparison is one with all calls.
    if (secrets.size === 0 && !keys.mayHideSecrets && !this.#mayHideSecrets) return undefined;
    const call = this.callsOf(adapter).find(({ request: recorded }) => {
      learnSecrets(recorded, request);
      const [recordedKey, requestKey] = [recorded, request].map(
        (value) => requestKeys(adapter, this.#rules.request(adapter, value)).alike,
      );
      return recordedKey === requestKey;
    });
    return call && [...this.#lines.values()].find(({ calls }) => calls.includes(call));
  }

  #nextInScript(adapter: string, request: unknown): AdapterCall | undefined {
    const call = this.#calls.find(
      (candidate) => candidate.adapter === adapter && isMethodCall(candidate) && !this.#replayed.has(candidate),
    );
    if (call === undefined) return undefined;
    const recorded = this.#rules.request(adapter, call.request);
    if (requestKeys(adapter, recorded).alike !== requestKeys(adapter, request).alike)
      this.#differentRequests.set(call, request);
    return call;
  }

  #nextBeforeEdits(adapter: string, request: unknown): AdapterCall | undefined {
    for (const earlier of this.#beforeEdits(adapter, request)) {
      const keys = requestKeys(adapter, earlier, currentRevealedSecrets()?.numbers);
      const line = this.#lines.get(keys.alike);
      const call = line && this.#nextOf(line, keys);
      if (call === undefined) continue;
      this.#differentRequests.set(call, request);
      return call;
    }
    return undefined;
  }

  #nextOf(line: Line, { own }: RequestKeys): AdapterCall | undefined {
    line.requested += 1;
    if (!line.isMixed) return line.calls[line.requested - 1];
    // The call with the same secret if its number is known here; if not, the next call.
    const isLeft = (call: AdapterCall): boolean => !this.#replayed.has(call);
    return line.calls.find((call, index) => line.keys[index] === own && isLeft(call)) ?? line.calls.find(isLeft);
  }

  #add(call: AdapterCall): void {
    const isRead = !isMethodCall(call);
    const lines = isRead ? this.#reads : this.#lines;
    const request = this.#rules.request(call.adapter, call.request);
    if (request !== call.request) this.#reduced.set(call, { ...call, request });
    const { own, alike, mayHideSecrets } = requestKeys(call.adapter, request);
    this.#mayHideSecrets ||= mayHideSecrets;
    const key = isRead ? own : alike;
    const line = lines.get(key) ?? { calls: [], keys: [], isMixed: false, requested: 0, at: 0 };
    line.calls.push(call);
    line.keys.push(own);
    line.isMixed ||= own !== line.keys[0];
    lines.set(key, line);
    this.paths.add(call.adapter);
    if (!isRead) this.#addCall(call);
  }

  #addCall(call: AdapterCall): void {
    const calls = this.#byAdapter.get(call.adapter) ?? [];
    calls.push(call);
    this.#byAdapter.set(call.adapter, calls);
  }

  #unrecorded(adapter: string, request: unknown, line: Line | undefined): UnrecordedRequest {
    const calls = this.callsOf(adapter);
    const recorded = calls.length;
    if (recorded === 0) return { adapter, request, reason: "unknown_adapter", recorded };
    const unused = calls.filter((call) => !this.#replayed.has(call));
    let known: AdapterCall | undefined;
    // Found when it's read: of many unrecorded requests only the first ones are shown.
    const nearest = (): AdapterCall | undefined => (known ??= this.#nearest({ request, calls, unused }));
    const isUnknown = line === undefined && !this.#isScripted(adapter);
    return {
      adapter,
      request,
      reason: isUnknown ? "unknown_request" : "repeated",
      recorded,
      ...(!isUnknown && { limit: line?.calls.length ?? recorded }),
      get nearest() {
        return nearest();
      },
    };
  }

  /** Returns the most similar call to the same method and address, if possible one that wasn't replayed yet. */
  #nearest({
    request,
    calls,
    unused: left,
  }: {
    readonly request: unknown;
    readonly calls: readonly AdapterCall[];
    readonly unused: readonly AdapterCall[];
  }): AdapterCall | undefined {
    const nearestOf = (candidates: readonly AdapterCall[]): AdapterCall | undefined => {
      const alike = candidates.filter((call) => isOfSameKind(call, request));
      return nearestCall(
        (alike.length > 0 ? alike : candidates).map((call) => this.#reduced.get(call) ?? call),
        request,
      );
    };
    const hasTarget = (call: AdapterCall | undefined): boolean =>
      call !== undefined && hasSameTarget(call.request, request);
    const unused = nearestOf(left);
    const other = hasTarget(unused) ? undefined : nearestOf(calls);
    return unused === undefined || hasTarget(other) ? other : unused;
  }
}
