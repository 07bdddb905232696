// What is only needed when a check is not clean, or is more than one run: one module, so that the bundler makes one
// file.
export { checkTrials } from "../../check/check-trials.ts";
export { explainCheck } from "../../check/cause/find-cause.ts";
export { proposalToKeep } from "../../check/keepable.ts";
export { writtenBeside } from "../../check/written-beside.ts";
export { shapeOfCheck } from "../../explain/case-of-check.ts";
export { passedLines, shownCheck } from "../../explain/check-lines.ts";
export { explainFailures, noCases } from "../failure-message.ts";
export { toBePure } from "../to-be-pure.ts";
