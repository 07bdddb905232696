// Gathers the modules that are only needed if a check isn't clean, or is more than one run: one module, so that the
// bundler makes one file.
export { checkTrials } from "../../check/check-trials.ts";
export { explainCheck } from "../../check/cause/find-cause.ts";
export { verifyUpdate } from "../../check/update/verify-update.ts";
export { otherChanges } from "../../check/update/other-changes.ts";
export { shapeOfCheck } from "../../explain/check-findings.ts";
export { warningLines, reviewLines } from "../../explain/check-lines.ts";
export { explainFailures, noCases } from "../failure-message.ts";
export { pendingRemark, withPendingResult } from "../pending-result.ts";
export { testToRerun } from "../recording-advice.ts";
export { toBePure } from "../to-be-pure.ts";
export { notLiveText } from "../../explain/wording.ts";
