export { type TapeTransportOptions, tapeTransport } from "./record/tape/mcp-tape.ts";
