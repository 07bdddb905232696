import type { CompareBy, KeyBy } from "../base/compare-rules.ts";
import { isArray, isPlainObject } from "../base/plain-data.ts";
import type { Check } from "./check.ts";

/**
 * The paths of rules that lead nowhere in any of these outputs, or lists of events: nothing where each leads somewhere.
 * Those below `calls` are not looked at.
 */
export function unresolvedRules(
  { compare, keyBy }: { readonly compare: CompareBy; readonly keyBy: KeyBy },
  outputs: readonly unknown[],
  events: readonly unknown[] = [],
): Pick<Check, "unresolved"> {
  const leads = (path: readonly string[]): boolean => outputs.some((output) => resolves(output, path, 0));
  const unresolved = [
    ...Object.keys(keyBy).flatMap((path) => {
      const names = path.split(".");
      if (outputs.some((output) => isKeyed(output, { names, keyBy }, 0))) return [];
      return [`keyBy ${JSON.stringify(path)}${leads(names) ? " (it passes no elements of lists)" : ""}`];
    }),
    ...Object.keys(compare).flatMap((path) => {
      const names = path.split(".");
      const [part, ...rest] = names;
      if (part === "calls" || leads(names)) return [];
      if (part === "events" && events.some((list) => resolves(list, rest, 0))) return [];
      return [`compare ${JSON.stringify(path)}`];
    }),
  ];
  return unresolved.length === 0 ? {} : { unresolved };
}

/** Through fields, and through lists that a shorter path keys, by the key of an element. */
function isKeyed(
  value: unknown,
  rule: { readonly names: readonly string[]; readonly keyBy: KeyBy },
  at: number,
): boolean {
  const { names, keyBy } = rule;
  const name = names[at];
  if (name === undefined) return true;
  if (isArray(value)) {
    const above = names.slice(0, at).join(".");
    const key = Object.hasOwn(keyBy, above) ? keyBy[above] : undefined;
    // What a function makes of an element is not asked here: it may be anything.
    const isNamed = (item: unknown): boolean =>
      typeof key === "function" || (typeof key === "string" && isPlainObject(item) && String(item[key]) === name);
    return (
      (key !== undefined && value.length === 0) || value.some((item) => isNamed(item) && isKeyed(item, rule, at + 1))
    );
  }
  return isPlainObject(value) && Object.hasOwn(value, name) && isKeyed(value[name], rule, at + 1);
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
