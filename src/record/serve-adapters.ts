import type { AdapterCall } from "./adapter-call.ts";
import { CallServer } from "./call-server.ts";
import type { RecordingMiss } from "./recording-miss.ts";
import type { RecordingOptions } from "./recording-rules.ts";

export { type RecordingMiss, RecordingMissError } from "./recording-miss.ts";

/** Adapters that answer from a recording and reach nothing else. */
export interface AdapterServer {
  /** Every answer came from the recording; none counts as the work of a live adapter. */
  readonly source: "recorded";
  /** Has the members the recorded run used; any other is a function that throws a {@link RecordingMissError}. */
  readonly adapters: object;
  /** How many recorded calls were answered so far; reads of properties are not counted. */
  readonly served: () => number;
  /** What was asked for and not found, in order, also where the step caught the error. */
  readonly misses: () => readonly RecordingMiss[];
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
 * as a stream, or thrown; each is decoded afresh. Where the recording has no answer, a {@link RecordingMissError} is
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
    misses: () => server.misses(),
    unused: () => server.unused(),
    within: async (run) => server.within(run),
  };
}
