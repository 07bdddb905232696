import { quote } from "../kernel/text.ts";
import type { Check } from "../check/check.ts";

/**
 * One line for each rule of `compare` that let nothing pass in any of the checks. Only where something differed at all:
 * of cases that are all equal nobody can tell whether a rule is still needed.
 */
export function unusedRules(checks: readonly Check[]): string[] {
  if (!checks.some(({ compare }) => compare !== undefined)) return [];
  const differing = checks.filter(({ verdict }) => "changes" in verdict || toleratedOf(verdict).length > 0);
  const used = new Set(differing.flatMap(({ verdict }) => toleratedOf(verdict).map(({ rule }) => rule)));
  const rules = new Set(differing.flatMap(({ compare = {} }) => Object.keys(compare)));
  const idle = [...rules].filter((rule) => !used.has(rule));
  const counted = checks.length === 1 ? "in this baseline" : `in any of ${checks.length} baselines`;
  return idle.map((rule) => `The rule of compare for ${quote(rule)} let nothing pass ${counted}: is it still needed?`);
}

function toleratedOf(verdict: Check["verdict"]): readonly { readonly rule: string }[] {
  return "tolerated" in verdict ? (verdict.tolerated ?? []) : [];
}
