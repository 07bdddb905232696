import type { KeyBy } from "../../kernel/diff/compare-rules.ts";
import { isOwn } from "../../kernel/own-values.ts";
import { isPlainObject } from "../../kernel/json/plain-data.ts";
import { escapeText } from "../../kernel/text.ts";
import type { DiffResult } from "../../kernel/diff/entries.ts";
import { formatDiff } from "../../kernel/diff/format-diff.ts";
import type { Snapshot } from "../../record/snapshot.ts";
import { numberedText } from "../../redact/placeholder.ts";
import { redactionState } from "../../redact/redaction-state.ts";
import type { Artifact } from "../../kernel/step/artifact.ts";
import { normalizeCommands } from "../../kernel/step/command.ts";
import type { AuditEvent } from "../../kernel/step/context.ts";
import { type StepError, isStepFailure } from "../../kernel/step/fail.ts";
import { type KeyedItems, idsIfUnique, keyedPaths, mapKeyed } from "../../kernel/diff/keyed-lists.ts";
import { type StepResult, isStepResult, keyByOf } from "../../kernel/step/step-result.ts";

/** State of pretty-format within a value. Its own types of `config` and `refs` are only passed on. */
export type PrintState<Config, Refs> = [config: Config, indentation: string, depth: number, refs: Refs];

/** Prints a nested value with all serializers of the snapshot. */
export type Printer<Config, Refs> = (value: unknown, ...state: PrintState<Config, Refs>) => string;

/**
 * Returns true for values that the serializer formats: step results, snapshots, diffs and step errors that veritest
 * created, and failures by their tag. Plain data of the same shape is left to the runner.
 */
export function test(value: unknown): boolean {
  if (isStepFailure(value)) return true;
  return isOwn(value) && isViewed(value);
}

function isViewed(value: unknown): boolean {
  return isStepResult(value) || isSnapshot(value) || isDiffResult(value) || isStepError(value);
}

/** Formats a value for a snapshot, without secrets. The text is the same on every machine and in both runners. */
export function serialize<Config, Refs>(
  value: unknown,
  ...[config, indentation, depth, refs, printer]: [...PrintState<Config, Refs>, Printer<Config, Refs>]
): string {
  const print = (view: unknown): string => numberedText(printer(view, config, indentation, depth, refs));
  if (isStepResult(value)) return `StepResult ${print(hidden(stepResultView(value), value))}`;
  if (isSnapshot(value)) return `Snapshot ${print(hidden(snapshotView(value), value))}`;
  if (isDiffResult(value)) {
    const lines = String(hidden(formatDiff(hiddenDiff(value)), value));
    return numberedText(`Diff\n${lines}`).replaceAll("\n", `\n${indentation}`);
  }
  if (isStepFailure(value)) return `StepFailure ${errorLine(value)}`;
  if (isStepError(value)) return `StepError ${errorLine(value)}`;
  return printer(value, config, indentation, depth, refs);
}

/** Without its secrets. The redactor is there wherever one of our values was made. */
function hidden(view: unknown, value: object): unknown {
  return redactionState().hide?.(view, value) ?? view;
}

/** Redacts each side under its own name, which may mark it as a secret. */
function hiddenDiff(diff: DiffResult): DiffResult {
  const entries = diff.entries.map((entry) => {
    const name = entry.path.findLast((key) => typeof key === "string") ?? "";
    const side = (value: unknown): unknown => {
      const redacted = hidden({ [name]: value }, diff);
      return isPlainObject(redacted) ? Object.values(redacted)[0] : value;
    };
    return { ...entry, before: side(entry.before), after: side(entry.after) };
  });
  return { ...diff, entries };
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
  const text = String(hidden(`${code}: ${message}${retryable ? " (retryable)" : ""}`, {}));
  return escapeText(numberedText(text)).replaceAll("\n", "\\n");
}

/** A step result without what differs from run to run: run id, artifacts' hashes, traces' durations, command order. */
export function stepResultView(result: StepResult): object {
  const { stepName, input, output, events, commands } = result;
  return {
    step: stepName,
    input,
    output: inKeyOrder(output, keyByOf(result)),
    events: events.map(eventView),
    ...(commands === undefined ? {} : { commands: normalizeCommands(commands) }),
  };
}

/** An event without its model trace, whose durations differ from run to run. */
function eventView({ type, payload }: AuditEvent): object {
  return payload === undefined ? { type } : { type, payload };
}

/** A snapshot without its time, its hashes and its events' model traces. */
function snapshotView({ stepName, workflowId, workflowVersion, input, artifacts }: Snapshot): object {
  return {
    step: stepName,
    workflow: `${workflowId}@${workflowVersion}`,
    input,
    artifacts: artifacts.map(artifactView),
  };
}

function artifactView({ kind, content }: Artifact): object {
  if (content === undefined) return { kind };
  const isOutput = kind === "step-output" && isPlainObject(content);
  const events = isOutput ? content["events"] : undefined;
  return { kind, content: isOutput && isEventList(events) ? { ...content, events: events.map(eventView) } : content };
}

function isEventList(events: unknown): events is readonly AuditEvent[] {
  return Array.isArray(events) && events.every((event) => isPlainObject(event) && typeof event["type"] === "string");
}

/** Narrows to a diff by its exact shape. */
function isDiffResult(value: unknown): value is DiffResult {
  if (!isPlainObject(value) || Object.keys(value).length !== 2) return false;
  const { equal, entries } = value;
  return typeof equal === "boolean" && Array.isArray(entries) && entries.every(isDiffEntry);
}

function isDiffEntry(entry: unknown): boolean {
  return (
    isPlainObject(entry) &&
    Array.isArray(entry["path"]) &&
    Object.keys(entry).every((key) => ["path", "before", "after"].includes(key))
  );
}

/** Narrows to a snapshot by its shape. */
function isSnapshot(value: unknown): value is Snapshot {
  return (
    isPlainObject(value) &&
    ["stepName", "inputHash", "artifacts", "capturedAt"].every((key) => Object.hasOwn(value, key))
  );
}

/** Narrows to a step error by its exact shape. */
function isStepError(value: unknown): value is StepError {
  if (!isPlainObject(value)) return false;
  const known = ["code", "message", "retryable", "cause"];
  const { code, message, retryable } = value;
  const typed = typeof code === "string" && typeof message === "string" && typeof retryable === "boolean";
  return typed && Object.keys(value).every((key) => known.includes(key));
}

/**
 * A copy with every keyed array sorted by its elements' keys, by code unit; an array its key does not fit stays as it
 * is.
 */
function inKeyOrder(value: unknown, keyBy: KeyBy): unknown {
  return mapKeyed(value, keyedPaths(keyBy), { idsOf: idsIfUnique, list: sorted });
}

function sorted({ items, ids }: KeyedItems): readonly unknown[] {
  const keyed = items.map((item, index) => ({ item, id: ids[index] ?? "" }));
  return keyed.sort((a, b) => (a.id < b.id ? -1 : 1)).map(({ item }) => item);
}
