import { isPlainObject } from "../base/plain-data.ts";
import { quote } from "../base/text.ts";
import type { CallLog } from "./call-log.ts";
import type { CallTape } from "./call-tape.ts";
import { inAdapter } from "./recording-scope.ts";
import { isNamespace } from "./adapter-member.ts";
import { registerAnswerMirror } from "./adapter-proxy.ts";
import { inheritedMembers } from "./encode-instance.ts";
import { mirrorTraps, readBound } from "./mirror-traps.ts";

/** Makes recordings of what a call answered with: its methods are adapters, too, at a path of their own. */
export interface RecordMember {
  readonly log: CallLog;
  /** A recording stand-in for an object at a path. */
  readonly record: (adapter: object, path: string) => object;
}

/** What a promise with methods of its own is recorded by. */
export interface PromiseUse {
  /** The recorded promise of the answer; of the source given, if nothing was followed before. */
  readonly settled: (source?: PromiseLike<unknown>) => Promise<unknown>;
  readonly tape: CallTape;
  readonly member: RecordMember;
}

/**
 * Reads a member of an SDK's promise that no other promise has. `withResponse` is recorded, its response by status and
 * request id; other methods work, but a recording cannot serve them, which is noted.
 */
export function recordPromiseUse(promise: PromiseLike<unknown>, key: string | symbol, use: PromiseUse): unknown {
  const value = readBound(promise, key);
  if (typeof value !== "function" || typeof key === "symbol" || key === "constructor" || key in Object.prototype)
    return value;
  if (key === "withResponse") return async (): Promise<unknown> => recordWithResponse(value, use);
  return (...args: unknown[]): unknown => {
    use.tape.note(
      `returned a promise whose method ${quote(key)} was called, which a recording cannot serve; await the promise itself`,
    );
    return Reflect.apply(value, promise, args);
  };
}

async function recordWithResponse(withResponse: object, { settled, tape, member }: PromiseUse): Promise<unknown> {
  const whole = await inAdapter(async () => callOf(withResponse, undefined, []));
  if (typeof whole !== "object" || whole === null || !("data" in whole)) return whole;
  const data = await settled(Promise.resolve(whole.data));
  const response: unknown = Reflect.get(whole, "response");
  const status =
    typeof response === "object" && response !== null && "status" in response ? response.status : undefined;
  const own = member.log.begin(`${tape.answerPath}.withResponse`, []);
  own?.promised();
  const requestId: unknown = Reflect.get(whole, "request_id");
  own?.returned({ request_id: requestId, status });
  return { ...whole, data };
}

/**
 * Reads a member of an answer (a stream, an object with methods): a method becomes one whose calls are recorded as an
 * adapter's, what a getter gives is recorded as a property. Fields are handed on as they are.
 */
export function recordAnswerUse(answer: object, key: string, { tape, member, used, isField }: AnswerUse): unknown {
  const value: unknown = inAdapter((): unknown => Reflect.get(answer, key, answer));
  if (key === "constructor" || key in Object.prototype) return readBound(answer, key);
  if (typeof value !== "function") {
    if (!isField(key)) member.log.read({ adapter: `${tape.answerPath}.${key}`, request: [], outcome: { value } });
    return value;
  }
  return (...args: unknown[]): unknown => {
    used();
    const path = tape.answerPath;
    if (args.some((arg) => typeof arg === "function")) {
      member.log.refuse(
        `${path}.${key}`,
        "was called with a function, which a recording cannot call; read the answer, or await its result",
      );
      return inAdapter(() => callOf(value, answer, args));
    }
    return callOf(Reflect.get(member.record(answer, path), key), answer, args);
  };
}

/** What the members of an answer are recorded by. */
export interface AnswerUse {
  readonly tape: CallTape;
  readonly member: RecordMember;
  /** Hears of each call of a method. */
  readonly used: () => void;
  /** Tells whether a member needs no record of its own: it is recorded with the answer, or is no data. */
  readonly isField: (key: string) => boolean;
}

/**
 * A stand-in for an object with methods or getters that an adapter answered with; undefined for data, which needs none.
 */
export function mirrorAnswer(answer: unknown, tape: CallTape, member: RecordMember): object | undefined {
  if (typeof answer !== "object" || answer === null || !hasMethods(answer)) return undefined;
  const use = {
    tape,
    member,
    used: () => undefined,
    isField: (key: string) => Object.hasOwn(answer, key) || !(key in answer),
  };
  const read = (key: string | symbol): unknown =>
    typeof key === "symbol" ? readBound(answer, key) : recordAnswerUse(answer, key, use);
  const mirror = new Proxy<object>({}, mirrorTraps(answer, read));
  registerAnswerMirror(mirror, answer);
  return mirror;
}

/** What speaks for itself by `toJSON` is data, whatever else it can do. */
function hasMethods(answer: object): boolean {
  // Plain data is nearly all there is.
  if (isPlainObject(answer)) return Object.values(answer).some(isFunction) && !isFunction(answer["toJSON"]);
  if (!isNamespace(answer) || typeof Reflect.get(answer, "toJSON") === "function") return false;
  const own = Object.values(Object.getOwnPropertyDescriptors(answer)).some(({ value }) => typeof value === "function");
  return (
    own ||
    [...inheritedMembers(answer).values()].some((descriptor) => "get" in descriptor || isFunction(descriptor.value))
  );
}

function isFunction(value: unknown): boolean {
  return typeof value === "function";
}

function callOf(method: unknown, self: unknown, args: readonly unknown[]): unknown {
  if (typeof method !== "function") return undefined;
  const result: unknown = Reflect.apply(method, self, args);
  return result;
}
