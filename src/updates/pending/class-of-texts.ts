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
    const kind = classOfTexts(change, root);
    if (kind !== undefined && kind !== change.verdict && forbid.includes(kind))
      return (
        `${escapeText(change.target)} is pending as ${change.verdict}, and its text is ${kind}, ` +
        "which policy.forbid has."
      );
  }
  return undefined;
}

function classOfTexts({ target, before, text, replaces }: PendingChange, root: string): VerdictClass | undefined {
  if (replaces !== undefined) return "input_changed";
  if (before === null) return "missing";
  if (text === undefined) return "obsolete";
  const [old, now] = [readText(resolve(root, target)) ?? "", text].map((each) => parseBaseline(each, target));
  // A text that isn't a baseline is refused as such.
  if (old?.ok !== true || now?.ok !== true) return undefined;
  const [oldParts, newParts] = [partsOf(old.value), partsOf(now.value)];
  const changed = [...newParts.keys()].filter((part) => oldParts.get(part) !== newParts.get(part));
  if (changed.length === 0) return undefined;
  const parts = changed.flatMap((part) => (part === "requests" ? [] : [part]));
  return parts.length === 0 ? "request_changed" : classOfParts(new Set(parts));
}

/** Parts of a baseline as texts. */
function partsOf(baseline: Baseline): ReadonlyMap<ReportedPart | "requests", string> {
  const text = (value: unknown): string => inOrderOfSecrets(stableStringify(value));
  if (baseline.kind === "value") return new Map([["output", text(baseline.value)]]);
  const { input, output, commands, events, calls } = baseline;
  return new Map<ReportedPart | "requests", string>([
    ["input", text(input)],
    ["output", text(output)],
    ["commands", text(commands)],
    ["events", text(events)],
    ["requests", text(calls.map(({ adapter, request }) => [adapter, request]))],
  ]);
}
