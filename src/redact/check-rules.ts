import { isPlainObject } from "../kernel/json/plain-data.ts";
import { type AsyncScope, asyncScope } from "../kernel/async-scope.ts";

/** Rules of one check, in addition to the project's. Both are lists of dotted paths. */
export interface CheckRules {
  /** Paths in requests that aren't part of them, in addition to `recording.ignore` of the configuration. */
  readonly ignore?: readonly string[] | undefined;
  /**
   * Kinds of artifacts, or paths, of which only the hash is stored, in addition to `redact.hashOnly` of the
   * configuration.
   */
  readonly hashOnly?: readonly string[] | undefined;
}

const scope: AsyncScope<CheckRules> = asyncScope("check-rules", isCheckRules);

/**
 * Runs a check under its own rules. They apply to all it does, at any depth: recording, replaying, comparing, and
 * writing must leave out the same parts.
 */
export function withCheckRules<R>({ ignore = [], hashOnly = [] }: CheckRules, check: () => R): R {
  return ignore.length + hashOnly.length === 0 ? check() : scope.run({ ignore, hashOnly }, check);
}

/** The rules of the current check; undefined if it has none. */
export function currentCheckRules(): CheckRules | undefined {
  return scope.get();
}

function isCheckRules(value: unknown): value is CheckRules {
  return isPlainObject(value) && "ignore" in value && "hashOnly" in value;
}
