import type { Prices } from "../kernel/model-prices.ts";
import { processEnvironment, readVariable } from "../kernel/environment.ts";
import { CALL_ROLES, CALL_SCOPES, type CallScope, type RoleRules } from "../kernel/call-role.ts";
import type { IgnoreRule } from "../kernel/ignore-rule.ts";
import { isArray, isPlainObject } from "../kernel/json/plain-data.ts";

// Apart from the redactor, because synchronous matchers read prices and redact nothing.

/** Settings of a project's configuration that a worker needs: for redaction, comparisons, roles, network and prices. */
interface ProjectSettings {
  readonly fields: readonly string[];
  readonly paths: readonly string[];
  readonly keep: readonly string[];
  readonly hashOnly: readonly string[];
  readonly patterns: readonly string[];
  readonly ignore: readonly IgnoreRule[];
  /** Parts of requests whose changes keep the recorded responses. */
  readonly harmless: readonly IgnoreRule[];
  readonly matchHeaders: readonly string[];
  readonly roles: RoleRules;
  readonly calls: CallScope | undefined;
  readonly strictRequests: boolean;
  /** Distance up to which numbers of outputs count as equal. */
  readonly tolerance: number | undefined;
  /** Hosts that steps may reach past their adapters while responses are recorded, and whether this machine is one. */
  readonly network: { readonly allow: readonly string[]; readonly local: boolean };
  readonly keepIds: boolean;
  /** Size limit of one baseline: a larger value is refused before it is hidden and written. */
  readonly maxBytes: number;
  /** Prices of models; undefined if the project has none. */
  readonly prices: Prices | undefined;
}

/** Size limit of one baseline without a policy. */
export const MAX_BASELINE_BYTES = 2_000_000;

let known: { readonly text: string; readonly settings: ProjectSettings } | undefined;

/** The settings in the environment of a worker; empty lists if it has none. Throws if they aren't JSON. */
export function projectSettings(environment: NodeJS.ProcessEnv = processEnvironment()): ProjectSettings {
  const text = readVariable(environment, "VERITEST_REDACTION") ?? "";
  // Every recording reads them.
  if (known?.text !== text) known = { text, settings: parse(text) };
  return known.settings;
}

function parse(text: string): ProjectSettings {
  const settings: unknown = text === "" ? {} : JSON.parse(text);
  const list = (name: string): readonly string[] => {
    const value = isPlainObject(settings) ? settings[name] : undefined;
    return isArray(value) ? value.filter((item) => typeof item === "string") : [];
  };
  return {
    network: networkIn(isPlainObject(settings) ? settings["network"] : undefined),
    fields: list("fields"),
    paths: list("paths"),
    keep: list("keep"),
    hashOnly: list("hashOnly"),
    patterns: list("patterns"),
    ignore: isPlainObject(settings) ? ignoreRulesIn(settings["ignore"]) : [],
    harmless: isPlainObject(settings) ? ignoreRulesIn(settings["harmless"]) : [],
    matchHeaders: list("matchHeaders"),
    roles: rolesIn(isPlainObject(settings) ? settings["roles"] : undefined),
    strictRequests: isPlainObject(settings) && settings["strictRequests"] === true,
    tolerance: isPlainObject(settings) && typeof settings["tolerance"] === "number" ? settings["tolerance"] : undefined,
    keepIds: isPlainObject(settings) && settings["keepIds"] === true,
    maxBytes:
      isPlainObject(settings) && typeof settings["maxBytes"] === "number" ? settings["maxBytes"] : MAX_BASELINE_BYTES,
    prices: isPlainObject(settings) ? pricesIn(settings["prices"]) : undefined,
    calls: CALL_SCOPES.find((scope) => isPlainObject(settings) && scope === settings["calls"]),
  };
}

function ignoreRulesIn(value: unknown): readonly IgnoreRule[] {
  return (isArray(value) ? value : []).flatMap((rule): IgnoreRule[] => {
    if (typeof rule === "string") return [rule];
    const { path, match }: Record<string, unknown> = isPlainObject(rule) ? rule : {};
    const [, source, flags] = typeof match === "string" ? (/^\/(.*)\/([a-z]*)$/s.exec(match) ?? []) : [];
    return typeof path === "string" && source !== undefined ? [{ path, match: new RegExp(source, flags) }] : [];
  });
}

function pricesIn(value: unknown): Prices | undefined {
  if (!isPlainObject(value)) return undefined;
  const entries = Object.entries(value).flatMap(([model, price]) => {
    const { input, output }: Record<string, unknown> = isPlainObject(price) ? price : {};
    return typeof input === "number" && typeof output === "number" ? [[model, { input, output }] as const] : [];
  });
  return Object.fromEntries(entries);
}

function networkIn(value: unknown): ProjectSettings["network"] {
  const { allow, local }: Record<string, unknown> = isPlainObject(value) ? value : {};
  return { allow: isArray(allow) ? allow.filter((host) => typeof host === "string") : [], local: local !== false };
}

function rolesIn(value: unknown): RoleRules {
  const entries = Object.entries(isPlainObject(value) ? value : {});
  return Object.fromEntries(
    entries.flatMap(([pattern, role]) => {
      const known = CALL_ROLES.find((callRole) => callRole === role);
      return known === undefined ? [] : [[pattern, known]];
    }),
  );
}
