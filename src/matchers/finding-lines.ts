import { escapeText } from "../base/text.ts";
import type { Check } from "../check/check.ts";
import { formatEntry } from "../diff/format-diff.ts";
import { formatPath } from "../diff/format-path.ts";
import { causeLine } from "./cause-line.ts";

/** Tolerated differences and unstable paths shown of one case before the rest is only counted. */
const MAX_SHOWN = 3;
/** Characters of a value. */
const MAX_VALUE = 60;

/** What is known of a failing case beside its changes: the cause, the trials. */
export function leadLines({ verdict, trials }: Pick<Check, "verdict" | "trials">): string[] {
  const cause = "cause" in verdict && verdict.cause !== undefined ? [`    ${causeLine(verdict.cause)}`] : [];
  return [...trialLines(trials), ...cause];
}

/** What goes behind the changes: what was tolerated, and recorded calls that were not made. */
export function tailLines({ verdict, unused = [] }: Pick<Check, "verdict" | "unused">): string[] {
  const tolerated = "tolerated" in verdict ? (verdict.tolerated ?? []) : [];
  const shown = tolerated
    .slice(0, MAX_SHOWN)
    .map(({ entry, label }) => `    tolerated (${escapeText(label)}): ${formatEntry(entry, MAX_VALUE).trim()}`);
  const rest = tolerated.length - shown.length;
  return [...shown, ...(rest > 0 ? [`    … and ${rest} more tolerated`] : []), ...unusedLine(unused)];
}

function unusedLine(unused: readonly string[]): string[] {
  if (unused.length === 0) return [];
  const names = [...new Set(unused)]
    .slice(0, MAX_SHOWN)
    .map((name) => escapeText(name))
    .join(", ");
  return [
    unused.length === 1
      ? `    1 recorded call was not made: ${names}`
      : `    ${unused.length} recorded calls were not made: ${names}`,
  ];
}

function trialLines(trials: Check["trials"]): string[] {
  if (trials === undefined) return [];
  const { run, clean, min, planned, interval, classes, unstable } = trials;
  const [low, high] = interval.map((share) => Math.round(share * 100));
  const seen = Object.entries(classes)
    .map(([kind, count]) => `${kind} ${count}`)
    .join(", ");
  const head = `    ${clean} of ${run} trials clean, ${min} of ${planned} wanted (95 % interval ${low}–${high} %): ${seen}`;
  const paths = unstable.slice(0, MAX_SHOWN).map(({ path, equal, of }) => `${formatPath(path)} ${equal}/${of}`);
  const rest = unstable.length - paths.length;
  return paths.length === 0
    ? [head]
    : [head, `    as the baseline says: ${paths.join(", ")}${rest > 0 ? ` and ${rest} more paths` : ""}`];
}
