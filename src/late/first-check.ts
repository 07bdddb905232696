// What the first check of a test file loads, gathered so that it is few files: each that Node loads costs a test file
// of Vitest's as much as ten more checks.
export { toMatchBaseline } from "../matchers/to-match-baseline.ts";
export { toRecomputeClean } from "../matchers/to-recompute-clean.ts";
export { toReplay } from "../matchers/to-replay.ts";
export { flushTelemetry } from "../telemetry/flush.ts";
export { prepareRedaction } from "../session/prepare-redaction.ts";
