import { type CallAttempt, isFailure } from "../recorded-retries.ts";

/**
 * Returns true if two runs have the same attempts with the same outcomes, and some overlap in both runs: which of them
 * is a retry then depends on their durations only.
 */
export function haveSameAttempts(before: readonly CallAttempt[], after: readonly CallAttempt[]): boolean {
  if (before.length !== after.length) return false;
  const overlaps = (attempts: readonly CallAttempt[]): boolean => attempts.some(({ call }) => (call.parallel ?? 0) > 0);
  if (!overlaps(before) || !overlaps(after)) return false;
  const outcomes = ({ identity, call }: CallAttempt): string => `${isFailure(call)} ${identity}`;
  return before.map(outcomes).toSorted().join("\n") === after.map(outcomes).toSorted().join("\n");
}
