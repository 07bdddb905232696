export { type RecordTransportOptions, recordTransport } from "./record/interceptors/mcp-recorder.ts";
