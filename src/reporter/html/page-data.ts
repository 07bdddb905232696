import type { RunHistoryEntry, RunModel } from "../run-model.ts";
import { type CaseStanding, standingOf } from "../tally.ts";

/** What the page is given: all it shows is made of this. */
export interface PageData {
  readonly model: RunModel;
  /** Earlier runs, the oldest first. */
  readonly history: readonly RunHistoryEntry[];
  /** Which count each case is of, in the order of the cases: counted here, so that the page decides nothing. */
  readonly standings: readonly CaseStanding[];
}

/** Puts together what the page is given. */
export function pageData(model: RunModel, history: readonly RunHistoryEntry[]): PageData {
  return { model, history, standings: model.cases.map(standingOf) };
}
