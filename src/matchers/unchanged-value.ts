import { findUnchangedFile } from "../baseline/value-text.ts";
import type { MatcherCall } from "./baseline-matcher.ts";
import type { MatcherResult } from "./matcher-context.ts";
import { readResult } from "./received.ts";
import type { MatchBaselineOptions } from "./to-match-baseline.ts";

/**
 * Checks a value for `toMatchBaseline` before the code that makes checks is loaded: passes if the file is, byte for
 * byte, the one that would be written now. Returns undefined if it isn't, if further options are given, or if a
 * listener reads spans or counts checks: then the check decides.
 *
 * The first check of a test file takes 3 to 6 ms with it and 15 to 17 without, each further one 130 and not 170 µs.
 */
export function unchangedValue({
  received,
  options = {},
  session,
}: MatcherCall<MatchBaselineOptions>): MatcherResult | undefined {
  const { name, labels, meta, ...rules } = options;
  const { noteClean, testFile: test } = session;
  if (name === undefined || name.trim() === "" || Object.keys(rules).length > 0 || noteClean === undefined)
    return undefined;
  const path = findUnchangedFile(received, { test, name, labels, meta }, session);
  if (path === undefined || readResult(received).kind !== "neither") return undefined;
  noteClean(path);
  return { pass: true, message: () => `${name}: clean` };
}
