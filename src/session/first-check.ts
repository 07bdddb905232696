// What the first check of a test file loads, gathered so that it is few files: each that Node loads costs a test file
// of Vitest's as much as ten more checks.
export { toMatchBaseline, toRecomputeClean, toReplay } from "../matchers/baseline-checks.ts";
export { prepareRedaction } from "./prepare-redaction.ts";
