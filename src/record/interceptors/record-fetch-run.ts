import type { AdapterCall } from "../adapter-call.ts";
import { CallLog } from "../proxy/call-log.ts";
import { FETCH_RECORDER, isFetchInstalled } from "./fetch-recorder.ts";
import type { UnrecordedRequest } from "../replay/unrecorded-request.ts";
import { replayedCalls } from "../replay/replay-call.ts";
import { type RecordingOptions, recordingRules } from "../recording-rules.ts";
import { withInterceptors } from "./recording-scope.ts";

/** Result of a recorded run, and its requests. */
export interface RecordedFetch<T> {
  readonly source: "live";
  readonly value: T;
  readonly calls: readonly AdapterCall[];
  /** Problems of the recording, one sentence each: requests that a replay can't respond to. */
  readonly problems: readonly string[];
}

/**
 * Runs a function and records its `fetch` requests, including those of work that it starts. Requests of recorded
 * adapters are recorded with the adapters. Rejects with the error of `run`, or with a TypeError if `recordGlobalFetch`
 * wasn't called.
 */
export async function recordFetch<T>(
  run: () => T | PromiseLike<T>,
  options?: RecordingOptions,
): Promise<RecordedFetch<T>> {
  checkInstalled("recordFetch");
  const rules = recordingRules(options);
  const log = new CallLog(rules);
  const { handlers, done } = FETCH_RECORDER.record({ log, rules });
  const value = await withInterceptors(handlers, async () => run());
  await done?.();
  return { source: "live", value, calls: log.calls(), problems: log.problems() };
}

/** Result of a replayed run, with its replayed and unrecorded requests. */
export interface ReplayedFetch<T> {
  readonly source: "recorded";
  readonly value: T;
  readonly replayed: number;
  readonly unrecorded: readonly UnrecordedRequest[];
  readonly uncalled: readonly AdapterCall[];
}

/**
 * Runs a function and replays its `fetch` requests from a recording. No request reaches the network. An unrecorded
 * request gets a response with status 400, which clients don't retry, and is listed in `unrecorded`. Rejects like
 * `recordFetch`.
 */
export async function replayFetch<T>(
  calls: readonly AdapterCall[],
  run: () => T | PromiseLike<T>,
  options?: RecordingOptions,
): Promise<ReplayedFetch<T>> {
  checkInstalled("replayFetch");
  const source = replayedCalls(calls, options);
  const { index, unrecorded } = source;
  const { handlers } = FETCH_RECORDER.replay(source);
  const value = await withInterceptors(handlers, async () => run());
  return { source: "recorded", value, replayed: index.replayedCount(), unrecorded, uncalled: index.uncalled() };
}

function checkInstalled(name: string): void {
  if (!isFetchInstalled())
    throw new TypeError(`${name} needs the recorder of fetch. Call recordGlobalFetch() before you create the clients.`);
}
