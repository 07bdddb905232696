import { CALL_ROLES, CALL_SCOPES, type CallScope, type RoleRules } from "../../kernel/call-role.ts";
import type { CompareBy, KeyBy, OrderedKey } from "../../kernel/diff/compare-rules.ts";
import { ANY_NAMES } from "../../kernel/diff/rule-path.ts";
import { toleranceOf, toleranceSpec, within } from "../../kernel/diff/tolerances.ts";
import { isPlainObject, parsedJson } from "../../kernel/json/plain-data.ts";
import { projectSettings } from "../../redact/project-settings.ts";

/** Rules of the check of a new case. The end of the run compares the case with the one that it replaces. */
export interface CaseRules {
  readonly keyBy: KeyBy;
  readonly compare: CompareBy;
  readonly calls?: CallScope | undefined;
  readonly roles?: RoleRules | undefined;
}

/**
 * Returns rules as JSON, for another process. Undefined if there are none. A function of the user, as in
 * `compare: { total: (a, b) => a === b }`, can't be sent: it becomes `within(0)`, so that differences which only it
 * tolerates are shown, and the project's tolerance doesn't apply in its place. The other process doesn't have the
 * project's rules, so the text contains them too.
 */
export function caseRulesText({ keyBy, compare, calls, roles }: CaseRules): string | undefined {
  const keys = mapped(keyBy, (key) =>
    typeof (typeof key === "object" ? key.by : key) === "function" ? undefined : key,
  );
  const settings = projectSettings();
  // The check's roles come first, because the first pattern that matches a call applies. They are spread twice: the
  // first spread sets their order, the last one their values.
  const allRoles = { ...roles, ...settings.roles, ...roles };
  const tolerances = mapped(
    { ...compare, ...projectTolerance(compare) },
    (rule) => toleranceSpec(rule) ?? toleranceSpec(within(0)),
  );
  const text = JSON.stringify({
    ...(keys && { keyBy: keys }),
    ...(tolerances && { compare: tolerances }),
    calls: calls ?? settings.calls,
    ...(Object.keys(allRoles).length > 0 && { roles: allRoles }),
  });
  return text === "{}" ? undefined : text;
}

/** The project's tolerance of numbers. The rules of the step and the test win. */
export function projectTolerance(compare: CompareBy): CompareBy {
  const { tolerance } = projectSettings();
  return tolerance === undefined || Object.hasOwn(compare, ANY_NAMES) ? {} : { [ANY_NAMES]: within(tolerance) };
}

/** Reads rules. Ignores all that isn't a rule. */
export function parseCaseRules(text: string = "{}"): CaseRules {
  const parsed = parsedJson(text);
  const rules = isPlainObject(parsed) ? parsed : {};
  const fields = (name: string): Readonly<Record<string, unknown>> => {
    const value = rules[name];
    return isPlainObject(value) ? value : {};
  };
  return {
    keyBy: mapped(fields("keyBy"), keyOf) ?? {},
    compare: mapped(fields("compare"), toleranceOf) ?? {},
    calls: CALL_SCOPES.find((scope) => scope === rules["calls"]),
    roles: mapped(fields("roles"), (role) => CALL_ROLES.find((known) => known === role)),
  };
}

function keyOf(key: unknown): string | OrderedKey | undefined {
  if (!isPlainObject(key)) return typeof key === "string" ? key : undefined;
  const { by, ordered } = key;
  return typeof by === "string" ? { by, ordered: ordered === true } : undefined;
}

/** Maps the values of a record. Leaves out those that become undefined; undefined if none is left. */
function mapped<Value, Mapped>(
  record: Readonly<Record<string, Value>>,
  map: (value: Value) => Mapped | undefined,
): Readonly<Record<string, Mapped>> | undefined {
  const entries = Object.entries(record).flatMap(([name, value]) => {
    const other = map(value);
    return other === undefined ? [] : [[name, other] as const];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
