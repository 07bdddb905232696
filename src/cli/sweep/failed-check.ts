import type { StoredCase } from "../../baseline/library.ts";
import type { Check } from "../../check/check.ts";
import { messageOf } from "../../base/thrown.ts";
import { type StepError, kernelError } from "../../step/fail.ts";
import { durationText } from "../../worktree/command-line.ts";

type Place = Pick<StoredCase, "file" | "path">;

/** The check of a case that came to no end of its own. */
export function failedCheck({ file, path }: Place, error: StepError): Check {
  return { file, path, verdict: { kind: "failed", error }, propose: undefined };
}

/** The error of a case that did not end in time. */
export function timeoutError(ms: number): StepError {
  return kernelError("timed_out", `It did not end within ${durationText(ms)}. Give it more by --timeout.`);
}

/** The error of a case whose check threw, which no check should. */
export function thrownError(thrown: unknown): StepError {
  return kernelError("execution_failed", messageOf(thrown), thrown);
}
