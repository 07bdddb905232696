import { type RunFacts, buildRunModel } from "../../reporter/build-run-model.ts";
import { counted, notLiveText, plainCount } from "../../explain/wording.ts";
import type { ReportCounts, RunModel } from "../../explain/run-model.ts";
import type { ReportCase } from "../../explain/report-case.ts";
import type { CaseOutcome } from "./case-outcome.ts";
import {
  type GrowingCounts,
  NO_USAGE,
  addUsage,
  caseSummary,
  countCase,
  noCounts,
  statusOf,
} from "../../explain/tally.ts";

/** Maximum number of remarks before the rest is only counted. */
const MAX_REMARKS = 5;

/**
 * Counts the cases of a run as they arrive, by step and in total. Keeps the cases only if a report needs them: memory
 * would grow with their number.
 */
export class CheckTally {
  readonly #keeps: boolean;
  readonly #cases: ReportCase[] = [];
  readonly #total = noCounts();
  readonly #steps = new Map<string, GrowingCounts>();
  #usage = NO_USAGE;
  #trials = 0;
  #notLive = 0;
  #tolerated = { differences: 0, cases: 0 };
  readonly #remarks = new Map<string, { readonly baseline: string; count: number }>();

  constructor(options: { readonly keeps: boolean }) {
    this.#keeps = options.keeps;
  }

  /** Counts a case. */
  add(reportCase: ReportCase): void {
    const step = this.#steps.get(reportCase.step) ?? noCounts();
    this.#steps.set(reportCase.step, step);
    for (const counts of [this.#total, step]) countCase(counts, reportCase);
    this.#trials += reportCase.findings?.trials?.run ?? 0;
    const { usage } = reportCase;
    if (usage !== null) this.#usage = addUsage(this.#usage, usage);
    if (this.#keeps) this.#cases.push(reportCase);
    else if (reportCase.kind === "clean" && reportCase.findings !== null)
      this.#tolerate(reportCase.findings.tolerated.length);
  }

  /** Adds remarks on a case. */
  addRemarks({ baseline }: ReportCase, { remarks, notLive }: Pick<CaseOutcome, "remarks" | "notLive">): void {
    if (notLive) this.#notLive += 1;
    for (const text of remarks) {
      const remark = this.#remarks.get(text) ?? { baseline, count: 0 };
      remark.count += 1;
      this.#remarks.set(text, remark);
    }
  }

  /**
   * Returns a line for each remark, with its baseline or their number, and a sentence on the cases that weren't live.
   */
  remarks(): readonly string[] {
    const lines = [...this.#remarks].map(
      ([text, { baseline, count }]) => `${count === 1 ? baseline : plainCount(count, "baseline")}  ${text}`,
    );
    const rest = lines.length - MAX_REMARKS;
    return [
      ...lines.slice(0, MAX_REMARKS),
      ...(rest > 0 ? [`… and ${plainCount(rest, "more remark")}`] : []),
      ...(this.#notLive > 0 ? [notLiveText(this.#notLive)] : []),
    ];
  }

  /** Counts so far. */
  get counts(): ReportCounts {
    return this.#total;
  }

  /** Counts by step, in the order of their first case. */
  get steps(): ReadonlyMap<string, ReportCounts> {
    return this.#steps;
  }

  /** Returns a sentence on tolerated differences if the cases themselves weren't kept. */
  tolerated(): readonly string[] {
    const { differences, cases } = this.#tolerated;
    return differences === 0
      ? []
      : [`${counted(differences, "difference")} tolerated in ${counted(cases, "clean baseline")}`];
  }

  /** Builds the model of the run, without cases if they weren't kept. */
  model(facts: Omit<RunFacts, "cases">): RunModel {
    const model = buildRunModel({ ...facts, cases: this.#cases });
    const counts = { ...this.#total };
    return {
      ...model,
      counts,
      status: statusOf({ counts, problems: facts.problems }),
      summary: caseSummary(counts),
      usage: this.#usage,
      trials: this.#trials,
    };
  }

  #tolerate(differences: number): void {
    if (differences > 0)
      this.#tolerated = { differences: this.#tolerated.differences + differences, cases: this.#tolerated.cases + 1 };
  }
}
