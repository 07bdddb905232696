import { isNamespace, isUnrecordedKey } from "./adapter-member.ts";
import { joinPath } from "./adapter-name.ts";
import { withoutProxy } from "./adapter-proxy.ts";
import type { CallLog } from "./call-log.ts";
import { readBound } from "./mirror-traps.ts";
import { inAdapter } from "./recording-scope.ts";
import type { RecordMember } from "./record-answer.ts";
import { recordResult } from "./record-result.ts";

/** An adapter being recorded: where it stands, what its methods have as `this`, and where its use is written down. */
export interface Place {
  readonly adapter: object;
  readonly path: string;
  readonly owner: unknown;
  readonly log: CallLog;
  /** Records what a call answered with, where it has methods of its own. */
  readonly member: RecordMember;
}

/** Calls the adapter and records the call. */
export function callRecorded(
  { adapter, path, owner, log, member }: Place,
  self: unknown,
  args: readonly unknown[],
): unknown {
  if (typeof adapter !== "function") throw new TypeError(`${path} is not a function`);
  const tape = log.begin(path, args);
  const receiver = self === undefined ? owner : withoutProxy(self);
  let result: unknown;
  try {
    result = inAdapter((): unknown => Reflect.apply(adapter, receiver, args.map(withoutProxy)));
  } catch (error) {
    tape?.threw(error);
    throw error;
  }
  return tape === undefined ? result : recordResult(result, tape, member);
}

/** Constructs from the adapter. The instance is out of the recording's sight, which is noted as a problem. */
export function constructUnrecorded({ adapter, path, log }: Place, args: readonly unknown[]): object {
  if (typeof adapter !== "function") throw new TypeError(`${path} is not a constructor`);
  log.refuse(path, "was called with new; what the instance does cannot be recorded");
  const instance: unknown = Reflect.construct(adapter, args.map(withoutProxy));
  if ((typeof instance === "object" && instance !== null) || typeof instance === "function") return instance;
  throw new TypeError(`${path} constructed no object`);
}

/** Reads a member and records it, unless its own members are what will be used. */
export function readRecorded({ adapter, path, log }: Place, key: string): unknown {
  let value: unknown;
  try {
    value = inAdapter((): unknown => Reflect.get(adapter, key, adapter));
  } catch (thrown) {
    log.read({ adapter: joinPath(path, key), request: [], outcome: { thrown } });
    throw thrown;
  }
  if (!isNamespace(value)) log.read({ adapter: joinPath(path, key), request: [], outcome: { value } });
  return value;
}

/** Reads what is never recorded: symbols, `then`, and what every object has of itself. */
export function readUnrecorded({ adapter, path, log }: Place, key: string | symbol): unknown {
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
export function hasRecorded({ adapter, path, log }: Place, key: string | symbol): boolean {
  const value = Reflect.has(adapter, key);
  if (typeof key === "string" && !isUnrecordedKey(adapter, key)) {
    log.read({ adapter: path, request: ["in", key], outcome: { value } });
  }
  return value;
}

/** Lists the own keys and records the enumerable ones. */
export function keysRecorded({ adapter, path, log }: Place): (string | symbol)[] {
  log.read({ adapter: path, request: ["keys"], outcome: { value: Object.keys(adapter) } });
  return Reflect.ownKeys(adapter);
}
