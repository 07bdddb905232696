import { type AdapterCall, joinPath } from "../adapter-call.ts";
import { isNamespace, isUnrecordedKey } from "../encode/members.ts";
import { type RecordingOptions, type RecordingRules, recordingRules } from "../recording-rules.ts";
import { isModelMethod, isSdkModel, isSdkTool, recordedMethod, recordedTool } from "../interceptors/ai-sdk-adapters.ts";
import { type NetworkReach, OpenNetwork } from "../interceptors/open-network.ts";
import { inAdapter, performCall } from "../interceptors/recording-scope.ts";
import { toolFacts } from "../interceptors/tool-mark.ts";
import { inTapes } from "../interceptors/tapes.ts";
import { CallLog } from "./call-log.ts";
import { mirrorTraps, readBound, registerAdapterProxy, withoutProxy } from "./mirror.ts";
import { type RecordMember, recordCall } from "./record-answer.ts";

/** Adapters that write down how they are used. */
export interface AdapterRecorder<A extends object> {
  /** Every answer came from the adapters themselves; none was served from a recording. */
  readonly source: "live";
  /** Stands for the given adapters and behaves as they do. */
  readonly adapters: A;
  /** How many calls reached the adapters so far; reads of properties are not counted. */
  readonly made: () => number;
  /** The calls so far, in the order in which they were made. Those named in `problems()` may be missing. */
  readonly calls: () => readonly AdapterCall[];
  /** One sentence for each use that a replay of `calls()` could not repeat; empty when the recording is whole. */
  readonly problems: () => readonly string[];
  /** What was reached past the adapters and tapes while `within` ran: no recording holds what it answered. */
  readonly reached: () => readonly NetworkReach[];
  /**
   * Runs something and records beside the adapters' calls what it asks past them, where a tape is installed
   * (`installFetch`, `tapeModel`). Rejects with what `run` throws.
   */
  readonly within: <T>(run: () => T | PromiseLike<T>) => Promise<T>;
}

/**
 * Wraps adapters (nested objects, class instances, functions) in a recording proxy. Calls reach the given objects
 * themselves, so private fields and getters work; calls the adapters make among themselves are not recorded. What
 * cannot be recorded never breaks the run: it becomes a problem. Secrets are hidden before anything is hashed or kept.
 *
 * @example
 * const recorder = recordAdapters({ llm });
 * await run(step, input, { adapters: recorder.adapters });
 * recorder.calls(); // [{ adapter: "llm.complete", occurrence: 0, returns: "promise", request: […], response: … }]
 */
export function recordAdapters<A extends object>(adapters: A, options?: RecordingOptions): AdapterRecorder<A> {
  return recordWith(adapters, recordingRules(options));
}

/** The same of adapters of which some are served: `isLive` tells which calls reach the world, by their adapter. */
export function recordAmong<A extends object>(adapters: A, isLive: (adapter: string) => boolean): AdapterRecorder<A> {
  return recordWith(adapters, recordingRules(), isLive);
}

function recordWith<A extends object>(
  adapters: A,
  rules: RecordingRules,
  isLive?: (adapter: string) => boolean,
): AdapterRecorder<A> {
  const log = new CallLog(rules, isLive);
  const member: RecordMember = {
    log,
    record: (adapter, path) => recordPlace({ adapter, path, owner: adapter, log, rules, member }),
  };
  const proxy = recordPlace({ adapter: adapters, path: "", owner: undefined, log, rules, member });
  const network = new OpenNetwork(false);
  if (!standsFor(proxy, adapters)) throw new TypeError("recordAdapters: adapters must be an object or a function");
  return {
    source: "live",
    adapters: proxy,
    made: () => log.made(),
    calls: () => log.calls(),
    problems: () => log.problems(),
    reached: () => network.reached(),
    within: (run) => inTapes((tape) => tape.record({ log, rules }), run, network),
  };
}

function recordPlace(place: Place): object {
  const { adapter } = place;
  const members = new Map<string, { readonly value: object; readonly proxy: object }>();
  // The same member gives the same proxy, as it would give the same object.
  const memberAt = (key: string, value: object): object => {
    const known = members.get(key);
    if (known?.value === value) return known.proxy;
    const path = joinPath(place.path, key);
    const proxy = isSdkTool(value)
      ? recordedTool(value, { ...place, path })
      : recordPlace({ ...place, adapter: value, path, owner: adapter });
    members.set(key, { value, proxy });
    return proxy;
  };
  const read = (key: string | symbol): unknown => {
    if (typeof key === "symbol" || isUnrecordedKey(adapter, key)) return readUnrecorded(place, key);
    if (isModelMethod(key) && isSdkModel(adapter))
      return recordedMethod(key, { ...place, model: adapter, read: (name) => readRecorded(place, name) });
    const value = readRecorded(place, key);
    return isNamespace(value) ? memberAt(key, value) : value;
  };
  return recordingProxy(place, read);
}

function recordingProxy(place: Place, read: (key: string | symbol) => unknown): object {
  const proxy = new Proxy<object>(standIn(place.adapter), {
    ...mirrorTraps(place.adapter, read),
    has: (_standIn, key) => hasRecorded(place, key),
    ownKeys: () => keysRecorded(place),
    apply: (_standIn, self: unknown, args: readonly unknown[]) => callRecorded(place, self, args),
    construct: (_standIn, args: readonly unknown[]) => constructUnrecorded(place, args),
  });
  registerAdapterProxy(proxy, place.adapter);
  return proxy;
}

/** The proxy's target: without fixed fields, so that frozen adapters set no limits. */
function standIn(adapter: object): object {
  // Bound, a function can be constructed and has no `prototype`, which would be such a field.
  return typeof adapter === "function" ? noAdapter.bind(undefined) : {};
}

function noAdapter(): void {}

// The compiler cannot know that a proxy has the type of what it mirrors; this check is what can be known at run time.
function standsFor<A extends object>(proxy: object, adapters: A): proxy is A {
  return typeof proxy === typeof adapters;
}

/** An adapter being recorded: where it stands, what its methods have as `this`, and where its use is written down. */
interface Place {
  readonly adapter: object;
  readonly path: string;
  readonly owner: unknown;
  readonly log: CallLog;
  readonly rules: RecordingRules;
  /** Records what a call answered with, where it has methods of its own. */
  readonly member: RecordMember;
}

/** Calls the adapter and records the call. */
function callRecorded({ adapter, path, owner, log, member }: Place, self: unknown, args: readonly unknown[]): unknown {
  if (typeof adapter !== "function") throw new TypeError(`${path} is not a function`);
  const facts = toolFacts(adapter);
  const tape = log.begin(path, args, facts?.role);
  const receiver = self === undefined ? owner : withoutProxy(self);
  return recordCall(
    () => performCall({ adapter: path, args, facts }, () => Reflect.apply(adapter, receiver, args.map(withoutProxy))),
    { tape, member },
  );
}

/** Constructs from the adapter. The instance is out of the recording's sight, which is noted as a problem. */
function constructUnrecorded({ adapter, path, log }: Place, args: readonly unknown[]): object {
  if (typeof adapter !== "function") throw new TypeError(`${path} is not a constructor`);
  log.refuse(path, "was called with new; what the instance does cannot be recorded");
  const instance: unknown = Reflect.construct(adapter, args.map(withoutProxy));
  if ((typeof instance === "object" && instance !== null) || typeof instance === "function") return instance;
  throw new TypeError(`${path} constructed no object`);
}

/** Reads a member and records it, unless its own members are what will be used. */
function readRecorded({ adapter, path, log }: Place, key: string): unknown {
  let value: unknown;
  try {
    value = inAdapter((): unknown => Reflect.get(adapter, key, adapter));
  } catch (thrown) {
    log.read({ adapter: joinPath(path, key), request: [], outcome: { thrown } });
    throw thrown;
  }
  if (!isNamespace(value)) log.readProperty(joinPath(path, key), value);
  return value;
}

/** Reads what is never recorded: symbols, `then`, and what every object has of itself. */
function readUnrecorded({ adapter, path, log }: Place, key: string | symbol): unknown {
  // `call`, `apply` and `bind` of a function must act on the proxy, or the call would not be recorded.
  if (typeof adapter === "function" && key in Function.prototype) return Reflect.get(adapter, key);
  const value = readBound(adapter, key);
  const iterates = key === Symbol.asyncIterator || key === Symbol.iterator;
  if (iterates && value !== undefined) {
    log.refuse(path, "was iterated itself, which cannot be recorded; iterate what a method returns");
  }
  return value;
}

/** Answers the `in` operator and records the answer. */
function hasRecorded({ adapter, path, log }: Place, key: string | symbol): boolean {
  const value = Reflect.has(adapter, key);
  if (typeof key === "string" && !isUnrecordedKey(adapter, key)) {
    log.read({ adapter: path, request: ["in", key], outcome: { value } });
  }
  return value;
}

/** Lists the own keys and records the enumerable ones. */
function keysRecorded({ adapter, path, log }: Place): (string | symbol)[] {
  log.read({ adapter: path, request: ["keys"], outcome: { value: Object.keys(adapter) } });
  return Reflect.ownKeys(adapter);
}
