import { diff } from "../../kernel/diff/diff.ts";
import type { DiffEntry } from "../../kernel/diff/entries.ts";
import { partsOfChange } from "../../kernel/diff/replaced-parts.ts";

/** Compares the arguments of two calls. Unlike an element of a list, an argument with other fields isn't a new one. */
export function argumentEntries(before: unknown, after: unknown): readonly DiffEntry[] {
  const { entries } = diff(before, after);
  return entries.flatMap((entry) =>
    entry.path.length === 1 && entry.edit === undefined ? partsOfChange(entry) : [entry],
  );
}
