export { type TapeTransportOptions, tapeTransport } from "./record/interceptors/mcp-tape.ts";
