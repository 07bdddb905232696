import type { CompareBy, KeyBy } from "../base/compare-rules.ts";
import { isArray, isPlainObject } from "../base/plain-data.ts";
import type { Check } from "./check.ts";

/** The paths of rules that lead nowhere in any of these values: nothing where each leads somewhere. */
export function unresolvedRules(
  rules: { readonly compare: CompareBy; readonly keyBy: KeyBy },
  values: readonly unknown[],
): Pick<Check, "unresolved"> {
  const named = [
    ...Object.keys(rules.keyBy).map((path) => ["keyBy", path] as const),
    ...Object.keys(rules.compare).map((path) => ["compare", path] as const),
  ];
  const unresolved = named
    .filter(([, path]) => !values.some((value) => resolves(value, path.split("."), 0)))
    .map(([rule, path]) => `${rule} ${JSON.stringify(path)}`);
  return unresolved.length === 0 ? {} : { unresolved };
}

/** Lists on the way are passed element by element; of an empty one nobody knows what it could hold. */
function resolves(value: unknown, path: readonly string[], at: number): boolean {
  const name = path[at];
  if (name === undefined) return true;
  if (isArray(value)) {
    if (value.length === 0) return true;
    const below = name === "*" ? at + 1 : at;
    return value.some((item) => resolves(item, path, below));
  }
  if (!isPlainObject(value)) return false;
  if (name === "*") return Object.values(value).some((item) => resolves(item, path, at + 1));
  return Object.hasOwn(value, name) && resolves(value[name], path, at + 1);
}

const LEADS_NOWHERE = " leads nowhere in any baseline of this run: is it misspelt?";

/** What is said of such a rule where it leads nowhere in any other baseline either. */
export function unresolvedRemark(rule: string): string {
  return `${rule}${LEADS_NOWHERE}`;
}

/** Tells a remark that counts only where each check of a step makes it. */
export function isUnresolvedRemark(text: string): boolean {
  return text.endsWith(LEADS_NOWHERE);
}
