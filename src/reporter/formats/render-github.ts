import { join } from "node:path";
import type { RunModel } from "../../explain/run-model.ts";
import type { ReportCase } from "../../explain/report-case.ts";
import { examplesFirst, groupText, showsGroups } from "../../explain/group-lines.ts";
import { caseStatus } from "../../explain/tally.ts";
import { plainLine, plainLines } from "../../explain/plain-lines.ts";
import { counted } from "../../explain/wording.ts";

/**
 * GitHub shows at most 10 errors and 10 warnings of a step, and drops the rest in silence
 * (github.com/actions/toolkit, pull request 734).
 */
const MAX_SHOWN = 10;
/** Changes of one case: an annotation is a hint, the report has the rest. */
const MAX_CHANGES = 3;

interface Annotation {
  readonly file: string | undefined;
  readonly line: number | undefined;
  readonly title: string;
  readonly message: string;
}

/**
 * Writes a run as workflow commands of GitHub Actions, a line each. Problems of the run and failed cases are errors, at
 * the assertion that checked them, the worst or one of each kind first. Obsolete baselines are warnings. A notice
 * counts those that GitHub wouldn't show. If the runner annotates failed tests, their cases have no second annotation.
 * Empty if there is nothing to report. A text can't end its property or its line, or begin a command.
 */
export function renderGithub(
  model: RunModel,
  { root, isAnnotated = false }: { readonly root?: string | undefined; readonly isAnnotated?: boolean } = {},
): string {
  const { cases, problems } = model;
  const failing = examplesFirst(model).filter(({ test }) => !isAnnotated || test === null);
  const kinds = kindsByExample(model, failing.length);
  const obsolete = cases.filter(
    (reported) => caseStatus(reported) === "obsolete" && reported.updateState !== "removed",
  );
  const errors = [
    ...problems.slice(0, MAX_SHOWN).map(problemAnnotation),
    ...failing.slice(0, MAX_SHOWN).map((reported) => caseAnnotation(reported, kinds.get(reported))),
  ].slice(0, MAX_SHOWN);
  const warnings = obsolete.slice(0, MAX_SHOWN).map(obsoleteAnnotation);
  return [
    ...errors.map((annotation) => command("error", inRoot(annotation, root))),
    ...warnings.map((annotation) => command("warning", inRoot(annotation, root))),
    ...notice(problems.length + failing.length - errors.length, obsolete.length - warnings.length),
  ].join("");
}

/** Returns an annotation with the absolute path of its file. */
function inRoot(annotation: Annotation, root: string | undefined): Annotation {
  const { file } = annotation;
  return root === undefined || file === undefined ? annotation : { ...annotation, file: join(root, file) };
}

function problemAnnotation(problem: string): Annotation {
  return { file: undefined, line: undefined, title: "veritest: the run", message: plainLine(problem) };
}

/** Text that an example of a kind shows about the others of it, if many cases are of few kinds. */
function kindsByExample({ cases, groups }: RunModel, failing: number): ReadonlyMap<ReportCase, string> {
  const kinds = new Map<ReportCase, string>();
  if (!showsGroups(failing, groups)) return kinds;
  for (const group of groups) {
    const example = cases[group.cases[0] ?? 0];
    if (example !== undefined && group.count > 1)
      kinds.set(example, plainLine(`${group.id}: ${groupText(group)}, this is one of them`));
  }
  return kinds;
}

function caseAnnotation(reported: ReportCase, kindOfChange: string | undefined): Annotation {
  const { kind, step, baseline, test } = reported;
  const more = kindOfChange === undefined ? [] : [kindOfChange];
  const message = [plainLine(baseline), ...more, ...plainLines(reported, MAX_CHANGES)].join("\n");
  return {
    file: test?.file ?? baseline,
    line: test?.line ?? undefined,
    title: `veritest: ${kind} in ${plainLine(step)}`,
    message,
  };
}

function obsoleteAnnotation({ step, baseline }: ReportCase): Annotation {
  const message = `${plainLine(baseline)}\nNo test uses it. Remove it with -u, or delete the file.`;
  return { file: baseline, line: 1, title: `veritest: obsolete in ${plainLine(step)}`, message };
}

function notice(errors: number, warnings: number): string[] {
  const rest = [
    ...(errors === 0 ? [] : [counted(errors, "more error")]),
    ...(warnings === 0 ? [] : [counted(warnings, "more warning")]),
  ];
  if (rest.length === 0) return [];
  const message = `${rest.join(" and ")} not shown here: see the run's summary.`;
  return [command("notice", { file: undefined, line: undefined, title: "veritest", message })];
}

function command(name: "error" | "warning" | "notice", { file, line, title, message }: Annotation): string {
  const properties = [
    ...(file === undefined ? [] : [`file=${property(plainLine(file))}`]),
    ...(line === undefined ? [] : [`line=${line}`]),
    `title=${property(title)}`,
  ];
  return `::${name} ${properties.join(",")}::${data(message)}\n`;
}

/** As the runner of GitHub Actions reads it back (its ActionCommand). */
function data(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
