import { isArray } from "../base/plain-data.ts";
import type { AdapterCall } from "./adapter-call.ts";
import { joinPath } from "./adapter-name.ts";
import { registerAdapterProxy } from "./adapter-proxy.ts";
import type { CallIndex } from "./call-index.ts";
import { encode } from "./encode.ts";
import { describeField } from "./mirror-traps.ts";
import type { RecordingMiss, RecordingMissError } from "./recording-miss.ts";
import type { RecordingRules } from "./recording-rules.ts";
import type { AnswerPlaces } from "./served-answer.ts";
import { promise, serveCall } from "./serve-call.ts";

/** What all places of one tree of served adapters share. */
export interface Serving {
  readonly index: CallIndex;
  readonly rules: RecordingRules;
  /** Notes a miss and words it. */
  readonly miss: (missed: RecordingMiss) => RecordingMissError;
}

/** Makes the stand-in for what stood at a path of the recorded adapters. */
export function servePlace(path: string, serving: Serving): object {
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
  readonly #serving: Serving;
  readonly #members = new Map<string, object>();
  #listed: readonly string[] | undefined;

  constructor(path: string, serving: Serving) {
    this.#path = path;
    this.#serving = serving;
  }

  get(target: object, key: string | symbol): unknown {
    if (typeof key === "symbol") return Reflect.get(target, key);
    const path = joinPath(this.#path, key);
    const recorded = this.#read(path, []);
    if (recorded !== undefined) return recorded.value();
    if (this.#serving.index.knows(path)) return this.#member(key);
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
      return serveCall(taken, { exhausted, places: this.#places });
    }
    const error = miss(taken);
    const promised = index
      .callsOf(adapter)
      .some(({ returns }) => returns === "promise" || returns === "promise-of-stream");
    if (promised) return promise(() => Promise.reject(error));
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

  #member(key: string): object {
    const member = this.#members.get(key) ?? servePlace(joinPath(this.#path, key), this.#serving);
    this.#members.set(key, member);
    return member;
  }

  #read(path: string, request: readonly string[]): { readonly value: () => unknown } | undefined {
    const call = this.#serving.index.read(path, request);
    return call && { value: () => this.#valueOf(call) };
  }
}
