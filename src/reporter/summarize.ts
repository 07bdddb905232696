import { SEVERITY } from "../check/verdict.ts";
import type { LoggedCheck, TestFileLog } from "./append-run-log.ts";

/** What became of one baseline in a run, worst test counted. */
export interface BaselineOutcome {
  readonly path: string;
  readonly outcome: string;
}

/** Outcomes beside the verdicts' classes, better than any trouble and worth more than "clean". `held`: not written, because its test failed. */
const RANK: Readonly<Record<string, number>> = { ...SEVERITY, held: 8, updated: 9, captured: 10 };

/** One outcome per baseline: a retry's last word counts for its test, the worst test for the baseline. Sorted by path. */
export function summarize(logs: readonly TestFileLog[]): BaselineOutcome[] {
  const lastWords = new Map<string, LoggedCheck>();
  for (const { testPath, checks } of logs) {
    for (const check of checks) lastWords.set(JSON.stringify([testPath, check.test, check.path]), merged(lastWords, testPath, check));
  }
  const worst = new Map<string, string>();
  for (const { path, outcome } of lastWords.values()) {
    const known = worst.get(path);
    if (known === undefined || rank(outcome) < rank(known)) worst.set(path, outcome);
  }
  return [...worst].map(([path, outcome]) => ({ path, outcome })).toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** Within one test a capture stays a capture when the baseline is checked again after it. */
function merged(known: ReadonlyMap<string, LoggedCheck>, testPath: string, check: LoggedCheck): LoggedCheck {
  const earlier = known.get(JSON.stringify([testPath, check.test, check.path]));
  const wrote = earlier?.outcome === "captured" || earlier?.outcome === "updated";
  return wrote && check.outcome === "clean" ? earlier : check;
}

function rank(outcome: string): number {
  return RANK[outcome] ?? 0;
}
