export type { AdapterCall } from "./record/adapter-call.ts";
export { type RecordedFetch, type ServedFetch, recordFetch, serveFetch } from "./record/fetch-tape.ts";
export { installFetch } from "./record/install-fetch.ts";
export type { RecordingMiss } from "./record/recording-miss.ts";
export type { RecordingOptions } from "./record/recording-rules.ts";
