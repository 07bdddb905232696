export type { AdapterCall } from "./record/adapter-call.ts";
export { type RecordedFetch, type ServedFetch, recordFetch, serveFetch } from "./record/interceptors/record-fetch.ts";
export { installFetch } from "./record/interceptors/fetch-tape.ts";
export type { RecordingMiss } from "./record/replay/recording-miss.ts";
export type { RecordingOptions } from "./record/recording-rules.ts";
