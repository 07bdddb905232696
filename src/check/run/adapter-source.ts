import { stableStringify } from "../../kernel/json/canonical-json.ts";
import type { Result } from "../../kernel/result.ts";
import { collectResultSecrets } from "../../baseline/create-baseline.ts";
import { type AdapterCall, isMethodCall } from "../../record/adapter-call.ts";
import { redactCalls } from "../../record/redact-calls.ts";
import { stableCalls } from "../../record/stable-calls.ts";
import { type AdapterReplayer, CallReplayer } from "../../record/replay/replay-adapters.ts";
import { mirrorTraps } from "../../record/proxy/mirror.ts";
import { recordAdapters, recordLiveAdapters } from "../../record/proxy/record-adapters.ts";
import { isRecorderCall } from "../../record/interceptors/recorders.ts";
import type { NetworkAccess } from "../../record/interceptors/network-guard.ts";
import { type DeclaredRole, SkippedWrites } from "../../record/interceptors/skipped-writes.ts";
import { type WriteInterceptor, skippingWrites } from "../../record/interceptors/recording-scope.ts";
import type { UnrecordedRequest } from "../../record/replay/unrecorded-request.ts";
import { projectSettings } from "../../redact/project-settings.ts";
import { currentRevealedSecrets } from "../../redact/revealed-secrets.ts";
import type { BaseAdapters, ContextFactory, StepContext } from "../../kernel/step/context.ts";
import type { StepError } from "../../kernel/step/fail.ts";
import type { RunPlan, PerAdapterPlan } from "./adapter-mode.ts";
import type { CaseRun } from "./run-case.ts";

/** Adapters of one run, which call live services or replay a recording, and the calls that the run makes. */
export interface AdapterSource {
  readonly kind: "live" | "recorded";
  readonly adapters: BaseAdapters;
  /** The calls so far in their stored form. */
  calls(): readonly AdapterCall[];
  /**
   * Returns the calls so far with this run's requests. In a replay, `calls()` returns the recorded requests, whose
   * placeholders can have other numbers: `«redacted:email#1»` in `calls()`, `«redacted:email#2»` in `sentCalls()`. In a
   * live run, both functions return the same calls.
   */
  sentCalls(): readonly AdapterCall[];
  /**
   * Returns the calls of `sentCalls()` for the step's `order` rules. `parallel` counts the calls that had no response
   * yet in this run, not in the recorded run.
   */
  callsInOrder(): readonly AdapterCall[];
  /** Requests without a recorded response; empty if every adapter is live. */
  unrecorded(): readonly UnrecordedRequest[];
  /** Adapters of recorded calls that the step didn't make, one name for each; empty if every adapter is live. */
  uncalled(): readonly string[];
  /** Calls that couldn't be recorded. Always empty for recorded responses. */
  problems(): readonly string[];
  /** Requests outside the adapters and recorders. */
  networkAccess(): readonly NetworkAccess[];
  /** True if a script responds: in the recording's order, whatever the requests are. */
  readonly isScripted: boolean;
  /** Number of a script's responses to requests that differ from the recorded ones. */
  changedRequests(): number;
  /** Which adapters reach live services; undefined if all adapters are of the source's kind. */
  readonly mixed: { readonly isLive: (adapter: string) => boolean } | undefined;
  /** Names of headers of replayed requests that differ from the recorded ones; empty if any adapter is live. */
  otherHeaders(): readonly string[];
  /** Writes that the run skipped; undefined if its writes run, or if all its responses are recorded. */
  readonly skippedWrites: Pick<SkippedWrites, "proposed" | "unanswered"> | undefined;
  /** Runs the step's code. Requests that recorders intercept (fetch, SDKs) are recorded or replayed as calls too. */
  readonly runInScope: AdapterReplayer["runInScope"];
}

/** Handling of a live run's writes. */
export interface WriteHandling {
  /** True if they run. */
  readonly executes: boolean;
  /** Declared roles of calls. */
  readonly roleOf: DeclaredRole | undefined;
}

/** Returns true if a recording has a call of a recorder: a live run of it needs no adapters. */
export function hasRecorderCall(calls: readonly AdapterCall[]): boolean {
  return calls.some(isRecorderCall);
}

/** Opens the source of one run. */
export function openSource(responses: RunPlan, recorded: readonly AdapterCall[], writes: WriteHandling): AdapterSource {
  if (responses.kind === "recorded") return new RecordedSource(recorded);
  if (responses.kind === "perAdapter") return openPerAdapter(responses, recorded, writes);
  const recorder = recordAdapters(responses.adapters);
  const live = {
    kind: "live" as const,
    ...recorder,
    sentCalls: () => recorder.calls(),
    callsInOrder: () => recorder.calls(),
    unrecorded: () => [],
    uncalled: () => [],
    isScripted: false,
    changedRequests: () => 0,
    mixed: undefined,
    otherHeaders: () => [],
    skippedWrites: undefined,
  };
  if (writes.executes) return live;
  const skippedWrites = new SkippedWrites(recorded, writes.roleOf);
  return { ...live, skippedWrites, runInScope: (run) => skippingWrites(skippedWrites, () => recorder.runInScope(run)) };
}

/** Returns a source of adapters of which some are live and others replayed. */
function openPerAdapter(
  responses: PerAdapterPlan,
  recorded: readonly AdapterCall[],
  writes: WriteHandling,
): AdapterSource {
  const { modeOf, adapters, callsLiveAdapters } = responses;
  const isReplayed = (path: string): boolean => modeOf(path) !== "live";
  const isScriptedPath = (path: string): boolean => modeOf(path) === "scripted";
  const replayer = new CallReplayer(recorded, undefined, { isScripted: isScriptedPath });
  const isScripted = recorded.some(({ adapter }) => isScriptedPath(adapter));
  if (!callsLiveAdapters) return new RecordedSource(replayer, isScripted);
  const mixed = mixedAdapters(adapters, { replayed: () => replayer.adapters, isReplayed });
  const recorder = recordLiveAdapters(mixed, (adapter) => !isReplayed(adapter));
  const skippedWrites = new SkippedWrites(recorded, writes.roleOf);
  const liveWrites: WriteInterceptor = {
    intercept: (call) => (isReplayed(call.adapter) ? undefined : skippedWrites.intercept(call)),
  };
  const runInScope: AdapterSource["runInScope"] = async (run) =>
    replayer.untilUnrecorded(async () => recorder.runInScope(run), isReplayed);
  const source = {
    // One live adapter is enough for a live run, whose calls are recorded.
    kind: "live" as const,
    adapters: recorder.adapters,
    calls: () => recorder.calls(),
    sentCalls: () => recorder.calls(),
    callsInOrder: () => recorder.calls(),
    unrecorded: () => replayer.unrecorded(),
    uncalled: () => namesOf(replayer.uncalled().filter(({ adapter }) => isReplayed(adapter))),
    problems: () => recorder.problems(),
    networkAccess: () => recorder.networkAccess(),
    isScripted,
    changedRequests: () => replayer.changedRequests().size,
    mixed: { isLive: (adapter: string) => !isReplayed(adapter) },
    otherHeaders: () => [],
  };
  if (writes.executes) return { ...source, skippedWrites: undefined, runInScope };
  return {
    ...source,
    skippedWrites,
    runInScope: async (run) => skippingWrites(liveWrites, async () => runInScope(run)),
  };
}

/** Returns the current adapters except for the replayed ones. */
function mixedAdapters(
  adapters: BaseAdapters,
  { replayed, isReplayed }: { readonly replayed: () => object; readonly isReplayed: (name: string) => boolean },
): BaseAdapters {
  const read = (key: string | symbol): unknown =>
    typeof key === "string" && isReplayed(key) ? Reflect.get(replayed(), key) : Reflect.get(adapters, key);
  return new Proxy<BaseAdapters>({}, mirrorTraps(adapters, read));
}

/** Returns the adapters of uncalled calls. A property that wasn't read isn't a missing call. */
function namesOf(unused: readonly AdapterCall[]): readonly string[] {
  return unused.filter(isMethodCall).map(({ adapter }) => adapter);
}

/**
 * The recorded calls of a case as the source of its adapters, without external calls. Adapters are created on demand.
 */
export class RecordedSource implements AdapterSource {
  readonly kind = "recorded";
  readonly mixed = undefined;
  readonly skippedWrites = undefined;
  readonly #replayer: CallReplayer;
  readonly isScripted: boolean;

  constructor(recorded: readonly AdapterCall[] | CallReplayer, isScripted = false) {
    this.#replayer = recorded instanceof CallReplayer ? recorded : new CallReplayer(recorded);
    this.isScripted = isScripted;
  }

  get adapters(): BaseAdapters {
    return this.#replayer.adapters;
  }

  /** The recorded calls that were made again, in the current order. */
  calls(): readonly AdapterCall[] {
    return this.#replayer.made();
  }

  sentCalls(): readonly AdapterCall[] {
    return this.#replayer.sentCalls();
  }

  callsInOrder(): readonly AdapterCall[] {
    return this.#replayer.callsInOrder();
  }

  unrecorded(): readonly UnrecordedRequest[] {
    return this.#replayer.unrecorded();
  }

  uncalled(): readonly string[] {
    return namesOf(this.#replayer.uncalled());
  }

  changedRequests(): number {
    return this.#replayer.changedRequests().size;
  }

  otherHeaders(): readonly string[] {
    return this.#replayer.otherHeaders();
  }

  /** Empty: a replay records no calls. */
  problems(): readonly string[] {
    return [];
  }

  networkAccess(): readonly NetworkAccess[] {
    return this.#replayer.networkAccess();
  }

  runInScope<T>(run: () => T | PromiseLike<T>): Promise<T> {
    return this.#replayer.untilUnrecorded(run);
  }
}

const SOURCE: unique symbol = Symbol("veritest.adapterSource");

interface ContextWithSource extends Omit<StepContext, "adapters"> {
  readonly [SOURCE]: Pick<AdapterSource, "adapters">;
}

// One getter for all contexts: with its own getter, a context takes longer to create than the adapters that it saves.
// Assigning `ctx.adapters` replaces it, as in a plain object.
const ADAPTERS: PropertyDescriptor & ThisType<ContextWithSource> = {
  get(): BaseAdapters {
    return this[SOURCE].adapters;
  },
  set(value: unknown) {
    Object.defineProperty(this, "adapters", { value, writable: true, enumerable: true, configurable: true });
  },
  enumerable: true,
  configurable: true,
};

/** Creates contexts that get a source's adapters when the step's code first reads them. */
export function lazyAdapterContext(source: Pick<AdapterSource, "adapters">): ContextFactory {
  return ({ workflowId, workflowVersion, runId, emitEvent = () => undefined, onArtifact }) =>
    withAdapters({
      workflowId,
      workflowVersion,
      runId,
      emitEvent,
      ...(onArtifact === undefined ? {} : { onArtifact }),
      [SOURCE]: source,
    });
}

function withAdapters(context: ContextWithSource): StepContext;
function withAdapters(context: object): object {
  return Object.defineProperty(context, "adapters", ADAPTERS);
}

/** Source of a finished run with its calls as a baseline stores them: no secrets, placeholders for ids that vary. */
export interface StorableSource extends AdapterSource {
  /** The calls with their original values; absent if no value was replaced. */
  readonly received?: readonly AdapterCall[];
}

/**
 * Returns the source of a finished run with its secrets hidden. In live responses, ids and times that the run's result
 * doesn't contain become placeholders, so two runs that differ only in ids send the same requests and write the same
 * file. Recorded responses stay unchanged, and so do those of an unfinished run: the values it read are unknown.
 */
export function storableSource(
  from: AdapterSource,
  result: Result<CaseRun, StepError>,
  recorded: readonly AdapterCall[] = [],
): StorableSource {
  const source = redactedSource(from, result);
  if (source.kind === "recorded" || !result.ok || projectSettings().keepIds) return source;
  const received = source.calls();
  const calls = stableCalls(received, () => derivedText(result.value), recorded);
  if (calls === received) return source;
  return { ...withCalls(source, calls), received };
}

/**
 * Returns the source of a finished live run with the secrets that its end reveals hidden in all its calls: a field that
 * names a password may come after the call that contains it.
 */
function redactedSource(source: AdapterSource, result: Result<CaseRun, StepError>): AdapterSource {
  if (source.kind === "recorded" || !result.ok) return source;
  const received = source.calls();
  if (received.length === 0) return source;
  collectResultSecrets(result.value);
  if (currentRevealedSecrets()?.size === 0) return source;
  const calls = redactCalls(received);
  return withCalls(source, calls);
}

/** Returns a live source with its calls in another form. */
function withCalls(source: AdapterSource, calls: readonly AdapterCall[]): AdapterSource {
  return { ...source, calls: () => calls, sentCalls: () => calls, callsInOrder: () => calls };
}

/** Returns everything that a run derived from its responses, as text; empty if a file can't store it. */
function derivedText({ outcome: { output, events, commands = [] } }: CaseRun): string {
  try {
    return stableStringify([output ?? null, events, commands]);
  } catch {
    return "";
  }
}
