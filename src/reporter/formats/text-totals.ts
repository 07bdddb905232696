import type { RunModel } from "../../explain/run-model.ts";
import type { ReportCase } from "../../explain/report-case.ts";
import { wrongOutcomes } from "../../explain/outcome-grid.ts";
import type { TerminalLine, Tone } from "../../explain/terminal-line.ts";
import { counted, duration, pendingLine, usageText } from "../../explain/wording.ts";
import { needsReview } from "../../explain/tally.ts";

/** Files listed of one kind before the rest is only counted. */
const MAX_FILES = 5;
/** Width of the labels in Vitest's own summary, so that the numbers of both align. */
const LABEL_WIDTH = 11;
const INDENT = LABEL_WIDTH + 2;

const LISTED: readonly {
  readonly what: string;
  readonly advice: string;
  readonly of: (reported: ReportCase) => boolean;
}[] = [
  { what: "captured", advice: "read and commit it", of: ({ updateState }) => updateState === "captured" },
  { what: "updated", advice: "read and commit it", of: ({ updateState }) => updateState === "updated" },
  { what: "removed", advice: "no test used it", of: ({ updateState }) => updateState === "removed" },
  {
    what: "obsolete",
    advice: "no test uses it; remove with -u, or delete it",
    of: ({ kind, updateState }) => kind === "obsolete" && updateState === "none",
  },
  {
    what: "obsolete",
    advice: "no test uses it; its removal is pending",
    of: ({ kind, updateState }) => kind === "obsolete" && updateState === "pending",
  },
];

/**
 * Last lines of a report: the run in one sentence, files to review, pending changes with reasons, problems, costs.
 * `earlier` is the number of changes that are pending from earlier runs, if it's known.
 */
export function totalLines(model: RunModel, earlier: number = 0): TerminalLine[] {
  const { cases, counts, usage, trials, applied, problems } = model;
  const location = model.environment.ci ? "upload" : "project";
  const took = `${model.summary} in ${duration(model.durationMs)}`;
  return [
    labelled("veritest", took, model.status === "pass" ? "strong" : "alarm"),
    ...LISTED.flatMap(({ what, advice, of }) => listing(cases.filter(of), what, advice)),
    ...wrongLines(cases),
    ...toleratedLines(cases),
    ...(applied?.because ?? []).map((reason) => below(`pending: ${reason}`)),
    ...(counts.pending === 0 ? [] : [below(pendingLine(counts.pending, location, earlier))]),
    ...problems.map((problem, index) => (index === 0 ? labelled("Problems", problem, "alarm") : below(problem))),
    ...(usage.calls === 0 ? [] : [labelled("Live calls", usageText(usage))]),
    ...(trials === 0 ? [] : [labelled("Trials", counted(trials, "run"))]),
  ];
}

function listing(cases: readonly ReportCase[], what: string, advice: string): TerminalLine[] {
  const rest = cases.length - MAX_FILES;
  const lines = cases.slice(0, MAX_FILES).map(({ baseline }) => below(baseline, `  ${what}: ${advice}`));
  return rest > 0 ? [...lines, below(`… and ${rest} more ${what}`)] : lines;
}

/** Wrong outcomes of cases that passed: a user accepted them, and they are still wrong. */
function wrongLines(cases: readonly ReportCase[]): TerminalLine[] {
  const wrong = cases
    .filter((reported) => !needsReview(reported))
    .map(({ findings }) => wrongOutcomes(findings?.grid).length);
  const count = wrong.reduce((sum, of) => sum + of, 0);
  const passed = wrong.filter((of) => of > 0).length;
  const where = counted(passed, "baseline that passed", "baselines that passed");
  return count === 0 ? [] : [below(`${counted(count, "wrong outcome")} accepted in ${where}`)];
}

/** Number of differences that passed. A case that passed has no lines. */
function toleratedLines(cases: readonly ReportCase[]): TerminalLine[] {
  const passed = cases.filter(({ kind, findings }) => kind === "clean" && (findings?.tolerated.length ?? 0) > 0);
  const count = passed.reduce((sum, { findings }) => sum + (findings?.tolerated.length ?? 0), 0);
  return count === 0
    ? []
    : [below(`${counted(count, "difference")} tolerated in ${counted(passed.length, "clean baseline")}`)];
}

function labelled(label: string, text: string, tone: Tone = "plain"): TerminalLine {
  return {
    indent: 0,
    spans: [
      { text: `${label.padStart(LABEL_WIDTH)}  `, tone: "faint" },
      { text, tone },
    ],
    wraps: true,
    hang: INDENT,
  };
}

function below(text: string, advice: string = ""): TerminalLine {
  return {
    indent: INDENT,
    spans: [
      { text, tone: "plain" },
      { text: advice, tone: "faint" },
    ],
    wraps: true,
  };
}
