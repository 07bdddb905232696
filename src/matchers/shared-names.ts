import { parseBaseline } from "../baseline/parse-baseline.ts";
import type { Check } from "../check/check.ts";
import { diff } from "../kernel/diff/diff.ts";
import { formatEntry } from "../kernel/diff/format-diff.ts";
import { readText } from "../kernel/files/read.ts";
import { bounded } from "./matcher-text.ts";

/** Differences of an input that are shown, and characters of each value. */
const MAX_CHANGES = 5;
const MAX_VALUE = 160;

/** Advice on an input that differs from the one of the named baseline. */
export const SHARED_NAME: string =
  "The baseline with this name has a different input. If another test in this folder uses the same name, give each " +
  "test its own name. Otherwise, recording for one of them breaks the other.";

/**
 * Returns lines on the input of a case with an unrecorded request, if its baseline has a different one. Only a named
 * case can: two tests may share its name.
 */
export function changedInputLines({ verdict, path, input }: Check): string[] {
  if (verdict.kind !== "request_changed" || input === undefined) return [];
  const parsed = parseBaseline(readText(path) ?? "", path);
  if (!parsed.ok || parsed.value.kind !== "step" || parsed.value.name === undefined) return [];
  const { entries } = diff(parsed.value.input, input);
  const rest = entries.length - MAX_CHANGES;
  return [
    ...entries
      .slice(0, MAX_CHANGES)
      .map((entry) => `  ${formatEntry({ ...entry, path: ["input", ...entry.path] }, MAX_VALUE)}`),
    ...(rest > 0 ? [`    … and ${rest} more in the input`] : []),
  ].map(bounded);
}
