import type { CompareBy, KeyBy } from "../base/compare-rules.ts";
import { isArray, isPlainObject } from "../base/plain-data.ts";
import { jsonOf } from "../base/canonical-json.ts";
import { diffMultiset } from "../diff/diff-lists.ts";
import { diff } from "../diff/diff.ts";
import { tolerate } from "../diff/tolerate.ts";
import { type DiffEntry, type DiffResult, NO_DIFFERENCES } from "../diff/types.ts";
import { outputContent, storedCommands } from "../record/read-snapshot.ts";
import type { Snapshot } from "../record/snapshot.ts";
import { comparable } from "../redact/comparable.ts";
import { type Command, normalizeCommands } from "../step/command.ts";

/** What a run decided: its output, and its commands where they are known. */
export interface Outcome {
  readonly output: unknown;
  readonly commands: readonly Command[] | undefined;
}

/** How outcomes are compared. */
export interface Comparison {
  readonly keyBy: KeyBy;
  readonly compare: CompareBy;
}

/** What a snapshot says was decided; undefined where it keeps no output. */
export function storedOutcome(snapshot: Snapshot): Outcome | undefined {
  const stored = outputContent(snapshot);
  return stored === undefined ? undefined : { output: stored.output, commands: storedCommands(snapshot) };
}

/**
 * Where two outcomes differ, by key and beyond what is tolerated; commands under `commands`. Never throws for JSON
 * data.
 */
export function diffOutcomes(before: Outcome, after: Outcome, comparison: Comparison): readonly DiffEntry[] {
  const [left, right] = comparable(jsonOf(before.output), jsonOf(after.output), ["output"]);
  const commands = before.commands === undefined ? [] : diffCommands(before.commands, after.commands).entries;
  return [
    ...diffOutputs(left, right, comparison),
    ...commands.map((entry) => ({ ...entry, path: ["commands", ...entry.path] })),
  ];
}

function diffOutputs(before: unknown, after: unknown, { keyBy, compare }: Comparison): readonly DiffEntry[] {
  try {
    return tolerate(diff(before, after, keyBy), { before, after, keyBy, compare }).diff.entries;
  } catch {
    // Keys that are not unique: then the elements are told apart by place.
    return diff(before, after).entries;
  }
}

/**
 * Diffs two command lists as multisets, so that order does not count and one insertion is one entry, at the path of
 * the command's type and target, for example `invoke verify`.
 */
export function diffCommands(before: readonly Command[], after: readonly Command[] | undefined): DiffResult {
  const now = normalizeCommands(after);
  if (before.length + now.length === 0) return NO_DIFFERENCES;
  const [left, right] = [asData(before), asData(now)];
  const found = diffMultiset(left, right, commandLabel);
  if (found.equal) return found;
  const [hiddenLeft, hiddenRight] = comparable(left, right, ["commands"]);
  return isArray(hiddenLeft) && isArray(hiddenRight) ? diffMultiset(hiddenLeft, hiddenRight, commandLabel) : found;
}

function asData(commands: readonly Command[]): readonly unknown[] {
  return commands.map(jsonOf);
}

function commandLabel(command: unknown): string {
  if (!isPlainObject(command)) return "command";
  const target = command["step"] ?? command["topic"];
  return typeof target === "string" ? `${String(command["type"])} ${target}` : String(command["type"]);
}
