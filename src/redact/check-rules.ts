import { isPlainObject } from "../kernel/json/plain-data.ts";
import { type AsyncScope, asyncScope } from "../kernel/async-scope.ts";

/** What one check adds to the project's rules. Both are lists of dotted paths. */
export interface CheckRules {
  /** Paths in requests that are no part of them, beside `recording.ignore` of the configuration. */
  readonly ignore?: readonly string[] | undefined;
  /** Kinds of artifacts, or paths, of which only the hash is kept, beside `redact.hashOnly` of the configuration. */
  readonly hashOnly?: readonly string[] | undefined;
}

const scope: AsyncScope<CheckRules> = asyncScope("check-rules", isCheckRules);

/**
 * Runs a check under rules of its own. They hold for all it does, far below it too: recording, serving, comparing, and
 * writing down must agree on what is left out.
 */
export function withCheckRules<R>({ ignore = [], hashOnly = [] }: CheckRules, check: () => R): R {
  return ignore.length + hashOnly.length === 0 ? check() : scope.run({ ignore, hashOnly }, check);
}

/** The rules of the check that runs here; undefined where it has none of its own. */
export function currentCheckRules(): CheckRules | undefined {
  return scope.get();
}

function isCheckRules(value: unknown): value is CheckRules {
  return isPlainObject(value) && "ignore" in value && "hashOnly" in value;
}
