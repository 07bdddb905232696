import type { RunModel } from "../../explain/run-model.ts";
import type { ReportCase } from "../../explain/report-case.ts";
import { type CaseStatus, caseStatus, casesByStep } from "../../explain/tally.ts";
import { outcomeText, wrongOutcomes } from "../../explain/outcome-grid.ts";
import { SEPARATOR, runnerTexts } from "../../explain/wording.ts";
import { plainLine, plainLines } from "../../explain/plain-lines.ts";
import { shownText } from "../../explain/shown-text.ts";

/** Wrong outcomes that are properties of a case. */
const MAX_WRONG = 50;
/** Changes of one case: who reads them there has no other page at hand. */
const MAX_CHANGES = 50;

type Element = "failure" | "error" | "skipped";

const ELEMENTS: Readonly<Record<CaseStatus, Element | undefined>> = {
  passed: undefined,
  changed: "failure",
  commandsChanged: "failure",
  callsChanged: "failure",
  schemaViolations: "failure",
  requestChanged: "failure",
  missing: "failure",
  obsolete: "skipped",
  failed: "error",
  broken: "error",
};

/** A test case, or the run itself, as a suite lists it. */
interface Listed {
  readonly element: Element | undefined;
  readonly seconds: number;
  readonly xml: string;
}

/**
 * Writes a run as JUnit XML: a suite for each step, a test case for each check of a baseline, one more for problems of
 * the run itself. `failure` is for changed or missing baselines, `error` for failed or broken ones, `skipped` for
 * obsolete ones. Jenkins, GitLab and the reporters of GitHub read this shape (github.com/testmoapp/junitxml):
 * properties come before the result, names are unique within a suite because GitLab keeps only the first of two, and
 * times are in seconds. Characters that XML 1.0 can't contain are shown as `\uXXXX`.
 */
export function renderJunit(model: RunModel): string {
  const ids = new Map(model.groups.flatMap(({ id, cases }) => cases.map((at) => [model.cases[at], id] as const)));
  const suites = [...casesByStep(model)].map(([step, cases]) => suite(step, listCases(step, cases, ids), model));
  const all = [
    ...suites,
    ...(model.problems.length === 0 ? [] : [suite("veritest", [listProblems(model.problems)], model)]),
  ];
  const totals = attributes({
    name: "veritest",
    ...sums(all.flatMap(({ listed }) => listed)),
    time: seconds(model.durationMs),
  });
  const body = all.map(({ xml }) => xml).join("");
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites${totals}>\n${body}</testsuites>\n`;
}

function suite(
  name: string,
  listed: readonly Listed[],
  { startedAt, environment }: RunModel,
): { readonly listed: readonly Listed[]; readonly xml: string } {
  const { veritest, runner, node, platform, adapterMode } = environment;
  const own = properties("    ", [
    ["veritest", veritest],
    ...(runner === null ? [] : [["runner", runnerTexts(runner).join(SEPARATOR)] as const]),
    ["node", node],
    ["platform", platform],
    ...(adapterMode === null ? [] : [["adapterMode", adapterMode] as const]),
  ]);
  const time = listed.reduce((sum, element) => sum + element.seconds, 0).toFixed(3);
  const head = attributes({ name: plainLine(name), ...sums(listed), time, timestamp: startedAt.slice(0, 19) });
  return { listed, xml: `  <testsuite${head}>\n${own}${listed.map(({ xml }) => xml).join("")}  </testsuite>\n` };
}

/** Group of each case. */
type GroupIds = ReadonlyMap<ReportCase | undefined, string>;

function listCases(step: string, cases: readonly ReportCase[], ids: GroupIds): Listed[] {
  const names = new Set<string>();
  return cases.map((reported) => {
    const name = uniqueName(reported, names);
    names.add(name);
    return listCase(reported, { name, classname: plainLine(step) }, ids.get(reported));
  });
}

/** The baseline, with its test if two tests check it, and with a number if the test is the same, too. */
function uniqueName({ baseline, test }: ReportCase, names: ReadonlySet<string>): string {
  const plain = plainLine(baseline);
  if (!names.has(plain)) return plain;
  const named = test === null ? plain : `${plain} (${plainLine(test.name)})`;
  let name = named;
  for (let number = 2; names.has(name); number += 1) name = `${named} #${number}`;
  return name;
}

function listCase(
  reported: ReportCase,
  names: { readonly name: string; readonly classname: string },
  group: string | undefined,
): Listed {
  const { kind, updateState, source, labels, findings, test, baseline, durationMs } = reported;
  const element = ELEMENTS[caseStatus(reported)];
  const own = properties("      ", [
    ["class", kind],
    ["updateState", updateState],
    ...(group === undefined ? [] : [["group", group] as const]),
    ...(findings === null || findings.cause === null ? [] : [["cause", findings.cause.kind] as const]),
    ...(source === null ? [] : [["source", source] as const]),
    ...labels.map((label) => ["label", label] as const),
    // A passed case shows them only here.
    ...wrongOutcomes(findings?.grid)
      .slice(0, MAX_WRONG)
      .map((outcome) => ["wrong", outcomeText(outcome)] as const),
  ]);
  const lines = plainLines(reported, MAX_CHANGES);
  const result =
    element === undefined ? "" : resultElement(element, kind, kind === "obsolete" ? ["No test uses it."] : lines);
  const location = {
    file: plainLine(test?.file ?? baseline),
    ...(test === null || test.line === null ? {} : { line: String(test.line) }),
  };
  const head = attributes({ ...names, ...location, time: seconds(durationMs ?? 0) });
  return { element, seconds: (durationMs ?? 0) / 1000, xml: `    <testcase${head}>\n${own}${result}    </testcase>\n` };
}

function listProblems(problems: readonly string[]): Listed {
  const result = resultElement("error", "problem", problems.map(plainLine));
  const named = attributes({ name: "the run", classname: "veritest", time: "0.000" });
  return { element: "error", seconds: 0, xml: `    <testcase${named}>\n${result}    </testcase>\n` };
}

/** GitLab shows the content first and Jenkins the message, so the content has all of it. */
function resultElement(element: Element, type: string, lines: readonly string[]): string {
  const opened = `<${element}${attributes({ type, message: lines[0] ?? type })}>`;
  return `      ${opened}${escapeXml(lines.join("\n") || type)}</${element}>\n`;
}

function properties(margin: string, pairs: readonly (readonly [name: string, value: string])[]): string {
  const lines = pairs.map(
    ([name, value]) => `${margin}  <property${attributes({ name, value: plainLine(value) })}/>\n`,
  );
  return `${margin}<properties>\n${lines.join("")}${margin}</properties>\n`;
}

function sums(listed: readonly Listed[]): Readonly<Record<string, string>> {
  const of = (element: Element): string => String(listed.filter((testCase) => testCase.element === element).length);
  return { tests: String(listed.length), failures: of("failure"), errors: of("error"), skipped: of("skipped") };
}

function attributes(named: Readonly<Record<string, string>>): string {
  return Object.entries(named)
    .map(([name, value]) => ` ${name}="${escapeXml(value)}"`)
    .join("");
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(3);
}

function escapeXml(text: string): string {
  return shownText(text).replace(/[&<>"'\t]/g, (character) => `&#${character.charCodeAt(0)};`);
}
