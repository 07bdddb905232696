import { processEnvironment } from "../../kernel/environment.ts";
import { KEY_MISSING } from "../../kernel/missing-key.ts";
import { isLiveRun, missingKeys } from "../../kernel/placeholder-keys.ts";
import { type StepError, kernelError } from "../../kernel/step/fail.ts";
import { isMissingKey } from "./failure-of-check.ts";
import type { ExecutedCase } from "../run/execute-case.ts";

const VARIABLE = /\b[A-Z][A-Z0-9_]*_(?:KEY|TOKEN)\b/;

/** Returns the error of a run whose client has no key, with what to do; undefined for any other error. */
export function clientWithoutKeyError(
  { message, cause }: StepError,
  { source, baseline }: Pick<ExecutedCase, "source" | "baseline">,
): StepError | undefined {
  if (!isMissingKey(cause)) return undefined;
  const names = VARIABLE.exec(message)?.[0] ?? missingKeys(processEnvironment()).join(", ");
  const key = `Set the provider's key${names === "" ? "" : ` (${names})`}`;
  // A check without adapters replays in a live run too, which sets no placeholder keys.
  const stored =
    source.kind === "live" || isLiveRun(processEnvironment())
      ? `${key}, or replay the recorded responses: VERITEST_MODE=replay`
      : `${key}. A replay doesn't send it, so any text will do.`;
  const advice = baseline === undefined ? `${key}, and run the test again.` : stored;
  return kernelError(KEY_MISSING, `A client doesn't have an API key: ${message}\n${advice}`, cause);
}
