import { types } from "node:util";
import { isPlainObject } from "../../kernel/json/plain-data.ts";
import { quote } from "../../kernel/text.ts";
import { classTag, isAsyncIterable, readableOf } from "../encode/builtins.ts";
import { inheritedMembers, isNamespace } from "../encode/members.ts";
import { inAdapter } from "../interceptors/recording-scope.ts";
import type { CallLog } from "./call-log.ts";
import type { CallTape, StreamTape } from "./call-tape.ts";
import { mirrorTraps, readBound, registerAnswerMirror } from "./mirror.ts";

/** Makes a call and records how it went; what it throws is recorded and thrown. */
export function recordCall(
  call: () => unknown,
  { tape, member }: { readonly tape: CallTape | undefined; readonly member: RecordMember },
): unknown {
  let result: unknown;
  try {
    result = tape === undefined ? call() : tape.within(call);
  } catch (error) {
    tape?.threw(error);
    throw error;
  }
  return tape === undefined ? result : recordResult(result, tape, member);
}

/** Records what an adapter returned, whatever its form; the answer is what the step gets in its place. */
function recordResult(result: unknown, tape: CallTape, member: RecordMember): unknown {
  if (isThenable(result)) return recordPromise(result, tape, member);
  return recordSettled(result, tape, member);
}

function recordSettled(value: unknown, tape: CallTape, member: RecordMember): unknown {
  if (isAsyncIterable(value)) return recordStream(value, tape, member);
  tape.returned(value);
  return mirrorAnswer(value, tape, member) ?? value;
}

function recordPromise(promise: PromiseLike<unknown>, tape: CallTape, member: RecordMember): unknown {
  tape.promised();
  const follow = (source: Promise<unknown>): Promise<unknown> =>
    source.then(
      (value) => recordSettled(value, tape, member),
      (error: unknown) => {
        tape.threw(error);
        throw error;
      },
    );
  if (isPlainPromise(promise)) return follow(Promise.resolve(promise));
  return mirrorPromise(promise, { follow: (source) => follow(inAdapter(() => Promise.resolve(source))), tape, member });
}

interface Following {
  readonly follow: (source: PromiseLike<unknown>) => Promise<unknown>;
  readonly tape: CallTape;
  readonly member: RecordMember;
}

/** A stand-in for a promise with methods of its own (an SDK's, a query builder's). */
function mirrorPromise(promise: PromiseLike<unknown>, { follow, tape, member }: Following): unknown {
  let followed: Promise<unknown> | undefined;
  // Not before the step asks: a lazy thenable starts its work in `then`.
  const settled = (source: PromiseLike<unknown> = promise): Promise<unknown> => (followed ??= follow(source));
  const read = (key: string | symbol): unknown => {
    if (key !== "then" && key !== "catch" && key !== "finally")
      return recordPromiseUse(promise, key, { settled, tape, member });
    return (...args: unknown[]): unknown => Reflect.apply(settled()[key], settled(), args);
  };
  return new Proxy<object>({}, mirrorTraps(promise, read));
}

/** True for a promise that is nothing else, of any realm: directly below `Promise.prototype`, without own fields. */
function isPlainPromise(value: unknown): boolean {
  if (!types.isPromise(value) || Reflect.ownKeys(value).some((key) => typeof key === "string")) return false;
  const prototype = Reflect.getPrototypeOf(value);
  const base = prototype && Reflect.getPrototypeOf(prototype);
  return base !== null && Reflect.getPrototypeOf(base) === null;
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  if ((typeof value !== "object" || value === null) && typeof value !== "function") return false;
  return "then" in value && typeof value.then === "function";
}

/** Makes recordings of what a call answered with: its methods are adapters, too, at a path of their own. */
export interface RecordMember {
  readonly log: CallLog;
  /** A recording stand-in for an object at a path. */
  readonly record: (adapter: object, path: string) => object;
}

/** What a promise with methods of its own is recorded by. */
interface PromiseUse {
  /** The recorded promise of the answer; of the source given, if nothing was followed before. */
  readonly settled: (source?: PromiseLike<unknown>) => Promise<unknown>;
  readonly tape: CallTape;
  readonly member: RecordMember;
}

/**
 * Reads a member of an SDK's promise that no other promise has. `withResponse` is recorded, its response by status and
 * request id; other methods work, but a recording cannot serve them, which is noted.
 */
function recordPromiseUse(promise: PromiseLike<unknown>, key: string | symbol, use: PromiseUse): unknown {
  const value = readBound(promise, key);
  if (typeof value !== "function" || typeof key === "symbol" || key === "constructor" || key in Object.prototype)
    return value;
  if (key === "withResponse") return async (): Promise<unknown> => recordWithResponse(value, use);
  return (...args: unknown[]): unknown => {
    use.tape.note(
      `returned a promise whose method ${quote(key)} was called, which a recording cannot serve; ` +
        "await the promise itself",
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
function recordAnswerUse(answer: object, key: string, { tape, member, used, isField }: AnswerUse): unknown {
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
interface AnswerUse {
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
function mirrorAnswer(answer: unknown, tape: CallTape, member: RecordMember): object | undefined {
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

type Source = AsyncIterator<unknown, unknown, unknown>;

/**
 * Records a stream chunk by chunk as the step consumes it. A ReadableStream becomes a real one (all its readers work);
 * anything else keeps its other members: calls of an SDK's `finalMessage()` and the like are recorded, too.
 */
function recordStream(stream: AsyncIterable<unknown, unknown, unknown>, tape: CallTape, member: RecordMember): unknown {
  return classTag(stream) === "ReadableStream" ? recordReadable(stream, tape) : mirrorStream(stream, tape, member);
}

/** Records a ReadableStream; the answer is one, too. */
export function recordReadable(stream: AsyncIterable<unknown, unknown, unknown>, tape: CallTape): object {
  return readableOf(recordIteration(stream[Symbol.asyncIterator](), tape.streams(true)));
}

function mirrorStream(stream: AsyncIterable<unknown, unknown, unknown>, tape: CallTape, member: RecordMember): unknown {
  const streamTape = tape.streams(false);
  let first: { readonly source: Source; readonly iteration: Source } | undefined;
  const iterate = (): Source => {
    const source = stream[Symbol.asyncIterator]();
    if (first !== undefined && first.source !== source) streamTape.reopen();
    first ??= { source, iteration: recordIteration(source, streamTape) };
    return first.source === source ? first.iteration : source;
  };
  const isGenerator = "next" in stream;
  // Objects such as a controller are no data of the stream's.
  const isField = (key: string): boolean => typeof Reflect.get(stream, key) === "object" || !(key in stream);
  const read = (key: string | symbol): unknown => {
    if (key === Symbol.asyncIterator) return iterate;
    if (isGenerator && (key === "next" || key === "return" || key === "throw")) return readBound(iterate(), key);
    if (typeof key === "symbol" || isGenerator) return readBound(stream, key);
    return recordAnswerUse(stream, key, { tape, member, used: () => streamTape.used(), isField });
  };
  const mirror = new Proxy<object>({}, mirrorTraps(stream, read));
  registerAnswerMirror(mirror, stream);
  return mirror;
}

function recordIteration(source: Source, tape: StreamTape): AsyncIterableIterator<unknown, unknown, unknown> {
  return {
    next: (...args) => tape.follow(() => inAdapter(() => source.next(...args))),
    return: async (value) => {
      tape.close();
      return source.return === undefined
        ? { done: true, value: await value }
        : inAdapter(async () => source.return?.(value) ?? { done: true, value });
    },
    throw: (error: unknown) => tape.follow(() => inAdapter(() => throwInto(source, error))),
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

async function throwInto(source: Source, error: unknown): Promise<IteratorResult<unknown, unknown>> {
  if (source.throw === undefined) throw error;
  return source.throw(error);
}
