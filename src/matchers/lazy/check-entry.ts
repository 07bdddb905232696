// Gathers the modules that the first check of a test file loads, so that they are few files: each file that Node loads
// costs a test file of Vitest's as much as ten more checks.
export { recordInSession } from "../record-in-session.ts";
export { toMatchBaseline } from "../to-match-baseline.ts";
export { toRecomputeClean } from "../to-recompute-clean.ts";
export { toReplay } from "../to-replay.ts";
export { testFileLines } from "../../explain/test-file-lines.ts";
export { inCheckSpan } from "../../check/check-span.ts";
export { flushTelemetry } from "../../kernel/telemetry/flush.ts";
