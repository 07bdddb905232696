import { formatDiff } from "../diff/format-diff.ts";
import { isStepFailure } from "../step/fail.ts";
import { isStepResult } from "../step/step-result.ts";
import { escapeText } from "../base/text.ts";
import { isDiffResult, isSnapshot, isStepError, snapshotView, stepResultView } from "./views.ts";

/** Where pretty-format is in a value. Its own types of `config` and `refs` are only handed through. */
export type PrintState<Config, Refs> = [config: Config, indentation: string, depth: number, refs: Refs];

/** Prints a nested value with all serializers of the snapshot. */
export type Printer<Config, Refs> = (value: unknown, ...state: PrintState<Config, Refs>) => string;

/** True for what veritest gives a view of its own: step results, snapshots, diffs and step errors. */
export function test(value: unknown): boolean {
  return isStepResult(value) || isSnapshot(value) || isDiffResult(value) || isStepFailure(value) || isStepError(value);
}

/** Prints a view that is the same from run to run and from runner to runner. */
export function serialize<Config, Refs>(
  value: unknown,
  ...[config, indentation, depth, refs, printer]: [...PrintState<Config, Refs>, Printer<Config, Refs>]
): string {
  const print = (view: unknown): string => printer(view, config, indentation, depth, refs);
  if (isStepResult(value)) return `StepResult ${print(stepResultView(value))}`;
  if (isSnapshot(value)) return `Snapshot ${print(snapshotView(value))}`;
  if (isDiffResult(value)) return `Diff\n${formatDiff(value)}`.replaceAll("\n", `\n${indentation}`);
  if (isStepFailure(value)) return `StepFailure ${errorLine(value)}`;
  if (isStepError(value)) return `StepError ${errorLine(value)}`;
  return print(value);
}

function errorLine({
  code,
  message,
  retryable = false,
}: {
  readonly code: string;
  readonly message: string;
  readonly retryable?: boolean;
}): string {
  return escapeText(`${code}: ${message}${retryable ? " (retryable)" : ""}`).replaceAll("\n", "\\n");
}
