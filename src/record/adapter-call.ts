import { CALL_ROLES, type CallRole } from "../kernel/call-role.ts";
import { isArray, isPlainObject, typeName } from "../kernel/json/plain-data.ts";
import { quote } from "../kernel/text.ts";
import { requestIdentity } from "./request-keys.ts";

/** The adapter's path under which requests of `fetch` are recorded, and the name of their recorder. */
export const FETCH = "fetch";

/** Paths under which the recorder of models records calls. */
export const MODEL_PATHS = { generate: "model.generate", stream: "model.stream" } as const;

/** Returns true if the recorder of models records calls under this path. */
export function isModelPath(adapter: string): boolean {
  return adapter === MODEL_PATHS.generate || adapter === MODEL_PATHS.stream;
}

/**
 * Form in which an adapter returned its response: directly, in a promise, as a stream, as a promise of a stream, or as
 * a property that the step read.
 */
export type AdapterReturns = "value" | "promise" | "stream" | "promise-of-stream" | "property";

/** A recorded call of an adapter, as plain JSON. Values such as dates and errors are encoded. */
export interface AdapterCall {
  /** Path of the method, such as `llm.complete`. Empty if the adapters object is itself a function. */
  readonly adapter: string;
  /**
   * Number of equal requests of this adapter before this one, from 0. For a property, the number of reads before the
   * first read that returned this value.
   */
  readonly occurrence: number;
  readonly returns: AdapterReturns;
  /** Encoded arguments of the call. Empty if a property was read. */
  readonly request: unknown;
  /** Encoded result, or a {@link StreamResponse} for a stream. */
  readonly response?: unknown;
  /** Encoded error that the call threw. A stream can have chunks and then an error. */
  readonly error?: unknown;
  /** Role that the adapter declares. Absent if it doesn't declare one, and in older recordings. */
  readonly role?: CallRole;
  /** True if the call was still pending when the run ended. A replay leaves its promise unresolved. */
  readonly open?: true;
  /** True if the error came because a signal in the arguments was aborted. A replay also waits for that abort. */
  readonly aborted?: true;
  /**
   * Number of responses that arrived before this one. Only present if responses arrived in a different order than the
   * calls.
   */
  readonly completed?: number;
  /**
   * Number of earlier calls that were still pending when this call was made. The order of these calls isn't compared.
   * Absent if there are none, and in older recordings.
   */
  readonly parallel?: number;
  /**
   * Headers of a `fetch` request that aren't compared, but can explain a different response. Absent if there are none.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Chunks of a stream while the step read it. */
export interface StreamResponse {
  readonly chunks: readonly unknown[];
  /** False when the step stopped reading, or the stream failed, before its end. */
  readonly done: boolean;
  /** The encoded value a generator returned at its end; absent for undefined. */
  readonly returned?: unknown;
  /** True if the stream was neither at its end nor canceled when the run ended: a replay gives no more chunks. */
  readonly open?: true;
  /** Present when the stream was a ReadableStream rather than an async iterable. */
  readonly readable?: true;
}

/** Limit of a path's length: replaying creates an object for each part, so work grows with the square of the length. */
const MAX_PATH = 2000;

const RETURNS: readonly AdapterReturns[] = ["value", "promise", "stream", "promise-of-stream", "property"];

/**
 * The path under which uses of a call's response are recorded, `llm.stream(9f31c2d8#0).finalMessage`: they
 * belong to that call, whatever the order of calls.
 */
export function responsePath({
  adapter,
  request,
  occurrence,
}: Pick<AdapterCall, "adapter" | "request" | "occurrence">): string {
  const hash = requestIdentity(adapter, request).slice("sha256:".length, "sha256:".length + 8);
  return `${unmarkedResponsePath(adapter)}(${hash}#${occurrence})`;
}

/** Calls of one method on the response of the one before, in a path. */
const MAX_CHAIN = 10;

/**
 * Returns the path of the responses of an adapter, without the mark of a call. A long chain of responses that each
 * return the next one, `page.getNextPage().getNextPage()`, begins again: with each call in the path, recordings would
 * grow with the square of their number. A mark depends on all calls before it. Rules by path are for shorter chains.
 */
export function unmarkedResponsePath(adapter: string): string {
  if (!RESPONSE_MARK.test(adapter)) return adapter;
  const segments = adapter.split(".");
  const name = segments.at(-1);
  const lastOther = segments.findLastIndex((segment) => withoutResponse(segment) !== name);
  return segments.length - lastOther <= MAX_CHAIN + 1 ? adapter : [...segments.slice(0, lastOther + 1), name].join(".");
}

/** The mark of a call in the path of a use of its response. */
export const RESPONSE_MARK: RegExp = /\([0-9a-f]{8}#\d+\)/;
const MARK_AT_END = new RegExp(`${RESPONSE_MARK.source}$`);

/** Returns true if a part of a path names a call's response rather than a member of the adapters. */
export function isResponseKey(key: string): boolean {
  return MARK_AT_END.test(key);
}

/** A part of a path without the call whose response it names: `stream(9f31c2d8#0)` gives `stream`. */
export function withoutResponse(key: string): string {
  return key.replace(MARK_AT_END, "");
}

/** The names on the path to an adapter, without the calls whose responses the path leads through. */
export function adapterSegments(adapter: string): readonly string[] {
  return adapter === "" ? [] : adapter.split(".").map(withoutResponse);
}

/** Returns the arguments of a call, as people write it: a single one without its list. */
export function argumentsOf(request: unknown): unknown {
  return isArray(request) && request.length === 1 ? request[0] : request;
}

/** Returns the path of a call's arguments in the rules of `compare`. */
export function callLocation({ adapter }: Pick<AdapterCall, "adapter">): readonly string[] {
  return ["calls", ...adapterSegments(adapter)];
}

/** Returns an object that has a value at a path. */
export function nested(path: readonly string[], value: unknown): unknown {
  return path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
}

/** Calls without the order of their responses. */
export function withoutOrder(calls: readonly AdapterCall[]): readonly AdapterCall[] {
  if (calls.every(({ completed }) => completed === undefined)) return calls;
  return calls.map(({ completed: _order, ...call }) => call);
}

/** Narrows the response of a stream. */
export function isStreamResponse(response: unknown): response is StreamResponse {
  if (!isPlainObject(response)) return false;
  const { chunks, done, readable } = response;
  return isArray(chunks) && typeof done === "boolean" && (readable === undefined || readable === true);
}

/**
 * Reads a call from parsed JSON, keeping known fields only; on bad input it returns a message that describes the fault.
 */
export function parseAdapterCall(value: unknown): AdapterCall | string {
  if (!isPlainObject(value)) return `adapter call: expected an object, got ${typeName(value)}`;
  const { adapter, occurrence, returns: kind, request } = value;
  if (typeof adapter !== "string") return bad("adapter", "a string", adapter);
  if (adapter.length > MAX_PATH) return `adapter call: the adapter's path must have at most ${MAX_PATH} characters`;
  if (!isOccurrence(occurrence)) return bad("occurrence", "an integer of at least 0", occurrence);
  const returns = RETURNS.find((known) => known === kind);
  if (returns === undefined) return bad("returns", `one of ${RETURNS.join(", ")}`, kind);
  if (!isArray(request)) return bad("request", "an array", request);
  const outcome = pickOutcome(value);
  const isOpen = value["open"] === true && returns === "promise" && Object.keys(outcome).length === 0;
  const problem = isOpen ? undefined : checkOutcome(returns, outcome);
  if (problem !== undefined) return problem;
  const role = CALL_ROLES.find((known) => known === value["role"]);
  if (role === undefined && value["role"] !== undefined)
    return bad("role", `one of ${CALL_ROLES.join(", ")}`, value["role"]);
  const { completed, parallel } = value;
  if (completed !== undefined && !isOccurrence(completed))
    return bad("completed", "an integer of at least 0", completed);
  if (parallel !== undefined && !isOccurrence(parallel)) return bad("parallel", "an integer of at least 0", parallel);
  const headers = pickHeaders(value["headers"]);
  return {
    adapter,
    occurrence,
    returns,
    request,
    ...outcome,
    ...(role !== undefined && { role }),
    ...(isOpen && { open: true }),
    ...(value["aborted"] === true && Object.hasOwn(outcome, "error") && { aborted: true }),
    ...(completed !== undefined && { completed }),
    ...(parallel !== undefined && { parallel }),
    ...(headers !== undefined && { headers }),
  };
}

function pickHeaders(value: unknown): AdapterCall["headers"] {
  if (!isPlainObject(value)) return undefined;
  const headers = Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return Object.fromEntries(headers);
}

function pickOutcome(value: Readonly<Record<string, unknown>>): Pick<AdapterCall, "response" | "error"> {
  return {
    ...(Object.hasOwn(value, "response") && { response: value["response"] }),
    ...(Object.hasOwn(value, "error") && { error: value["error"] }),
  };
}

function checkOutcome(returns: AdapterReturns, outcome: Pick<AdapterCall, "response" | "error">): string | undefined {
  if (returns === "stream" || returns === "promise-of-stream") {
    const { response } = outcome;
    return isStreamResponse(response) ? undefined : bad("response", "an object with chunks and done", response);
  }
  const count = Object.keys(outcome).length;
  return count === 1
    ? undefined
    : `adapter call: expected a response or an error, got ${count === 0 ? "neither" : "both"}`;
}

function isOccurrence(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function bad(field: string, expected: string, value: unknown): string {
  const text = typeof value === "string" || typeof value === "number" ? JSON.stringify(value) : typeName(value);
  return `adapter call: "${field}" must be ${expected}, got ${text}`;
}

/** Names an adapter in a message: `adapter "llm.complete"`; the adapters function itself has no path. */
export function adapterName(path: string): string {
  return path === "" ? "the adapters function" : `adapter ${quote(path)}`;
}

/** The dotted path of a key of the adapter at `parent`. */
export function joinPath(parent: string, key: string): string {
  return parent === "" ? key : `${parent}.${key}`;
}

/** Path of a list of tools that a server offers, or of a page of it: `tools.crm.tools/list`. */
export const LIST_OF_TOOLS: RegExp = /(?:^|\.)tools\/list(?:\(.*\))?$/s;

/** Returns true for the call of a method, false for the read of a property. */
export function isMethodCall({ returns }: Pick<AdapterCall, "returns">): boolean {
  return returns !== "property";
}

/** Returns true for a recorded list of tools. */
export function isToolList(call: AdapterCall): boolean {
  return !isMethodCall(call) && LIST_OF_TOOLS.test(call.adapter);
}

/** Returns true for a response of `fetch` that was recorded without its type, when few headers were recorded. */
export function isOlderRecording({ adapter, response }: AdapterCall): boolean {
  return adapter === FETCH && isPlainObject(response) && response["type"] === undefined;
}
