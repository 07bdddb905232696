export type { AdapterCall } from "./record/adapter-call.ts";
export { type RecordedFetch, type ServedFetch, recordFetch, serveFetch } from "./record/tape/record-fetch.ts";
export { installFetch } from "./record/tape/fetch-tape.ts";
export type { RecordingMiss } from "./record/serve/recording-miss.ts";
export type { RecordingOptions } from "./record/recording-rules.ts";
