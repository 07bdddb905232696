import { types } from "node:util";
import { isArray, isObject, isPlainObject, memberOf } from "../../kernel/json/plain-data.ts";
import { quote } from "../../kernel/text.ts";
import { classTag, isAsyncIterable, readableOf } from "../encode/builtins.ts";
import { inheritedMembers, instanceMembers, isNamespace } from "../encode/members.ts";
import { inAdapter } from "../interceptors/recording-scope.ts";
import { isHeaderList, recordedHeaders } from "../response-headers.ts";
import type { CallLog } from "./call-log.ts";
import type { CallRecorder } from "./call-recorder.ts";
import { mirrorTraps, readBound, registerResponseProxy, teeChunks } from "./mirror.ts";
import { type MirrorChunk, type Source, recordIteration } from "./stream-recorder.ts";

/** Makes a call and records its result or its error. Rethrows the error. */
export function recordCall(
  call: () => unknown,
  { recorder, member }: { readonly recorder: CallRecorder | undefined; readonly member: RecordMember },
): unknown {
  let result: unknown;
  try {
    result = recorder === undefined ? call() : recorder.runInScope(call);
  } catch (error) {
    recorder?.threw(error);
    throw error;
  }
  return recorder === undefined ? result : recordResult(result, recorder, member);
}

/** Records the value that an adapter returned. Returns the value or stub that the step gets. */
function recordResult(result: unknown, recorder: CallRecorder, member: RecordMember): unknown {
  if (isThenable(result)) return recordPromise(result, recorder, member);
  return recordValue(result, recorder, member);
}

function recordValue(value: unknown, recorder: CallRecorder, member: RecordMember): unknown {
  if (isAsyncIterable(value)) return recordStream(value, recorder, member);
  recorder.returned(value);
  return mirrorResponse(value, { recorder, member }) ?? value;
}

function recordPromise(promise: PromiseLike<unknown>, recorder: CallRecorder, member: RecordMember): unknown {
  recorder.markPromise();
  const follow = (source: Promise<unknown>): Promise<unknown> =>
    source.then(
      (value) => recordValue(value, recorder, member),
      (error: unknown) => {
        recorder.threw(error);
        throw error;
      },
    );
  if (isPlainPromise(promise)) {
    const followed = follow(Promise.resolve(promise));
    registerResponseProxy(followed, followed);
    return followed;
  }
  return mirrorPromise(promise, {
    follow: (source) => follow(inAdapter(() => Promise.resolve(source))),
    recorder,
    member,
  });
}

interface Following {
  readonly follow: (source: PromiseLike<unknown>) => Promise<unknown>;
  readonly recorder: CallRecorder;
  readonly member: RecordMember;
}

const AWAITED_AND_ITERATED =
  "returned a promise that was awaited and iterated, which a recording can't replay. Await it, and iterate its result";

/** Returns a stub for a promise that has its own methods (an SDK's, a query builder's). */
function mirrorPromise(promise: PromiseLike<unknown>, { follow, recorder, member }: Following): unknown {
  let followed: Promise<unknown> | undefined;
  // Started only by the step's call: a lazy thenable starts its work in `then`.
  const followOnce = (source: PromiseLike<unknown> = promise): Promise<unknown> => {
    if (stream !== undefined) recorder.note(AWAITED_AND_ITERATED);
    return (followed ??= follow(source));
  };
  let stream: object | undefined;
  const iterate = (iterable: AsyncIterable<unknown, unknown, unknown>): unknown => {
    if (followed !== undefined) recorder.note(AWAITED_AND_ITERATED);
    stream ??= recordStream(iterable, recorder.withoutPromise(), member);
    return callOf(Reflect.get(stream, Symbol.asyncIterator), stream, []);
  };
  const read = (key: string | symbol): unknown => {
    if (key === Symbol.asyncIterator && isAsyncIterable(promise)) return () => iterate(promise);
    if (key !== "then" && key !== "catch" && key !== "finally")
      return recordPromiseUse(promise, key, { followOnce, recorder, member });
    return (...args: unknown[]): unknown => Reflect.apply(followOnce()[key], followOnce(), args);
  };
  return new Proxy<object>({}, mirrorTraps(promise, read));
}

/** True for a plain promise of any realm: directly below `Promise.prototype`, without own fields. */
function isPlainPromise(value: unknown): boolean {
  if (!types.isPromise(value) || Object.getOwnPropertyNames(value).length > 0) return false;
  const prototype = Reflect.getPrototypeOf(value);
  if (prototype === Promise.prototype) return true;
  const base = prototype && Reflect.getPrototypeOf(prototype);
  return base !== null && Reflect.getPrototypeOf(base) === null;
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  if ((typeof value !== "object" || value === null) && typeof value !== "function") return false;
  return "then" in value && typeof value.then === "function";
}

/** Records uses of a call's response. Its methods are adapters, too, each at its own path. */
export interface RecordMember {
  readonly log: CallLog;
  /** Returns a recording stub for an object at a path. */
  readonly record: (adapter: object, path: string) => object;
}

/** Context to record a promise that has its own methods. */
interface PromiseUse {
  /** The recorded promise of the response. The first call may pass the source to follow. */
  readonly followOnce: (source?: PromiseLike<unknown>) => Promise<unknown>;
  readonly recorder: CallRecorder;
  readonly member: RecordMember;
}

/**
 * Reads a member that only an SDK's promise has. `withResponse` is recorded, its response by status, headers and
 * request id. Other methods work, but they can't be replayed, which is noted.
 */
function recordPromiseUse(promise: PromiseLike<unknown>, key: string | symbol, use: PromiseUse): unknown {
  const value = readBound(promise, key);
  if (typeof value !== "function" || typeof key === "symbol" || key === "constructor" || key in Object.prototype)
    return value;
  if (key === "withResponse") {
    const dataOf = async (data: unknown): Promise<unknown> => use.followOnce(Promise.resolve(data));
    return async (): Promise<unknown> =>
      recordWithResponse(value, { ...use, dataOf }).catch((error: unknown) => {
        use.recorder.threw(error);
        throw error;
      });
  }
  return (...args: unknown[]): unknown => {
    use.recorder.note(
      `returned a promise whose method ${quote(key)} was called, which a recording can't replay. Await the ` +
        "promise itself",
    );
    return Reflect.apply(value, promise, args);
  };
}

interface WithResponseUse {
  readonly recorder: CallRecorder;
  readonly member: RecordMember;
  /** Returns the recorded data of the response. */
  readonly dataOf: (data: unknown) => unknown;
}

/** Calls `withResponse` of a promise or stream. Records the status, headers and request id of the response. */
async function recordWithResponse(
  withResponse: unknown,
  { dataOf, recorder, member }: WithResponseUse,
): Promise<unknown> {
  const result = await inAdapter(async () => callOf(withResponse, undefined, []));
  if (typeof result !== "object" || result === null || !("data" in result)) return result;
  const data = await dataOf(result.data);
  const response = memberOf(result, "response");
  const headers = memberOf(response, "headers");
  const responseRecorder = member.log.begin(`${recorder.pathOfResponse}.withResponse`, []);
  responseRecorder?.markPromise();
  responseRecorder?.returned({
    request_id: memberOf(result, "request_id"),
    status: memberOf(response, "status"),
    ...(isHeaderList(headers) && { headers: recordedHeaders(headers) }),
  });
  return { ...result, data };
}

/**
 * Reads a member of a response (a stream, an object with methods). Calls of a method are recorded like an adapter's.
 * The value of a getter is recorded as a property. Fields are returned unchanged.
 */
function recordResponseUse(response: object, key: string, { recorder, member, used, isField }: ResponseUse): unknown {
  const value: unknown = inAdapter((): unknown => Reflect.get(response, key, response));
  if (key === "constructor" || key in Object.prototype) return readBound(response, key);
  if (typeof value !== "function") {
    if (!isField(key)) {
      used();
      member.log.read({ adapter: `${recorder.pathOfResponse}.${key}`, request: [], outcome: { value } });
    }
    return value;
  }
  return (...args: unknown[]): unknown => {
    used();
    const path = recorder.pathOfResponse;
    if (args.some((arg) => typeof arg === "function")) {
      member.log.refuse(
        `${path}.${key}`,
        "was called with a function, which a recording can't call. Read the response, or await its result",
      );
      return inAdapter(() => callOf(value, response, args));
    }
    return callOf(Reflect.get(member.record(response, path), key), response, args);
  };
}

/** Context to record the members of a response. */
interface ResponseUse {
  readonly recorder: Pick<CallRecorder, "pathOfResponse">;
  readonly member: RecordMember;
  /** Called at each call of a method, and at each read that is recorded. */
  readonly used: () => void;
  /** True for a member that needs no separate record: it is recorded with the response, or isn't data. */
  readonly isField: (key: string) => boolean;
}

/** Returns a stub for a response that has methods or getters; undefined for data, which needs no stub. */
function mirrorResponse(
  response: unknown,
  { recorder, member, isField }: Pick<ResponseUse, "recorder" | "member"> & Partial<ResponseUse>,
): object | undefined {
  if (typeof response !== "object" || response === null || !hasMethods(response)) return undefined;
  const use = {
    recorder,
    member,
    used: () => undefined,
    isField: isField ?? ((key) => Object.hasOwn(response, key) || !(key in response)),
  };
  const read = (key: string | symbol): unknown =>
    typeof key === "symbol" ? readBound(response, key) : recordResponseUse(response, key, use);
  const mirror = new Proxy<object>({}, mirrorTraps(response, read));
  registerResponseProxy(mirror, response);
  return mirror;
}

/** Checks for methods. An object with `toJSON` is data, whatever other methods it has. */
function hasMethods(response: object): boolean {
  // Nearly all values are plain data.
  if (isPlainObject(response)) return Object.values(response).some(isFunction) && !isFunction(response["toJSON"]);
  if (!isNamespace(response) || typeof Reflect.get(response, "toJSON") === "function") return false;
  const hasOwnMethod = Object.values(Object.getOwnPropertyDescriptors(response)).some(
    ({ value }) => typeof value === "function",
  );
  return (
    hasOwnMethod ||
    [...inheritedMembers(response).values()].some((descriptor) => "get" in descriptor || isFunction(descriptor.value))
  );
}

function isPlainData(value: unknown): boolean {
  return isArray(value) || isPlainObject(value);
}

function isFunction(value: unknown): boolean {
  return typeof value === "function";
}

function callOf(method: unknown, self: unknown, args: readonly unknown[]): unknown {
  if (typeof method !== "function") return undefined;
  const result: unknown = Reflect.apply(method, self, args);
  return result;
}

/**
 * Records a stream chunk by chunk as the step consumes it. A ReadableStream becomes a real one, so all its readers
 * work. Other streams keep their other members: calls like an SDK's `finalMessage()` are recorded, too.
 */
function recordStream(
  stream: AsyncIterable<unknown, unknown, unknown>,
  recorder: CallRecorder,
  member: RecordMember,
): object {
  return classTag(stream) === "ReadableStream"
    ? recordReadable(stream, recorder, chunkMirror(recorder, member))
    : mirrorStream(stream, recorder, member);
}

/** Records a ReadableStream and returns one. */
export function recordReadable(
  stream: AsyncIterable<unknown, unknown, unknown>,
  recorder: CallRecorder,
  mirror?: MirrorChunk,
): object {
  const source = stream[Symbol.asyncIterator]();
  const readable = readableOf(recordIteration(source, recorder.streams(true), mirror));
  registerResponseProxy(readable, readable);
  return readable;
}

function mirrorStream(
  stream: AsyncIterable<unknown, unknown, unknown>,
  recorder: CallRecorder,
  member: RecordMember,
): object {
  const streamRecorder = recorder.streams(false);
  let first: { readonly source: Source; readonly iteration: Source } | undefined;
  const iterate = (): Source => {
    const source = stream[Symbol.asyncIterator]();
    if (first !== undefined && first.source !== source) streamRecorder.reopen();
    first ??= { source, iteration: recordIteration(source, streamRecorder, chunkMirror(recorder, member)) };
    return first.source === source ? first.iteration : source;
  };
  // A cursor's `next` returns a row.
  const isGenerator = (): boolean => "next" in stream && stream[Symbol.asyncIterator]() === stream;
  // Objects such as a controller aren't data of the stream, but the list of a page is.
  const isField = (key: string): boolean => {
    const value: unknown = Reflect.get(stream, key);
    if (typeof value !== "object" || isPlainData(value)) return !(key in stream);
    return true;
  };
  const mirrorOf = (iterator: () => Source, isBranch: boolean): object => {
    const read = (key: string | symbol): unknown => {
      if (key === Symbol.asyncIterator) return iterator;
      const isOwnUse = key === "tee" || key === "withResponse" || isBranch;
      const value: unknown = isOwnUse ? Reflect.get(stream, key) : undefined;
      if (key === "tee" && typeof value === "function")
        return () => teeChunks(iterator()).map((branch) => mirrorOf(() => branch, true));
      if ((key === "next" || key === "return" || key === "throw") && isGenerator()) return readBound(iterator(), key);
      if (typeof key === "symbol") return readBound(stream, key);
      if (key === "withResponse" && typeof value === "function" && !isBranch) {
        streamRecorder.markUsed();
        return async () => recordWithResponse(readBound(stream, key), { recorder, member, dataOf: () => mirror });
      }
      if (!isBranch)
        return recordResponseUse(stream, key, { recorder, member, used: () => streamRecorder.markUsed(), isField });
      if (typeof value !== "function" || key === "constructor" || key in Object.prototype) return value;
      return (...args: readonly unknown[]): unknown => {
        recorder.note(
          `returned a stream whose tee() has a branch on which ${quote(key)} was called, which a recording can't ` +
            "replay. Read the branch",
        );
        return callOf(value, mirror, args);
      };
    };
    const mirror = new Proxy<object>({}, mirrorTraps(stream, read));
    registerResponseProxy(mirror, stream);
    return mirror;
  };
  return mirrorOf(iterate, false);
}

/** Creates the stubs for chunks that have methods, such as the pages of a list: their calls are recorded, too. */
function chunkMirror(recorder: CallRecorder, member: RecordMember): MirrorChunk {
  return (chunk, index) => {
    if (!isObject(chunk) || isDataChunk(chunk)) return chunk;
    const chunkOf = { pathOfResponse: `${recorder.pathOfResponse}.${index}` };
    const isField = (key: string): boolean => typeof Reflect.get(chunk, key) !== "function";
    return mirrorResponse(chunk, { recorder: chunkOf, member, isField }) ?? chunk;
  };
}

/** Returns true for a chunk without functions, also with getters: their values are recorded with it. */
function isDataChunk(chunk: object): boolean {
  if (!isNamespace(chunk)) return true;
  const members = instanceMembers(chunk);
  if (members === undefined || members.methods.length > 0) return false;
  return !Object.values(chunk).some(isFunction) && ![...members.getters.values()].some((read) => isFunction(read()));
}
