import type { CompareBy, KeyBy } from "../../kernel/diff/compare-rules.ts";
import { isArray } from "../../kernel/json/plain-data.ts";
import { fieldsIn } from "../../kernel/diff/instance-fields.ts";
import { type KeyedPath, idsIfUnique, keyedPaths } from "../../kernel/diff/keyed-lists.ts";
import { type RulePath, hasWildcard, isFullyMatched, rulePath, advancePaths } from "../../kernel/diff/rule-path.ts";
import { type AdapterCall, argumentsOf, callLocation, nested } from "../../record/adapter-call.ts";
import { comparedForm } from "../../record/encode/decode.ts";
import type { Findings } from "../check.ts";
import { ignoreRuleName } from "../../kernel/ignore-rule.ts";
import { currentCheckRules, matchedIgnores } from "../../redact/check-rules.ts";
import { projectSettings } from "../../redact/project-settings.ts";

/** A rule of a check, and true if it matches a part of its results. */
type RuleMatch = readonly [rule: string, isMatched: boolean];

/** Rules of a check. */
interface ComparedBy {
  readonly compare: CompareBy;
  readonly keyBy: KeyBy;
}

/** Results that the rules of a check may match. */
interface ComparedResults {
  readonly outputs: readonly unknown[];
  /** Lists of events. */
  readonly events?: readonly unknown[];
  /** Undefined if they are unknown: then no rule for calls is reported. */
  readonly calls?: readonly AdapterCall[];
}

/** Returns whether the path of each rule matches a part of these results. */
export function ruleMatches(
  { compare, keyBy }: ComparedBy,
  { outputs, events = [], calls }: ComparedResults,
): readonly RuleMatch[] {
  const [keyByPaths, comparePaths] = [Object.keys(keyBy), Object.keys(compare)];
  if (keyByPaths.length + comparePaths.length === 0) return [];
  const keys = keyedPaths(keyBy);
  const leads = (path: string): boolean =>
    outputs.some((output) => resolves(comparedForm(output), [rulePath(path)], keys));
  const isOfEvents = (path: string): boolean => events.some((list) => resolves({ events: list }, [rulePath(path)], []));
  const isOfCalls = (path: string): boolean =>
    path.startsWith("calls.") &&
    (calls === undefined || calls.some((call) => resolves(locatedArguments(call), [rulePath(path)], [])));
  return [
    ...keyByPaths.map((path) => [`keyBy ${JSON.stringify(path)}`, leads(path)] as const),
    ...comparePaths.map(
      (path) => [`compare ${JSON.stringify(path)}`, leads(path) || isOfEvents(path) || isOfCalls(path)] as const,
    ),
  ];
}

/** Returns only the rules that match, for a check without all the results that could match the others. */
export function onlyMatched(matches: readonly RuleMatch[]): Pick<Findings, "matchedRules"> {
  return rulesByMatch(matches.filter(([, isMatched]) => isMatched));
}

/** Returns the rules of a check by whether they match. The summary compares those of all checks. */
export function rulesByMatch(matches: readonly RuleMatch[]): Pick<Findings, "matchedRules" | "unmatchedRules"> {
  if (matches.length === 0) return {};
  const [matchedRules, unmatchedRules] = [true, false].map((wanted) =>
    matches.filter(([, isMatched]) => isMatched === wanted).map(([rule]) => rule),
  );
  return { ...(matchedRules?.length && { matchedRules }), ...(unmatchedRules?.length && { unmatchedRules }) };
}

function locatedArguments(call: AdapterCall): unknown {
  return nested(callLocation(call), comparedForm(argumentsOf(call.request)));
}

/** Returns whether each of the check's rules of `ignore` matched a part of a request so far. */
export function ignoreMatches(): readonly RuleMatch[] {
  const { ignore = [], matchedIgnores } = currentCheckRules() ?? {};
  return ignore.map(ignoreRuleName).map((rule) => [`ignore ${rule}`, matchedIgnores?.has(rule) === true]);
}

/** Returns true if a path leads to a part of the value. In an empty list each does: its elements are unknown. */
function resolves(value: unknown, ways: readonly RulePath[], keys: readonly KeyedPath[]): boolean {
  if (ways.length === 0) return false;
  if (ways.some(isFullyMatched)) return true;
  const here = keys.find(isFullyMatched);
  const below = keys.filter((key) => !isFullyMatched(key));
  const further = (inner: unknown, segment: string | number, isElement: boolean): boolean =>
    resolves(inner, advancePaths(ways, segment, isElement), advancePaths(below, segment, isElement));
  if (isArray(value)) {
    const idOf = (item: unknown): string | undefined =>
      here === undefined ? undefined : idsIfUnique([item], { key: here.key, path: here.path })?.[0];
    return value.length === 0 || value.some((item, index) => further(item, idOf(item) ?? index, true));
  }
  const fields = fieldsIn(value);
  if (fields === undefined) return false;
  const isKeyed = here !== undefined;
  const names =
    isKeyed || ways.some(hasWildcard) ? Object.keys(fields) : ways.map(({ names: all, matched }) => all[matched] ?? "");
  return names.some((name) => Object.hasOwn(fields, name) && further(fields[name], name, isKeyed));
}

/** Remark on a rule whose path matches no other baseline either. A rule for calls may be there for one never made. */
export function unmatchedRuleWarning(rule: string): string {
  if (/^(?:order "|compare "calls\.)/.test(rule))
    return `${rule} doesn't match a call in any baseline of this run. Check its spelling.`;
  return `${rule} doesn't match a path in any baseline of this run. Check its spelling, or remove it.`;
}

/** Rules of `ignore` of the project that this test file reported as matched: each test file loads its own module. */
const reported = new Set<string>();

/**
 * Returns the project's rules of `ignore` after a run with requests: those that matched, once for each test file, and
 * those that matched nothing so far. The run's summary shows what no test file matched.
 */
export function projectIgnores(): Pick<Findings, "projectIgnores"> {
  const names = projectSettings().ignore.map(ignoreRuleName);
  const matched = names.filter((name) => matchedIgnores.has(name) && !reported.has(name));
  const unmatched = names.filter((name) => !matchedIgnores.has(name));
  for (const name of matched) reported.add(name);
  return matched.length + unmatched.length === 0 ? {} : { projectIgnores: { matched, unmatched } };
}

/** Remark on a rule of the project's `ignore` that matches no request of a run. */
export function unmatchedIgnoreWarning(rule: string): string {
  return `recording.ignore: ${rule} didn't match any request in this run. Check its spelling, or remove it.`;
}
