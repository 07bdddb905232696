import { SEVERITY } from "../../check/verdict.ts";
import { exampleGroup } from "../../explain/change-groups.ts";
import { showsGroups, shownGroups } from "../../explain/group-lines.ts";
import { groupFooter, groupHeadline, groupLine } from "./terminal-groups.ts";
import type { ReportGroup, RunModel } from "../../explain/run-model.ts";
import type { ReportCase } from "../../explain/report-case.ts";
import { caseLines } from "./case-lines.ts";
import { type Screen, type TerminalLine, drawLine } from "../../explain/terminal-line.ts";
import { totalLines } from "./text-totals.ts";
import { acceptGroupCommand, counted } from "../../explain/wording.ts";
import { casesByStep, needsReview, worstFirst } from "../../explain/tally.ts";

/** Screen of a run, and whether it shows each case or one of each group. */
export interface TextOptions extends Screen {
  readonly all?: boolean;
}

/**
 * Maximum number of cases of one step, and of all, before the rest is only counted. The summary below must stay in
 * view.
 */
const MAX_PER_STEP = 20;
const MAX_CASES = 60;

/**
 * Renders a run for a terminal. Lists cases that need review by step, the worst first. If many cases are of few kinds,
 * lists the kinds instead, with an example of each, the riskiest first. Then come the run in one sentence, pending
 * changes, and the cost of live calls. No line is wider than `columns` cells (20 at least). Escape sequences only with
 * `colors`. No lines for a run without baselines and problems.
 */
export function renderText(model: RunModel, { columns, colors, all = false }: TextOptions): string[] {
  if (model.cases.length + model.problems.length === 0 && model.applied === null) return [];
  const screen = { columns: Number.isFinite(columns) && columns > 0 ? Math.trunc(columns) : 80, colors };
  const failing = model.cases.filter(needsReview).length;
  const groups = lookedGroups(model);
  const lines =
    showsGroups(failing, groups) && !all
      ? groupedLines(model, groups, screen.columns)
      : stepLines(model, { columns: screen.columns, most: all ? Infinity : MAX_CASES });
  return [...lines, ...totalLines(model)].flatMap((line) => drawLine(line, screen));
}

/** The groups of what needs a look; obsolete baselines are listed at the end. */
function lookedGroups({ groups }: RunModel): readonly ReportGroup[] {
  return groups.filter(({ kind }) => kind !== "obsolete");
}

function groupedLines(model: RunModel, groups: readonly ReportGroup[], columns: number): TerminalLine[] {
  const { listed } = shownGroups(groups);
  const pending = exampleGroup(groups, (group) => group.pending > 0);
  const location = model.environment.ci ? "upload" : "project";
  const accept = pending === undefined ? undefined : acceptGroupCommand(pending.id, location);
  const examples = listed.flatMap((group) => {
    const example = model.cases[group.cases[0] ?? 0];
    return example === undefined
      ? []
      : [groupLine(group, `  ${group.step}`), ...caseLines(example, columns), note("", 0)];
  });
  return [groupHeadline(groups), note("", 0), ...examples, ...groupFooter(groups, accept)];
}

function stepLines(
  model: RunModel,
  { columns, most }: { readonly columns: number; readonly most: number },
): TerminalLine[] {
  const steps = [...casesByStep(model)]
    .map(([step, cases]) => ({ step, total: cases.length, failing: worstFirst(cases.filter(needsReview)) }))
    .filter(({ failing }) => failing.length > 0)
    .toSorted((a, b) => worst(a.failing) - worst(b.failing));
  const lines: TerminalLine[] = [];
  let remaining = most;
  for (const [index, { step, total, failing }] of steps.entries()) {
    const visible = failing.slice(0, Math.min(most === Infinity ? most : MAX_PER_STEP, remaining));
    if (visible.length === 0)
      return [...lines, note(`… and ${counted(steps.length - index, "more step")}`, 0), note("", 0)];
    remaining -= visible.length;
    const rest = failing.length - visible.length;
    lines.push({
      indent: 0,
      spans: [
        { text: step, tone: "strong" },
        { text: `: ${failing.length} of ${counted(total, "baseline")} to review`, tone: "plain" },
      ],
    });
    lines.push(
      ...visible.flatMap((reported) => caseLines(reported, columns)),
      ...(rest > 0 ? [note(`… and ${counted(rest, "more baseline")}`, 2)] : []),
      note("", 0),
    );
  }
  return lines;
}

function worst(cases: readonly ReportCase[]): number {
  return Math.min(...cases.map(({ kind }) => SEVERITY[kind]));
}

function note(text: string, indent: number): TerminalLine {
  return { indent, spans: [{ text, tone: "faint" }] };
}
