import { type AdapterCall, joinPath } from "../adapter-call.ts";
import { isNamespace, isUnrecordedKey } from "../encode/members.ts";
import { type RecordingOptions, type RecordingRules, recordingRules } from "../recording-rules.ts";
import { isModelMethod, isSdkModel, isSdkTool, recordedMethod, recordedTool } from "../interceptors/ai-sdk-adapters.ts";
import { type NetworkAccess, NetworkGuard } from "../interceptors/network-guard.ts";
import { inAdapter, performCall } from "../interceptors/recording-scope.ts";
import { toolFacts } from "../interceptors/tool-mark.ts";
import { withRecorders } from "../interceptors/recorders.ts";
import { CallLog } from "./call-log.ts";
import { mirrorTraps, proxyStub, readBound, registerAdapterProxy, withoutProxy } from "./mirror.ts";
import { type RecordMember, recordCall } from "./record-response.ts";

/**
 * Recorder of adapter calls, returned by {@link recordAdapters}. Pass `adapters` to the step, then read `calls()`.
 */
export interface AdapterRecorder<A extends object> {
  /** Source of the responses: the adapters themselves. */
  readonly source: "live";
  /** Adapters to pass to the step. They call the original adapters and record each call. */
  readonly adapters: A;
  /** Number of calls that reached the adapters so far. Reads of properties aren't counted. */
  readonly made: () => number;
  /** The calls so far, in the order in which they were made. Those named in `problems()` may be missing. */
  readonly calls: () => readonly AdapterCall[];
  /**
   * Problems of the recording, one sentence each: uses of adapters that a replay can't repeat. Empty if the recording
   * is complete.
   */
  readonly problems: () => readonly string[];
  /**
   * Hosts that the step contacted without an adapter or a recorder while `runInScope` ran. Their responses aren't
   * recorded.
   */
  readonly networkAccess: () => readonly NetworkAccess[];
  /**
   * Runs a function. Also records requests made outside the adapters if a recorder is installed (`recordGlobalFetch`,
   * `recordModel`). Rejects with the error that `run` throws.
   */
  readonly runInScope: <T>(run: () => T | PromiseLike<T>) => Promise<T>;
}

/**
 * Wraps adapters (nested objects, class instances, functions) so that their calls are recorded. Calls reach the
 * original objects, so private fields and getters work. Calls that adapters make among themselves aren't recorded. A
 * call that can't be recorded never breaks the run: it's listed in `problems`. Secrets are redacted before anything is
 * hashed or stored.
 *
 * @example
 * const recorder = recordAdapters({ llm });
 * await run(step, input, { adapters: recorder.adapters });
 * recorder.calls(); // [{ adapter: "llm.complete", occurrence: 0, returns: "promise", request: […], response: … }]
 */
export function recordAdapters<A extends object>(adapters: A, options?: RecordingOptions): AdapterRecorder<A> {
  return recordWith(adapters, recordingRules(options));
}

/** Records adapters some of which are replayed. `isLive` returns true for those whose calls reach live services. */
export function recordLiveAdapters<A extends object>(
  adapters: A,
  isLive: (adapter: string) => boolean,
): AdapterRecorder<A> {
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
    record: (adapter, path) => recordNode({ adapter, path, owner: undefined, log, rules, member }),
  };
  const proxy = recordNode({ adapter: adapters, path: "", owner: undefined, log, rules, member });
  const network = new NetworkGuard(false);
  if (!hasTypeOf(proxy, adapters)) throw new TypeError("recordAdapters: adapters must be an object or a function");
  return {
    source: "live",
    adapters: proxy,
    made: () => log.made(),
    calls: () => log.calls(),
    problems: () => log.problems(),
    networkAccess: () => network.reached(),
    runInScope: async (run) => {
      const isAdapterAtWork = (): boolean => log.isAdapterAtWork();
      try {
        return await withRecorders((recorder) => recorder.record({ log, rules }), run, { network, isAdapterAtWork });
      } finally {
        log.close();
      }
    },
  };
}

function recordNode(node: AdapterNode): object {
  const { adapter } = node;
  const members = new Map<string, { readonly value: object; readonly proxy: object }>();
  // The same member always has the same proxy.
  const memberAt = (key: string, value: object): object => {
    const known = members.get(key);
    if (known?.value === value) return known.proxy;
    const path = joinPath(node.path, key);
    const proxy = isSdkTool(value)
      ? recordedTool(value, { ...node, path })
      : recordNode({ ...node, adapter: value, path, owner: adapter });
    members.set(key, { value, proxy });
    return proxy;
  };
  const read = (key: string | symbol): unknown => {
    if (typeof key === "symbol" || isUnrecordedKey(adapter, key)) return readUnrecorded(node, key);
    if (isModelMethod(key) && isSdkModel(adapter))
      return recordedMethod(key, { ...node, model: adapter, read: (name) => readRecorded(node, name) });
    const value = readRecorded(node, key);
    return isNamespace(value) ? memberAt(key, value) : value;
  };
  return recordingProxy(node, read);
}

function recordingProxy(node: AdapterNode, read: (key: string | symbol) => unknown): object {
  const proxy = new Proxy<object>(proxyStub(node.adapter), {
    ...mirrorTraps(node.adapter, read),
    has: (_target, key) => hasRecorded(node, key),
    ownKeys: () => keysRecorded(node),
    apply: (_target, self: unknown, args: readonly unknown[]) => callRecorded(node, self, args),
    construct: (_target, args: readonly unknown[]) => constructUnrecorded(node, args),
  });
  registerAdapterProxy(proxy, node.adapter);
  return proxy;
}

// The compiler can't know that a proxy has the type of its original; run time can only check this.
function hasTypeOf<A extends object>(proxy: object, adapters: A): proxy is A {
  return typeof proxy === typeof adapters;
}

/** An adapter being recorded, with its path, the `this` of its methods, and the log of its uses. */
interface AdapterNode {
  readonly adapter: object;
  readonly path: string;
  readonly owner: unknown;
  readonly log: CallLog;
  readonly rules: RecordingRules;
  /** Records uses of a response that has its own methods. */
  readonly member: RecordMember;
}

/** Calls the adapter and records the call. */
function callRecorded(
  { adapter, path, owner, log, member }: AdapterNode,
  self: unknown,
  args: readonly unknown[],
): unknown {
  if (typeof adapter !== "function") throw new TypeError(`${path} is not a function`);
  const facts = toolFacts(adapter);
  const recorder = log.begin(path, args, facts?.role);
  const receiver = self === undefined ? owner : withoutProxy(self);
  return recordCall(
    () => performCall({ adapter: path, args, facts }, () => Reflect.apply(adapter, receiver, args.map(withoutProxy))),
    { recorder, member },
  );
}

/** Constructs an instance of the adapter. Uses of the instance can't be recorded, which is noted as a problem. */
function constructUnrecorded({ adapter, path, log }: AdapterNode, args: readonly unknown[]): object {
  if (typeof adapter !== "function") throw new TypeError(`${path} is not a constructor`);
  log.refuse(path, "was called with new, and calls of an instance can't be recorded");
  const instance: unknown = Reflect.construct(adapter, args.map(withoutProxy));
  if ((typeof instance === "object" && instance !== null) || typeof instance === "function") return instance;
  throw new TypeError(`${path} didn't construct an object`);
}

/** Reads a member. Records it unless it is a namespace, whose own members are recorded instead. */
function readRecorded({ adapter, path, log }: AdapterNode, key: string): unknown {
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

/** Reads keys that are never recorded: symbols, `then`, and members of every object. */
function readUnrecorded({ adapter, path, log }: AdapterNode, key: string | symbol): unknown {
  // `call`, `apply` and `bind` of a function must act on the proxy, or the call would not be recorded.
  if (typeof adapter === "function" && key in Function.prototype) return Reflect.get(adapter, key);
  const value = readBound(adapter, key);
  const iterates = key === Symbol.asyncIterator || key === Symbol.iterator;
  if (iterates && value !== undefined) {
    log.refuse(path, "is iterated directly, which can't be recorded. Iterate the result of one of its methods instead");
  }
  return value;
}

/** Evaluates the `in` operator and records the result. */
function hasRecorded({ adapter, path, log }: AdapterNode, key: string | symbol): boolean {
  const value = Reflect.has(adapter, key);
  if (typeof key === "string" && !isUnrecordedKey(adapter, key)) {
    log.read({ adapter: path, request: ["in", key], outcome: { value } });
  }
  return value;
}

/** Lists the own keys and records the enumerable ones. */
function keysRecorded({ adapter, path, log }: AdapterNode): (string | symbol)[] {
  log.read({ adapter: path, request: ["keys"], outcome: { value: Object.keys(adapter) } });
  return Reflect.ownKeys(adapter);
}
