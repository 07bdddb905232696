import { resolve } from "node:path";
import { stableStringify } from "../../kernel/json/canonical-json.ts";
import { escapeText } from "../../kernel/text.ts";
import { readText } from "../../kernel/files/read.ts";
import { inOrderOfSecrets } from "../../redact/placeholder.ts";
import type { Baseline } from "../../baseline/baseline.ts";
import { parseBaseline } from "../../baseline/parse-baseline.ts";
import type { ReportedPart } from "../../check/compare/compare.ts";
import { type VerdictClass, classOfParts } from "../../check/verdict.ts";
import type { PendingChange } from "./pending-change.ts";

/**
 * One sentence if a change is of a class that the policy forbids, by the baseline's texts, or undefined. The class in a
 * record is untrusted. A schema isn't in a baseline, so only a run finds `schema_violation` and `failed`.
 */
export function forbiddenByText(
  changes: readonly PendingChange[],
  { forbid, root }: { readonly forbid: readonly VerdictClass[]; readonly root: string },
): string | undefined {
  if (forbid.length === 0) return undefined;
  for (const change of changes) {
    const classes = classesOfTexts(change, root);
    const kind = classes.find((each) => each !== change.verdict && forbid.includes(each));
    const [verb, remedy] =
      classes.length === 1 ? ["is", ""] : ["can be", " Run its test with -u: only a run finds its class."];
    if (kind !== undefined)
      return (
        `${escapeText(change.target)} is pending as ${change.verdict}, and its text ${verb} ${kind}, ` +
        `which policy.forbid has.${remedy}`
      );
  }
  return undefined;
}

/** Classes to which other responses can lead. No text shows which: the step doesn't run again. */
const OF_RESPONSES: readonly VerdictClass[] = ["calls_changed", "commands_changed", "value_changed", "events_changed"];

/** Classes that a change can have by its texts. */
function classesOfTexts(change: PendingChange, root: string): readonly VerdictClass[] {
  const { target, before, text, replaces, verdict } = change;
  if (replaces !== undefined) return ["input_changed"];
  if (before === null) return ["missing"];
  if (text === undefined) return ["obsolete"];
  const [old, now] = [readText(resolve(root, target)) ?? "", text].map((each) => parseBaseline(each, target));
  // A text that isn't a baseline is refused as such.
  if (old?.ok !== true || now?.ok !== true) return [];
  const [oldParts, newParts] = [partsOf(old.value), partsOf(now.value)];
  const changed = [...newParts.keys()].filter((part) => oldParts.get(part) !== newParts.get(part));
  const parts = changed.flatMap((part) => (part === "requests" || part === "responses" ? [] : [part]));
  if (parts.length > 0) return [classOfParts(new Set(parts))];
  // Only the step knows which calls are reads and writes. With recorded responses, those are `request_changed`, too.
  if (changed.includes("requests"))
    return verdict === "request_changed" ? [verdict] : ["request_changed", "calls_changed"];
  return changed.includes("responses") ? OF_RESPONSES : [];
}

/** Parts of a baseline as texts. */
function partsOf(baseline: Baseline): ReadonlyMap<ReportedPart | "requests" | "responses", string> {
  const text = (value: unknown): string => inOrderOfSecrets(stableStringify(value));
  if (baseline.kind === "value") return new Map([["output", text(baseline.value)]]);
  const { input, output, commands, events, calls } = baseline;
  return new Map<ReportedPart | "requests" | "responses", string>([
    ["input", text(input)],
    ["output", text(output)],
    ["commands", text(commands)],
    ["events", text(events)],
    ["requests", text(calls.map(({ adapter, request }) => [adapter, request]))],
    ["responses", text(calls)],
  ]);
}
