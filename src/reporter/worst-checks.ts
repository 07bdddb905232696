import { SEVERITY } from "../check/verdict.ts";
import type { LoggedCheck, TestFileLog } from "./append-run-log.ts";

/** A check that was logged, with the test file it ran in. */
export interface PlacedCheck extends LoggedCheck {
  /** Absolute. */
  readonly testPath: string;
}

/**
 * Outcomes beside the verdicts' classes, better than any trouble and worth more than "clean". `held`: not written,
 * because its test failed.
 */
const RANK: Readonly<Record<string, number>> = { ...SEVERITY, held: 8, updated: 9, captured: 10 };

/** One check per baseline, sorted by path: a retry's last word counts for its test, the worst test for the baseline. */
export function worstChecks(logs: readonly TestFileLog[]): PlacedCheck[] {
  const lastWords = new Map<string, PlacedCheck>();
  for (const { testPath, checks } of logs) {
    for (const check of checks) {
      const key = JSON.stringify([testPath, check.test, check.path]);
      lastWords.set(key, merged(lastWords.get(key), { ...check, testPath }));
    }
  }
  const worst = new Map<string, PlacedCheck>();
  for (const check of lastWords.values()) {
    const known = worst.get(check.path);
    if (known === undefined || rank(check.outcome) < rank(known.outcome)) worst.set(check.path, check);
  }
  return [...worst.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** Within one test a capture stays a capture when the baseline is checked again after it. */
function merged(earlier: PlacedCheck | undefined, check: PlacedCheck): PlacedCheck {
  const wrote = earlier?.outcome === "captured" || earlier?.outcome === "updated";
  return wrote && check.outcome === "clean" ? earlier : check;
}

function rank(outcome: string): number {
  return RANK[outcome] ?? 0;
}
