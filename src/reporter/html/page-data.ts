import { hash } from "node:crypto";
import type { ReportCase } from "../../explain/report-case.ts";
import type { RunHistoryEntry, RunModel } from "../../explain/run-model.ts";
import { type CaseStanding, standingOf } from "../../explain/tally.ts";

/** A change that waits, as a served page knows it. */
export interface WaitingChange {
  readonly key: string;
  /** The baseline's file, as a case names it. */
  readonly target: string;
  readonly kind: "add" | "update" | "remove";
  /** Hashes of the file's text before and after; null where there is none. */
  readonly before: string | null;
  readonly after: string | null;
}

/** What a page that `veritest report --serve` serves may ask its server with. */
export interface ServedPage {
  readonly token: string;
  readonly waiting: readonly WaitingChange[];
  /** What waits by its kind, as keys of it; the first is the example. */
  readonly groups: readonly { readonly id: string; readonly keys: readonly string[] }[];
  /** Whether the policy asks why. */
  readonly asksReason: boolean;
}

/** What the page is given: all it shows is made of this. */
export interface PageData {
  readonly model: RunModel;
  /** Earlier runs, the oldest first. */
  readonly history: readonly RunHistoryEntry[];
  /** Which count each case is of, in the order of the cases: counted here, so that the page decides nothing. */
  readonly standings: readonly CaseStanding[];
  /** What an address calls each case, in the order of the cases: the same in every run that checks its baseline. */
  readonly ids: readonly string[];
  /** What each case says, as a hash: who ticked it off has seen this, and nothing that came later. */
  readonly marks: readonly string[];
  /** Null for a page that is a file. */
  readonly served: ServedPage | null;
}

/** Puts together what the page is given. */
export function pageData(
  model: RunModel,
  history: readonly RunHistoryEntry[],
  served: ServedPage | null = null,
): PageData {
  const { cases } = model;
  return { model, history, standings: cases.map(standingOf), ids: caseIds(cases), marks: cases.map(markOf), served };
}

/** A name for each case by its baseline; a baseline that several tests check has a number behind it. */
function caseIds(cases: readonly Pick<ReportCase, "baseline">[]): string[] {
  const times = new Map<string, number>();
  return cases.map(({ baseline }) => {
    const time = (times.get(baseline) ?? 0) + 1;
    times.set(baseline, time);
    return time === 1 ? short(baseline) : `${short(baseline)}-${time}`;
  });
}

function markOf({ baseline, kind, findings }: ReportCase): string {
  return short(JSON.stringify([baseline, kind, findings]));
}

/** Ten digits: two of 20,000 cases have the same in one run of 5,000. */
function short(text: string): string {
  return hash("sha256", text).slice(0, 10);
}
