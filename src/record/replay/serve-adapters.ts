import { isArray } from "../../kernel/json/plain-data.ts";
import { type AdapterCall, joinPath } from "../adapter-call.ts";
import { encode } from "../encode/encode.ts";
import { describeField, registerAdapterProxy } from "../proxy/mirror.ts";
import type { RecordingMiss } from "./recording-miss.ts";
import type { RecordingOptions } from "../recording-rules.ts";
import { type NetworkReach, OpenNetwork } from "../interceptors/open-network.ts";
import type { TapeHandlers } from "../interceptors/recording-scope.ts";
import { isModelMethod, servedMethod, servedTool } from "../interceptors/ai-sdk-adapters.ts";
import { type TapeAnswers, inTapes, lacksModelTape, refusingModels } from "../interceptors/tapes.ts";
import { signalIn } from "./staged-end.ts";
import { type AnswerPlaces, type ServedCalls, answersFrom, promiseOf, serveCall } from "./serve-call.ts";

/** Adapters that answer from a recording and reach nothing else. */
export interface AdapterServer {
  /** Every answer came from the recording; none counts as the work of a live adapter. */
  readonly source: "recorded";
  /** Has the members the recorded run used; any other is a function that throws a `RecordingMissError`. */
  readonly adapters: object;
  /** How many recorded calls were answered so far; reads of properties are not counted. */
  readonly served: () => number;
  /** The recorded calls and reads that were answered, in the order in which they were asked for. */
  readonly made: () => readonly AdapterCall[];
  /** The same, each with the placeholders of today's request, where a secret in it was another one. */
  readonly asked: () => readonly AdapterCall[];
  /** What was asked for and not found, in order, also where the step caught the error. */
  readonly misses: () => readonly RecordingMiss[];
  /** What was reached past the adapters and tapes while `within` ran, and what of it was let through. */
  readonly reached: () => readonly NetworkReach[];
  /** The recorded calls that were not made, and the recorded property values that were not read. */
  readonly unused: () => readonly AdapterCall[];
  /**
   * Runs something and answers also what it asks past the adapters, where a tape is installed. Rejects with what
   * `run` throws.
   */
  readonly within: <T>(run: () => T | PromiseLike<T>) => Promise<T>;
}

/**
 * Serves recorded calls. A call gets the answer of the recorded call with the same path and arguments; equal ones pair
 * in order, so the order of different ones does not matter. Answers come as they were recorded: at once, by a promise,
 * as a stream, or thrown; each is decoded afresh. Where the recording has no answer, a `RecordingMissError` is
 * thrown, or rejected with if the adapter answered by promises. Requests are compared without secrets and without what
 * `ignore` names, so the options must be those of the recording.
 *
 * @example
 * const server = serveAdapters(calls);
 * await run(step, input, { adapters: server.adapters });
 * server.misses(); // []
 */
export function serveAdapters(calls: readonly AdapterCall[], options?: RecordingOptions): AdapterServer {
  const server = new CallServer(calls, options);
  return {
    source: "recorded",
    // Made at once: who takes a part of this object out of it takes adapters, not a way to them.
    adapters: server.adapters,
    served: () => server.served(),
    made: () => server.made(),
    asked: () => server.asked(),
    misses: () => server.misses(),
    reached: () => server.reached(),
    unused: () => server.unused(),
    within: async (run) => server.within(run),
  };
}

/**
 * Serves recorded calls as `serveAdapters` does, and makes what that takes when something is first asked for: the rules
 * of the project and the adapters of each case were a fifth of a sweep over a step that asks for nothing, and held each
 * case in memory until the next full collection.
 */
export class CallServer {
  readonly #calls: readonly AdapterCall[];
  readonly #options: RecordingOptions | undefined;
  readonly #isScripted: ((adapter: string) => boolean) | undefined;
  #network: OpenNetwork | undefined;
  #serving: ServedCalls | undefined;
  #adapters: object | undefined;

  constructor(calls: readonly AdapterCall[], options?: RecordingOptions, isScripted?: (adapter: string) => boolean) {
    this.#calls = calls;
    this.#options = options;
    this.#isScripted = isScripted;
  }

  /** The adapters, the same ones each time. Asked for within the check whose rules are to hold. */
  get adapters(): object {
    this.#adapters ??= servePlace("", this.#open());
    return this.#adapters;
  }

  /** How many recorded calls were answered so far; reads of properties are not counted. */
  served(): number {
    return this.#serving?.index.served() ?? 0;
  }

  /** The recorded calls and reads that were answered, in the order in which they were asked for. */
  made(): readonly AdapterCall[] {
    return this.#serving?.index.made() ?? [];
  }

  /** The same with the placeholders of today's requests. */
  asked(): readonly AdapterCall[] {
    return this.#serving?.index.asked() ?? [];
  }

  /** How many requests a script answered that were not those of the recording. */
  askedOtherwise(): number {
    return this.#serving?.index.askedOtherwise() ?? 0;
  }

  /** What was asked for and not found, in order. */
  misses(): readonly RecordingMiss[] {
    return [...(this.#serving?.misses ?? [])];
  }

  /** What was reached past the adapters and tapes. */
  reached(): readonly NetworkReach[] {
    return this.#network?.reached() ?? [];
  }

  /** The recorded calls that were not made, and the recorded property values that were not read. */
  unused(): readonly AdapterCall[] {
    return this.#serving?.index.unused() ?? [...this.#calls];
  }

  /**
   * Runs something and answers also what it asks past the adapters, where a tape is installed and `serves` says so of
   * its name; without `serves`, nothing else is reached. Rejects with what `run` throws.
   */
  within<T>(run: () => T | PromiseLike<T>, serves?: (name: string) => boolean): Promise<T> {
    const refuses = serves?.("model") !== false && lacksModelTape(this.#calls);
    const network = serves === undefined ? (this.#network ??= new OpenNetwork(true)) : undefined;
    return inTapes(
      (tape) => {
        const opened = tape.serve(this.#open());
        return serves === undefined ? opened : { ...opened, handlers: chosen(opened.handlers, serves) };
      },
      refuses ? async () => refusingModels(run) : run,
      network,
    );
  }

  #open(): ServedCalls {
    return (this.#serving ??= answersFrom(this.#calls, this.#options, this.#isScripted));
  }
}

function chosen(handlers: TapeHandlers, serves: (name: string) => boolean): TapeHandlers {
  // What a service says of itself belongs to its tools.
  return Object.fromEntries(Object.entries(handlers).filter(([name]) => serves(name === "facts" ? "tools" : name)));
}

/** Makes the stand-in for what stood at a path of the recorded adapters. */
function servePlace(path: string, serving: TapeAnswers): object {
  const { index } = serving;
  // What the recording does not know may be a method that was never called, as in `typeof adapters.llm.stream`.
  const callable = index.callsOf(path).length > 0 || (path !== "" && !index.knows(path));
  const target = callable ? () => undefined : {};
  const proxy = new Proxy<object>(target, new ServedPlace(path, serving));
  registerAdapterProxy(proxy, proxy);
  return proxy;
}

class ServedPlace implements ProxyHandler<object> {
  readonly #path: string;
  readonly #serving: TapeAnswers;
  readonly #members = new Map<string, object>();
  #listed: readonly string[] | undefined;

  constructor(path: string, serving: TapeAnswers) {
    this.#path = path;
    this.#serving = serving;
  }

  get(target: object, key: string | symbol): unknown {
    if (typeof key === "symbol") return Reflect.get(target, key);
    const path = joinPath(this.#path, key);
    const recorded = this.#read(path, []);
    if (recorded !== undefined) return recorded.value();
    if (this.#serving.index.knows(path)) return this.#modelMethod(key) ?? this.#member(key);
    return key in target || key === "then" || key === "toJSON" ? Reflect.get(target, key) : this.#member(key);
  }

  // Without it, a step's write would meet the accessors that `getOwnPropertyDescriptor` shows, and throw.
  set(target: object, key: string | symbol, value: unknown): boolean {
    return Reflect.set(target, key, value);
  }

  has(target: object, key: string | symbol): boolean {
    if (typeof key === "symbol") return Reflect.has(target, key);
    const recorded = this.#read(this.#path, ["in", key]);
    if (recorded !== undefined) return recorded.value() === true;
    return this.#serving.index.knows(joinPath(this.#path, key)) || Reflect.has(target, key);
  }

  ownKeys(): string[] {
    const keys = this.#read(this.#path, ["keys"])?.value();
    if (isArray(keys)) this.#listed = keys.map(String);
    return [...this.#keys()];
  }

  getOwnPropertyDescriptor(target: object, key: string | symbol): PropertyDescriptor | undefined {
    if (typeof key === "symbol" || !this.#keys().includes(key)) return undefined;
    return describeField(true, () => this.get(target, key));
  }

  apply(_target: object, _self: unknown, args: readonly unknown[]): unknown {
    const { index, miss } = this.#serving;
    const adapter = this.#path;
    const request = this.#serving.rules.request(adapter, encode(args, { opaque: "omit" }));
    const taken = index.take(adapter, request);
    if (!("reason" in taken)) {
      const recorded = index.callsOf(adapter).length;
      const exhausted = (limit: number): Error =>
        miss({ adapter, request, reason: "stream_exhausted", nearest: taken, recorded, limit });
      return serveCall(taken, { exhausted, signal: signalIn(args), places: this.#places });
    }
    const error = miss(taken);
    const promised = index
      .callsOf(adapter)
      .some(({ returns }) => returns === "promise" || returns === "promise-of-stream");
    if (promised) return promiseOf(() => Promise.reject(error));
    throw error;
  }

  #valueOf(call: AdapterCall): unknown {
    const { index, miss } = this.#serving;
    const refused = index.refusal(call, call.request);
    if (refused !== undefined) throw miss(refused);
    return serveCall(call, { exhausted: () => new TypeError(`${call.adapter} is not a stream`), places: this.#places });
  }

  get #places(): AnswerPlaces {
    return { index: this.#serving.index, place: (path) => servePlace(path, this.#serving) };
  }

  /** Sought when first asked for: each used answer is a place, and hardly any is listed. */
  #keys(): readonly string[] {
    return (this.#listed ??= this.#serving.index.keysBelow(this.#path));
  }

  #modelMethod(key: string): unknown {
    const read = (name: string): unknown => this.#read(joinPath(this.#path, name), [])?.value();
    return isModelMethod(key) ? servedMethod(key, { path: this.#path, read, answers: this.#serving }) : undefined;
  }

  #member(key: string): object {
    const path = joinPath(this.#path, key);
    const member = this.#members.get(key) ?? servedTool(path, this.#serving) ?? servePlace(path, this.#serving);
    this.#members.set(key, member);
    return member;
  }

  #read(path: string, request: readonly string[]): { readonly value: () => unknown } | undefined {
    const call = this.#serving.index.read(path, request);
    return call && { value: () => this.#valueOf(call) };
  }
}
