export type { AdapterCall } from "./record/adapter-call.ts";
export {
  type RecordedFetch,
  type ReplayedFetch,
  recordFetch,
  replayFetch,
} from "./record/interceptors/record-fetch-run.ts";
export { type RecordFetchOptions, recordGlobalFetch } from "./record/interceptors/fetch-recorder.ts";
export type { UnrecordedRequest } from "./record/replay/unrecorded-request.ts";
export type { NormalizeRequest } from "./redact/check-rules.ts";
export type { RecordingOptions } from "./record/recording-rules.ts";
