import { types } from "node:util";
import type { IgnoreRule } from "../kernel/ignore-rule.ts";
import { isPlainObject } from "../kernel/json/plain-data.ts";
import { type AsyncScope, asyncScope } from "../kernel/async-scope.ts";

/**
 * Function that changes a request before veritest stores or compares it. It receives the only argument of the call as
 * data, or a list of the arguments. veritest also calls the function for stored requests, so a second call must give
 * the same result.
 */
export type NormalizeRequest = (request: unknown, adapter: string) => unknown;

/** Rules of one check, in addition to the project's. */
export interface CheckRules {
  /** Parts of requests to ignore, in addition to `recording.ignore` of the configuration. */
  readonly ignore?: readonly IgnoreRule[] | undefined;
  /** Names of request headers to compare, in addition to `recording.matchHeaders` of the configuration. */
  readonly matchHeaders?: readonly string[] | undefined;
  /** Changes each request before it is stored and compared. */
  readonly normalizeRequest?: NormalizeRequest | undefined;
  /**
   * Kinds of artifacts, or paths, to store as a hash, in addition to `redact.hashOnly` of the
   * configuration.
   */
  readonly hashOnly?: readonly string[] | undefined;
}

/** Names of a check's rules among a matcher's options. */
export const CHECK_RULES: Readonly<Record<keyof CheckRules, true>> = {
  ignore: true,
  matchHeaders: true,
  normalizeRequest: true,
  hashOnly: true,
};

/** The rules of a check, with those of `ignore` that matched a request so far. */
export interface CurrentCheckRules extends CheckRules {
  readonly matchedIgnores: Set<string>;
}

/** Names of the rules of `ignore` of any check or the project that matched in this test file. */
export const matchedIgnores: Set<string> = new Set();

const scope: AsyncScope<CurrentCheckRules> = asyncScope("check-rules", isCheckRules);

/**
 * Runs a check under its own rules. They apply to all it does, at any depth: recording, replaying, comparing, and
 * writing must leave out the same parts.
 */
export function withCheckRules<R>(rules: CheckRules, check: () => R): R {
  const { ignore = [], matchHeaders = [], normalizeRequest, hashOnly = [] } = rules;
  if (ignore.length + matchHeaders.length + hashOnly.length === 0 && normalizeRequest === undefined) return check();
  refuseOtherRules(ignore);
  return scope.run({ ignore, matchHeaders, normalizeRequest, hashOnly, matchedIgnores: new Set() }, check);
}

/** Refuses a rule that isn't one: a misspelt key would leave out more of a request than its author meant. */
function refuseOtherRules(rules: readonly unknown[]): void {
  for (const rule of rules) {
    const isRule =
      typeof rule === "string" ||
      (isPlainObject(rule) &&
        typeof rule["path"] === "string" &&
        types.isRegExp(rule["match"]) &&
        Object.keys(rule).length === 2);
    if (isRule) continue;
    const keys = isPlainObject(rule) ? `an object with ${Object.keys(rule).join(", ") || "no keys"}` : typeof rule;
    throw new TypeError(`ignore: a rule is a path or { path: "…", match: /…/ }, got ${keys}.`);
  }
}

/** The rules of the current check; undefined if it has none. */
export function currentCheckRules(): CurrentCheckRules | undefined {
  return scope.get();
}

function isCheckRules(value: unknown): value is CurrentCheckRules {
  return isPlainObject(value) && "ignore" in value && "hashOnly" in value && "matchedIgnores" in value;
}
