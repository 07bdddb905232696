import { types } from "node:util";
import { isPlainObject } from "../../kernel/json/plain-data.ts";
import type { AdapterCall } from "../adapter-call.ts";

/** How a served call ends in place of what it holds: nothing that was recorded ever ended so. */
export type StagedEnd =
  /**
   * Throws, or rejects with, what is made for each time it is asked: an instance of an SDK's own class, for one.
   * `after` so many milliseconds, where a client gives up by itself.
   */
  | { readonly kind: "throws"; readonly error: () => unknown; readonly after?: number }
  /** Never answers, until a signal in its request is aborted. */
  | ({ readonly kind: "never" } & Unless)
  /** Answers as it was recorded, that many milliseconds later. */
  | ({ readonly kind: "late"; readonly ms: number } & Unless)
  /** A stream that breaks off after the chunks it has. */
  | { readonly kind: "breaks"; readonly error: () => unknown };

/** What a caller gives up by whose signal cannot be seen: rejects with its reason. */
interface Unless {
  readonly unless?: () => Promise<never>;
}

/** The staged calls, in all copies of this module: the tape of `fetch` may bring one of its own. */
const KEY = Symbol.for("veritest.staged-ends");

function known(): WeakMap<object, unknown> | undefined {
  const ends: unknown = Reflect.get(globalThis, KEY);
  return types.isWeakMap(ends) ? ends : undefined;
}

/** A call that ends otherwise than it holds when it is served. */
export function withEnd(call: AdapterCall, end: StagedEnd): AdapterCall {
  const other = { ...call };
  const ends = known() ?? new WeakMap<object, unknown>();
  ends.set(other, end);
  Reflect.set(globalThis, KEY, ends);
  return other;
}

/** How a call ends in place of what it holds; undefined for all that were recorded. */
export function stagedEnd(call: AdapterCall): StagedEnd | undefined {
  const end = known()?.get(call);
  return isEnd(end) ? end : undefined;
}

function isEnd(value: unknown): value is StagedEnd {
  return isPlainObject(value) && typeof value["kind"] === "string";
}

/**
 * Ends a call as it is staged; `answer` is what it holds. Rejects with the reason of a signal that is aborted first.
 */
export async function endStaged(
  end: StagedEnd,
  signal: AbortSignal | undefined,
  answer: () => unknown,
): Promise<unknown> {
  const givenUp = async (unless?: () => Promise<never>): Promise<never> =>
    signal === undefined && unless !== undefined ? unless() : aborted(signal);
  switch (end.kind) {
    case "throws":
      if (end.after !== undefined) await Promise.race([passed(end.after), givenUp()]);
      throw end.error();
    case "never":
      return givenUp(end.unless);
    case "late":
      await Promise.race([passed(end.ms), givenUp(end.unless)]);
      return answer();
    case "breaks":
      return answer();
  }
}

async function passed(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    if (signal?.aborted === true) reject(signal.reason);
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** The signal among the arguments of a call, or in a field of one: `create(body, { signal })`. */
export function signalIn(args: readonly unknown[]): AbortSignal | undefined {
  // Nobody gives up what is answered at once.
  if (known() === undefined) return undefined;
  const fields = args.flatMap((arg) => (isPlainObject(arg) ? [arg["signal"], arg["abortSignal"]] : []));
  return [...args, ...fields].find((value) => value instanceof AbortSignal);
}

const LOST = Symbol.for("veritest.connection-lost");

/** An error that stands for the end of a connection: who answers by one closes it, and its client words that. */
export function connectionLost(): Error {
  return Object.assign(new Error("Connection closed"), { [LOST]: true });
}

/** Tells whether an error stands for the end of a connection. */
export function isConnectionLost(error: unknown): boolean {
  return error instanceof Error && Reflect.get(error, LOST) === true;
}
