import { formatDiff } from "../diff/format-diff.ts";
import { isStepFailure } from "../step/fail.ts";
import { isStepResult } from "../step/step-result.ts";
import { escapeText } from "../base/text.ts";
import { isDiffResult, isSnapshot, isStepError, snapshotView, stepResultView } from "./views.ts";

/** Prints a nested value with all serializers of the snapshot. */
export type Printer = (value: unknown, config: object, indentation: string, depth: number, refs: unknown[]) => string;

/** True for what veritest gives a view of its own: step results, snapshots, diffs and step errors. */
export function test(value: unknown): boolean {
  return isStepResult(value) || isSnapshot(value) || isDiffResult(value) || isStepFailure(value) || isStepError(value);
}

/** Prints a view that is the same from run to run and from runner to runner. */
// The parameters are pretty-format's plugin interface.
// oxlint-disable-next-line max-params
export function serialize(value: unknown, config: object, indentation: string, depth: number, refs: unknown[], printer: Printer): string {
  const print = (view: object): string => printer(view, config, indentation, depth, refs);
  if (isStepResult(value)) return `StepResult ${print(stepResultView(value))}`;
  if (isSnapshot(value)) return `Snapshot ${print(snapshotView(value))}`;
  if (isDiffResult(value)) return `Diff\n${formatDiff(value)}`.replaceAll("\n", `\n${indentation}`);
  if (isStepFailure(value)) return `StepFailure ${errorLine(value)}`;
  if (isStepError(value)) return `StepError ${errorLine(value)}`;
  return printer(value, config, indentation, depth, refs);
}

function errorLine({ code, message, retryable = false }: { readonly code: string; readonly message: string; readonly retryable?: boolean }): string {
  return escapeText(`${code}: ${message}${retryable ? " (retryable)" : ""}`).replaceAll("\n", "\\n");
}
