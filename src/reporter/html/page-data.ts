import { hash } from "node:crypto";
import type { ReportCase } from "../../explain/report-case.ts";
import type { RunModel } from "../../explain/run-model.ts";
import { type CaseStatus, caseStatus } from "../../explain/tally.ts";

/** A pending change, as a served page receives it. */
export interface ServedChange {
  readonly key: string;
  /** The baseline's file, as a case names it. */
  readonly target: string;
  readonly kind: "add" | "update" | "remove";
  /** Hashes of the file's text before and after. Null if there is no file. */
  readonly before: string | null;
  readonly after: string | null;
}

/** Data that a page of `veritest report --serve` needs for requests to its server. */
export interface ServedPage {
  readonly token: string;
  readonly pending: readonly ServedChange[];
  /** Pending changes by kind, as their keys. The first is the example. */
  readonly groups: readonly { readonly id: string; readonly keys: readonly string[] }[];
  /** True if the policy requires a reason. */
  readonly requiresReason: boolean;
  /** Start of a newer run. Null if the page shows the last one: an older page can't accept or reject. */
  readonly newerRun: string | null;
}

/** Data of the page, which shows only this. */
export interface PageData {
  readonly model: RunModel;
  /** Count that each case belongs to, in the order of the cases. Computed here, so that the page decides nothing. */
  readonly statuses: readonly CaseStatus[];
  /** Id of each case in an address, in the order of the cases. Equal in every run that checks the case's baseline. */
  readonly ids: readonly string[];
  /** Hash of each case's content. A tick only counts for the content that the user saw. */
  readonly marks: readonly string[];
  /** Null for a page that is a file. */
  readonly served: ServedPage | null;
}

/** Builds the data of the page. */
export function pageData(model: RunModel, served: ServedPage | null = null): PageData {
  const { cases } = model;
  return { model, statuses: cases.map(caseStatus), ids: caseIds(cases), marks: cases.map(markOf), served };
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
