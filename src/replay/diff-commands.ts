import type { DiffResult } from "../diff/types.ts";
import { diffMultiset } from "../diff/diff-lists.ts";
import { isPlainObject } from "../base/is-plain-object.ts";
import type { Command } from "../step/command.ts";
import { normalizeCommands } from "../step/normalize-commands.ts";
import { jsonOf } from "../base/json-of.ts";

/**
 * Diffs two command lists as multisets, so that order does not count and one insertion is one entry, at the path of
 * the command's type and target, for example `invoke verify`.
 */
export function diffCommands(before: readonly Command[], after: readonly Command[] | undefined): DiffResult {
  return diffMultiset(asData(before), asData(normalizeCommands(after)), commandLabel);
}

function asData(commands: readonly Command[]): readonly unknown[] {
  return commands.map(jsonOf);
}

function commandLabel(command: unknown): string {
  if (!isPlainObject(command)) return "command";
  const target = command["step"] ?? command["topic"];
  return typeof target === "string" ? `${String(command["type"])} ${target}` : String(command["type"]);
}
