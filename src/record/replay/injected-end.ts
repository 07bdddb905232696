import { types } from "node:util";
import { isPlainObject } from "../../kernel/json/plain-data.ts";
import { sharedValue } from "../../kernel/shared-value.ts";
import { type AdapterCall, isStreamResponse } from "../adapter-call.ts";
import { isAdapterProxy } from "../proxy/mirror.ts";

/** End of a replayed call that is staged, not recorded. */
export type InjectedEnd =
  /**
   * Throws, or rejects with, a new error for each call, such as an instance of an SDK's own class. `after` is a delay
   * in milliseconds, for clients with their own timeout.
   */
  | { readonly kind: "throws"; readonly error: () => unknown; readonly after?: number }
  /** Stays pending until a signal in its request is aborted. */
  | ({ readonly kind: "never" } & Unless)
  /** Returns the recorded response, delayed by that many milliseconds. */
  | ({ readonly kind: "delayed"; readonly ms: number } & Unless)
  /** Breaks a stream off after its chunks. */
  | { readonly kind: "breaks"; readonly error: () => unknown };

/** Abort of a caller whose signal isn't visible: the promise rejects with its reason. */
interface Unless {
  readonly unless?: () => Promise<never>;
}

/** The ends of staged calls. The recorder of `fetch` may have its own copy of this module. */
const stagedEnds = sharedValue("staged-ends", isWeakMap, () => new WeakMap());

function isWeakMap(value: unknown): value is WeakMap<object, unknown> {
  return types.isWeakMap(value);
}

/** Returns a copy of a call that ends as staged when it is replayed. */
export function withInjectedEnd(call: AdapterCall, end: InjectedEnd): AdapterCall {
  const staged = { ...call };
  stagedEnds().set(staged, end);
  return staged;
}

/** Returns the staged end of a call; undefined for recorded calls. */
export function injectedEnd(call: AdapterCall): InjectedEnd | undefined {
  const end = stagedEnds().get(call);
  return isEnd(end) ? end : undefined;
}

function isEnd(value: unknown): value is InjectedEnd {
  return isPlainObject(value) && typeof value["kind"] === "string";
}

/**
 * Ends a call as staged; `respond` returns the recorded response. Rejects with the reason of a signal that is aborted
 * first.
 */
export async function applyInjectedEnd(
  end: InjectedEnd,
  signal: AbortSignal | undefined,
  respond: () => unknown,
): Promise<unknown> {
  const untilAborted = async (unless?: () => Promise<never>): Promise<never> =>
    signal === undefined && unless !== undefined ? unless() : aborted(signal);
  switch (end.kind) {
    case "throws":
      if (end.after !== undefined) await Promise.race([elapsed(end.after), untilAborted()]);
      throw end.error();
    case "never":
      return untilAborted(end.unless);
    case "delayed":
      await Promise.race([elapsed(end.ms), untilAborted(end.unless)]);
      return respond();
    case "breaks":
      return respond();
  }
}

async function elapsed(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Rejects with the reason of a signal once it is aborted; stays unresolved without one. */
export async function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    if (signal?.aborted === true) reject(signal.reason);
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** Finds the signal in the arguments of a call, or in a field of one: `create(body, { signal })`. */
export function signalIn(args: readonly unknown[], call?: AdapterCall): AbortSignal | undefined {
  // Other calls aren't pending long enough to be aborted.
  if (call !== undefined && !isAbortable(call)) return undefined;
  for (const arg of args) {
    if (arg instanceof AbortSignal) return arg;
    // Reads of an adapter are recorded.
    if (!isPlainObject(arg) || isAdapterProxy(arg)) continue;
    const { signal, abortSignal } = arg;
    if (signal instanceof AbortSignal) return signal;
    if (abortSignal instanceof AbortSignal) return abortSignal;
  }
  return undefined;
}

function isAbortable(call: AdapterCall): boolean {
  const { open, aborted: isAborted, response } = call;
  const isLeft = isStreamResponse(response) && !response.done;
  return open === true || isAborted === true || isLeft || stagedEnds().has(call);
}

const LOST = Symbol.for("veritest.connection-lost");

/** Returns an error that represents the end of a connection. The transport closes, and its client words the error. */
export function connectionLost(): Error {
  return Object.assign(new Error("Connection closed"), { [LOST]: true });
}

/** Returns true if an error represents the end of a connection. */
export function isConnectionLost(error: unknown): boolean {
  return error instanceof Error && Reflect.get(error, LOST) === true;
}
