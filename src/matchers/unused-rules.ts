import { quote } from "../kernel/text.ts";
import type { Check } from "../check/check.ts";

/**
 * Returns one line for each rule of `compare` that let no difference pass in any of the checks. Only if something
 * differed: if all cases are equal, a rule may still be needed.
 */
export function unusedRules(checks: readonly Check[]): string[] {
  if (!checks.some(({ findings }) => findings.compare !== undefined)) return [];
  const differing = checks.filter(({ verdict }) => "changes" in verdict || toleratedOf(verdict).length > 0);
  const used = new Set(differing.flatMap(({ verdict }) => toleratedOf(verdict).map(({ rule }) => rule)));
  const rules = new Set(differing.flatMap(({ findings }) => Object.keys(findings.compare ?? {})));
  const idle = [...rules].filter((rule) => !used.has(rule));
  const counted = checks.length === 1 ? "in this baseline" : `in any of ${checks.length} baselines`;
  return idle.map(
    (rule) => `The compare rule for ${quote(rule)} had no effect ${counted}. If you don't need it, remove it.`,
  );
}

function toleratedOf(verdict: Check["verdict"]): readonly { readonly rule: string }[] {
  return "tolerated" in verdict ? (verdict.tolerated ?? []) : [];
}
