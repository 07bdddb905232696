import { type DiffResult, NO_DIFFERENCES } from "../diff/types.ts";
import { diffMultiset } from "../diff/diff-lists.ts";
import { isArray } from "../base/is-array.ts";
import { isPlainObject } from "../base/is-plain-object.ts";
import { comparable } from "../redact/comparable.ts";
import type { Command } from "../step/command.ts";
import { normalizeCommands } from "../step/normalize-commands.ts";
import { jsonOf } from "../base/json-of.ts";

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
