import { isPlainObject } from "../../kernel/json/plain-data.ts";
import { type AdapterCall, adapterName } from "../adapter-call.ts";

/**
 * Why a recording could not answer: the adapter or the request is not in it, or not that often, or a stream ended
 * early, or of the answer only the hash was kept.
 */
export type MissReason = "unknown_adapter" | "unknown_request" | "repeated" | "stream_exhausted" | "hash_only";

/** A use of adapters that a recording could not answer. */
export interface RecordingMiss {
  readonly adapter: string;
  /** The encoded arguments. */
  readonly request: unknown;
  readonly reason: MissReason;
  /** The most similar recorded call of this adapter, one that was not served yet if there is any. */
  readonly nearest?: AdapterCall;
  /** How many calls of this adapter were recorded. */
  readonly recorded: number;
  /** What was used up: when repeated, the recorded calls of this request; when a stream is exhausted, its chunks. */
  readonly limit?: number;
}

/** Tells a miss that is the cause of an error from other causes. */
export function isMiss(cause: unknown): cause is RecordingMiss {
  return isPlainObject(cause) && "adapter" in cause && "request" in cause && "reason" in cause && "recorded" in cause;
}

/** What served adapters throw, or reject with, where the recording has no answer. */
export class RecordingMissError extends Error {
  readonly _tag = "RecordingMiss" as const;
  readonly miss: RecordingMiss;

  constructor(miss: RecordingMiss) {
    super(describeMiss(miss));
    this.name = "RecordingMissError";
    this.miss = miss;
  }
}

function describeMiss({ adapter, reason, recorded, limit = 0 }: RecordingMiss): string {
  const name = adapterName(adapter);
  switch (reason) {
    case "unknown_adapter":
      return `No call of ${name} was recorded.`;
    case "unknown_request":
      return `No recorded call of ${name} matches this request (${recorded} recorded).`;
    case "repeated":
      return `No recorded call of ${name} is left for this request (recorded ${times(limit)}, called once more).`;
    case "stream_exhausted":
      return (
        `The recorded stream of ${name} has no more chunks (${limit} recorded): ` +
        "the recorded run stopped reading there."
      );
    case "hash_only":
      return (
        `The recorded answer of ${name} cannot be served: only its hash was kept (hashOnly). ` +
        "Give today's adapters."
      );
  }
}

function times(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}
