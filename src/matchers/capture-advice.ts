import type { Check } from "../check/check.ts";
import { needsKey } from "../check/verdict.ts";
import { SET_KEY } from "../kernel/missing-key.ts";
import type { UpdateMode } from "../kernel/write-policy.ts";
import { envFileHint } from "./env-file-hint.ts";
import { reviewCommandOf } from "./pending-commands.ts";

/** Says how to capture the result of a test whose input changed. */
export function newInputAdvice(failures: readonly Check[]): string {
  const run = failures.some(({ verdict }) => needsKey(verdict))
    ? `To capture its result as pending, ${SET_KEY}, and run the test again.${envFileHint()}`
    : "Run the test on your machine, which captures its result as pending.";
  return `Is the new input intended? ${run} Then accept it with: ${reviewCommandOf("new")}`;
}

/** Says how to capture missing baselines. */
export function captureAdvice(missing: readonly Check[], mode: UpdateMode): string[] {
  if (missing.length === 0) return [];
  if (missing.some(({ verdict }) => needsKey(verdict)))
    return [`To capture it, ${SET_KEY}, and run the test again.${envFileHint()}`];
  return missing.some(({ update }) => update?.state === "pending")
    ? [`Its result is pending. Review and accept it with: ${reviewCommandOf(mode)}`]
    : ["To capture it, run the test on your machine, without CI=1 or --ci."];
}
