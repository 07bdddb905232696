import type { TestFileLog } from "./append-run-log.ts";
import { worstChecks } from "./worst-checks.ts";

/** What became of one baseline in a run, worst test counted. */
export interface BaselineOutcome {
  readonly path: string;
  readonly outcome: string;
}

/** One outcome per baseline, sorted by path. */
export function summarize(logs: readonly TestFileLog[]): BaselineOutcome[] {
  return worstChecks(logs).map(({ path, outcome }) => ({ path, outcome }));
}
