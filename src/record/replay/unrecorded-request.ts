import { isPlainObject } from "../../kernel/json/plain-data.ts";
import { type AdapterCall, adapterName } from "../adapter-call.ts";

/**
 * Reason why a request can't be replayed: the adapter or the request isn't recorded, or not that often, or a stream
 * ended early, or the recorded run didn't wait for the response, or only the hash of the response is stored.
 */
export type UnrecordedReason = "unknown_adapter" | "unknown_request" | "repeated" | PartialReason;

/** Reason why a part of a recorded call can't be replayed. */
type PartialReason = "stream_exhausted" | "no_response" | "hash_only";

/** A request that has no recorded response. */
export interface UnrecordedRequest {
  readonly adapter: string;
  /** Encoded arguments of the call. */
  readonly request: unknown;
  readonly reason: UnrecordedReason;
  /** The most similar recorded call of this adapter. Calls that weren't replayed yet are preferred. */
  readonly nearest?: AdapterCall | undefined;
  /** Number of recorded calls of this adapter. */
  readonly recorded: number;
  /** Number of recorded calls of a repeated request, or of chunks of an exhausted stream. */
  readonly limit?: number;
}

/** Returns true if the cause of an error is an unrecorded request. */
export function isUnrecordedRequest(cause: unknown): cause is UnrecordedRequest {
  return isPlainObject(cause) && "adapter" in cause && "request" in cause && "reason" in cause && "recorded" in cause;
}

/** Error that replayed adapters throw, or reject with, if the request isn't recorded. */
export class UnrecordedRequestError extends Error {
  readonly _tag = "UnrecordedRequest" as const;
  readonly unrecorded: UnrecordedRequest;

  constructor(unrecorded: UnrecordedRequest) {
    super(describeUnrecorded(unrecorded));
    this.name = "UnrecordedRequestError";
    this.unrecorded = unrecorded;
  }
}

function describeUnrecorded({ adapter, reason, recorded, limit = 0 }: UnrecordedRequest): string {
  const name = adapterName(adapter);
  switch (reason) {
    case "unknown_adapter":
      return `No call of ${name} was recorded.`;
    case "unknown_request":
      return `No recorded call of ${name} matches this request (${recorded} recorded).`;
    case "repeated":
      return `The step sent this request to ${name} more often than in the recording (${times(limit)}).`;
    case "stream_exhausted":
      return (
        `The recorded stream of ${name} has no more chunks (${limit} recorded), because the recorded run ` +
        "stopped reading there."
      );
    case "no_response":
      return `The recorded run didn't wait for the response of ${name}, so it can't be replayed.`;
    case "hash_only":
      return (
        `The recorded response of ${name} can't be replayed: only its hash is stored (hashOnly). ` +
        "Pass the current adapters."
      );
  }
}

/** Returns true if a request is recorded, but not the part of its response that the step waits for. */
export function isPartlyRecorded(reason: UnrecordedReason): boolean {
  return reason === "stream_exhausted" || reason === "no_response" || reason === "hash_only";
}

function times(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}
