import { groupBy } from "../base/group-by.ts";
import { escapeText } from "../base/text.ts";
import { displayPath } from "../baseline/library.ts";
import type { BaselineOutcome } from "./summarize.ts";

/** How many files of one kind are listed before the rest is only counted. */
const MAX_FILES = 5;

/** What a run did to the baselines, for the lines below the runner's own summary. */
export interface RunSummary {
  readonly outcomes: readonly BaselineOutcome[];
  readonly obsolete: readonly string[];
  /** True when the obsolete ones were removed. */
  readonly removed: boolean;
  /** What went wrong with the report itself, a sentence each. */
  readonly problems: readonly string[];
}

/** The lines of a run's end: one with counts by class, then files to look at. No lines for a run without baselines. */
export function renderSummary({ outcomes, obsolete, removed, problems }: RunSummary): string[] {
  if (outcomes.length + obsolete.length + problems.length === 0) return [];
  const groups = groupBy(outcomes, ({ outcome }) => outcome);
  const counts = [...groups].toSorted(([a], [b]) => order(a) - order(b)).map(([outcome, of]) => `${of.length} ${outcome}`);
  const heads = obsolete.length === 0 ? counts : [...counts, `${obsolete.length} obsolete${removed ? ", removed" : ""}`];
  const hint = removed ? "removed" : "obsolete: no test uses it any more; remove with -u, or delete it";
  return [
    `  Baselines  ${heads.join(", ") || "none checked"}`,
    ...listing(pathsOf(groups, "captured"), "captured: read and commit it"),
    ...listing(pathsOf(groups, "updated"), "updated: read and commit it"),
    ...listing(pathsOf(groups, "held"), "held: not written, because its test failed"),
    ...listing(obsolete, hint),
    ...problems.map((problem) => `             ${escapeText(problem)}`),
  ];
}

function pathsOf(groups: ReadonlyMap<string, readonly BaselineOutcome[]>, outcome: string): string[] {
  return (groups.get(outcome) ?? []).map(({ path }) => path);
}

function listing(paths: readonly string[], what: string): string[] {
  const lines = paths.slice(0, MAX_FILES).map((path) => `             ${displayPath(path)}  ${what}`);
  return paths.length > MAX_FILES ? [...lines, `             … and ${paths.length - MAX_FILES} more ${what.split(":", 1).join("")}`] : lines;
}

/** Good news first: the counts read as a sentence, and trouble stands at its end. */
function order(outcome: string): number {
  const index = ["clean", "captured", "updated", "held"].indexOf(outcome);
  return index === -1 ? 4 : index;
}
