import { isPlainObject } from "../base/is-plain-object.ts";
import type { KeyBy, KeyFn } from "../base/key-by.ts";
import type { DiffResult } from "../diff/types.ts";
import type { Snapshot } from "../record/snapshot.ts";
import { normalizeCommands } from "../step/normalize-commands.ts";
import type { StepError } from "../step/step-error.ts";
import { type StepResult, keyByOf } from "../step/step-result.ts";

/** A step result without what differs from run to run: run id, artifacts' hashes, traces' durations, command order. */
export function stepResultView(result: StepResult): object {
  const { stepName, input, output, events, commands } = result;
  return {
    step: stepName,
    input,
    output: inKeyOrder(output, keyByOf(result)),
    events: events.map(({ type, payload }) => (payload === undefined ? { type } : { type, payload })),
    ...(commands === undefined ? {} : { commands: normalizeCommands(commands) }),
  };
}

/** A snapshot without its time and hashes. */
export function snapshotView({ stepName, workflowId, workflowVersion, input, artifacts }: Snapshot): object {
  return {
    step: stepName,
    workflow: `${workflowId}@${workflowVersion}`,
    input,
    artifacts: artifacts.map(({ kind, content }) => (content === undefined ? { kind } : { kind, content })),
  };
}

/** Narrows to a diff by its exact shape. */
export function isDiffResult(value: unknown): value is DiffResult {
  if (!isPlainObject(value) || Object.keys(value).length !== 2) return false;
  const { equal, entries } = value;
  return typeof equal === "boolean" && Array.isArray(entries) && entries.every((entry) => isPlainObject(entry) && Array.isArray(entry["path"]));
}

/** Narrows to a snapshot by its shape. */
export function isSnapshot(value: unknown): value is Snapshot {
  return isPlainObject(value) && ["stepName", "inputHash", "artifacts", "capturedAt"].every((key) => Object.hasOwn(value, key));
}

/** Narrows to a step error by its exact shape. */
export function isStepError(value: unknown): value is StepError {
  if (!isPlainObject(value)) return false;
  const known = ["code", "message", "retryable", "cause"];
  const { code, message, retryable } = value;
  const typed = typeof code === "string" && typeof message === "string" && typeof retryable === "boolean";
  return typed && Object.keys(value).every((key) => known.includes(key));
}

/** A copy with every keyed array sorted by its elements' keys, by code unit; an array its key does not fit stays as it is. */
function inKeyOrder(value: unknown, keyBy: KeyBy): unknown {
  return Object.entries(keyBy).reduce((current, [path, key]) => sortedAt(current, path.split("."), key), value);
}

function sortedAt(value: unknown, path: readonly string[], key: KeyFn): unknown {
  const [head, ...rest] = path;
  if (head === undefined) return Array.isArray(value) ? sorted(value, key) : value;
  if (!isPlainObject(value) || !Object.hasOwn(value, head)) return value;
  return { ...value, [head]: sortedAt(value[head], rest, key) };
}

function sorted(items: readonly unknown[], key: KeyFn): readonly unknown[] {
  const keyed = items.map((item) => ({ item, key: keyOf(item, key) }));
  if (keyed.some((entry) => entry.key === undefined)) return items;
  return keyed.toSorted((a, b) => (String(a.key) < String(b.key) ? -1 : 1)).map(({ item }) => item);
}

function keyOf(item: unknown, key: KeyFn): unknown {
  if (typeof key === "function") return key(item);
  return isPlainObject(item) ? item[key] : undefined;
}
