import type { AdapterCall } from "./adapter-call.ts";
import { CallIndex } from "./call-index.ts";
import { type RecordingMiss, RecordingMissError } from "./recording-miss.ts";
import { servePlace } from "./served-place.ts";

export { type RecordingMiss, RecordingMissError } from "./recording-miss.ts";

/** Adapters that answer from a recording and reach nothing else. */
export interface AdapterServer {
  /** Has the members the recorded run used; any other is a function that throws a {@link RecordingMissError}. */
  readonly adapters: object;
  /** What was asked for and not found, in order, also where the step caught the error. */
  readonly misses: () => readonly RecordingMiss[];
  /** The recorded calls that were not made, and the recorded property values that were not read. */
  readonly unused: () => readonly AdapterCall[];
}

/**
 * Serves recorded calls. A call gets the answer of the recorded call with the same path and arguments; equal ones pair
 * in order, so the order of different ones does not matter. Answers come as they were recorded: at once, by a promise,
 * as a stream, or thrown; each is decoded afresh. Where the recording has no answer, a {@link RecordingMissError} is
 * thrown, or rejected with if the adapter answered by promises.
 *
 * @example
 * const server = serveAdapters(calls);
 * await run(step, input, { adapters: server.adapters });
 * server.misses(); // []
 */
export function serveAdapters(calls: readonly AdapterCall[]): AdapterServer {
  const index = new CallIndex(calls);
  const misses: RecordingMiss[] = [];
  const miss = (missed: RecordingMiss): RecordingMissError => {
    misses.push(missed);
    return new RecordingMissError(missed);
  };
  return { adapters: servePlace("", { index, miss }), misses: () => [...misses], unused: () => index.unused() };
}
