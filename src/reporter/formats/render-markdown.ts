import type { ReportCounts, RunModel } from "../../explain/run-model.ts";
import type { ReportCase } from "../../explain/report-case.ts";
import { groupText, examplesFirst, showsGroups, groupCountsText, shownGroups } from "../../explain/group-lines.ts";
import { runHeadline } from "../../explain/run-headline.ts";
import { needsReview, caseSummary } from "../../explain/tally.ts";
import { diffBlock, fenced } from "./diff-block.ts";
import { outcomeText, wrongOutcomes } from "../../explain/outcome-grid.ts";
import {
  FROM,
  acceptGroupCommand,
  counted,
  duration,
  formatCount,
  reviewLine,
  runnerTexts,
  tokensText,
} from "../../explain/wording.ts";
import { gridTable, htmlLine } from "./grid-table.ts";

/** Marks the comment of an earlier run, so that it can be replaced. */
const MARKER = "<!-- veritest -->";
/** GitHub's limit for the body of a comment, in characters; the step summary allows 1 MiB. */
const GITHUB_LIMIT = 65_536;
/** Bytes reserved for the note on omitted parts and for the end. */
const NOTE_SIZE = 400;
/** Remaining size from which on cases are tried with their differences. */
const SECTION_SIZE = 2000;
/** Sentences and files listed of one kind before the rest is only counted. */
const MAX_LISTED = 10;

const COLUMNS: readonly (readonly [count: keyof ReportCounts, title: string])[] = [
  ["total", "baselines"],
  ["passed", "passed"],
  ["changed", "changed"],
  ["commandsChanged", "commands changed"],
  ["callsChanged", "calls changed"],
  ["schemaViolations", "schema violations"],
  ["requestChanged", "requests not recorded"],
  ["failed", "failed"],
  ["broken", "broken"],
  ["missing", "missing"],
  ["obsolete", "obsolete"],
  ["captured", "captured"],
  ["updated", "updated"],
  ["pending", "pending"],
];

/** Limit for the length of a report. */
export interface MarkdownOptions {
  /** Maximum characters, and maximum bytes of UTF-8. Default: 65,536. */
  readonly limit?: number | undefined;
}

/**
 * Writes a run as a comment of a pull request or a job's summary: its result, a table of counts, pending changes and
 * how to accept them, and each failed case with its differences folded, the worst first. Never exceeds the limit: cases
 * first lose their differences, then their line, and a last line counts both. The first line is always the same
 * comment. A model's text is only in a code element within a block of HTML, which markdown doesn't parse, or in a
 * fenced block. GitHub renders no link, image, mention or HTML there.
 */
export function renderMarkdown(model: RunModel, { limit = GITHUB_LIMIT }: MarkdownOptions = {}): string {
  const sheet = new Sheet(limit);
  sheet.add(`${MARKER}\n`);
  const facts = [duration(model.durationMs), ...runnerWords(model)].join(", ");
  sheet.add(`### veritest: ${runHeadline(model)}\n\n<p>${caseSummary(model.counts)} (${facts}).</p>\n`);
  sheet.reserve(NOTE_SIZE);
  const parts = [
    table(model.counts),
    listed("Problems in this run", model.problems),
    kindsPart(model),
    updatePart(model),
  ].filter((part) => part !== "");
  const cutParts = parts.filter((part) => !sheet.add(`\n${part}`)).length;
  const { without, left } = addCases(examplesFirst(model), sheet);
  const lists = [...fileLists(model.cases), wrongList(model.cases), toleratedList(model.cases), costs(model)].filter(
    (part) => part !== "",
  );
  const cutLists = lists.filter((part) => !sheet.add(`\n${part}`)).length;
  sheet.release();
  sheet.add(cutNote({ without, left, parts: cutParts + cutLists }));
  return sheet.text;
}

/** Adds cases as far as they fit: with their differences while there is space, then as a line, then not at all. */
function addCases(cases: readonly ReportCase[], sheet: Sheet): { readonly without: number; readonly left: number } {
  let without = 0;
  for (const [index, reported] of cases.entries()) {
    // Making the differences of thousands of cases that cannot fit would take longer than the run.
    if (sheet.room > SECTION_SIZE && sheet.add(`\n${caseSection(reported)}`)) continue;
    if (!sheet.add(`\n${caseLine(reported)}`)) return { without, left: cases.length - index };
    without += differences(reported) === "" ? 0 : 1;
  }
  return { without, left: 0 };
}

/** A text that grows up to a limit of bytes; of UTF-16 code units it never has more than of bytes. */
class Sheet {
  text = "";
  #bytes = 0;
  #reserved = 0;
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Bytes that are left. */
  get room(): number {
    return this.#limit - this.#reserved - this.#bytes;
  }

  /** Adds a part completely or not at all. */
  add(part: string): boolean {
    const bytes = Buffer.byteLength(part);
    if (bytes > this.room) return false;
    this.text += part;
    this.#bytes += bytes;
    return true;
  }

  reserve(bytes: number): void {
    this.#reserved = bytes;
  }

  release(): void {
    this.#reserved = 0;
  }
}

function runnerWords({ environment: { runner, shard } }: RunModel): string[] {
  const where = runnerTexts(runner).map((each) => `<code>${htmlLine(each)}</code>`);
  return shard === null ? where : [...where, `shard ${shard.index} of ${shard.count}`];
}

function table(counts: ReportCounts): string {
  const columns = COLUMNS.filter(([count]) => count === "total" || counts[count] > 0);
  const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |\n`;
  return (
    row(columns.map(([, title]) => title)) +
    row(columns.map(() => "---:")) +
    row(columns.map(([count]) => formatCount(counts[count])))
  );
}

function updatePart({ applied, counts: { pending }, environment: { ci } }: RunModel): string {
  const because = listed("Pending", applied?.because ?? []);
  if (pending === 0) return because;
  const read = ci ? "Download the state directory that CI uploaded, read" : "Read";
  const sentence =
    `${counted(pending, "change is", "changes are")} pending. ${read} them, then accept or reject exactly what was ` +
    "shown, without running again:\n\n";
  const commands = fenced("sh", [
    reviewLine(ci ? "upload" : "project"),
    `npx veritest accept --all${ci ? ` ${FROM}` : ""}`,
  ]);
  return `${because}${because === "" ? "" : "\n"}${sentence}${commands}`;
}

/** Kinds of change, if many cases are of few kinds: each with its count, and the command that accepts all of it. */
function kindsPart(model: RunModel): string {
  const { groups, environment } = model;
  const count = groups.reduce((sum, group) => sum + group.count, 0);
  if (!showsGroups(count, groups)) return "";
  const { listed, rest } = shownGroups(groups);
  const items = listed.map((group) => {
    const words = `<code>${htmlLine(groupText(group))}</code> of <code>${htmlLine(group.step)}</code>`;
    const command = acceptGroupCommand(group.id, environment.ci ? "upload" : "project");
    return `<li>${words}${group.pending === 0 ? ` ${group.id}` : `: <code>${htmlLine(command)}</code>`}</li>\n`;
  });
  const more = rest === undefined ? "" : `<li>${rest}</li>\n`;
  return `<p><b>${groupCountsText(groups)}</b></p>\n<ul>\n${items.join("")}${more}</ul>\n`;
}

/** One case with its differences, folded. */
function caseSection(reported: ReportCase): string {
  const block = differences(reported);
  if (block === "") return caseLine(reported);
  return `<details><summary>${caseWords(reported)}</summary>\n\n${locationLine(reported)}${block}\n</details>\n`;
}

function differences(reported: ReportCase): string {
  const { findings } = reported;
  const table = findings === null || findings.grid === null ? "" : gridTable(findings.grid);
  return [diffBlock(reported), table].filter((part) => part !== "").join("\n");
}

function caseLine(reported: ReportCase): string {
  return `<p>${caseWords(reported)}</p>\n`;
}

function caseWords({ kind, step, baseline, findings, updateState }: ReportCase): string {
  const cause = findings === null || findings.cause === null ? "" : `, cause: ${findings.cause.kind}`;
  const pending = updateState === "pending" || updateState === "review" ? ", pending" : "";
  return `<b>${kind}</b> <code>${htmlLine(baseline)}</code> of <code>${htmlLine(step)}</code>${cause}${pending}`;
}

function locationLine({ test, labels }: ReportCase): string {
  const location =
    test === null
      ? []
      : [
          `<code>${htmlLine(test.name)}</code> at ` +
            `<code>${htmlLine(test.file)}${test.line === null ? "" : `:${test.line}`}</code>`,
        ];
  const marks = labels.slice(0, MAX_LISTED).map((label) => `<code>${htmlLine(label)}</code>`);
  const words = [...location, ...(marks.length === 0 ? [] : [`labels ${marks.join(" ")}`])];
  return words.length === 0 ? "" : `<p>${words.join(", ")}</p>\n\n`;
}

function fileLists(cases: readonly ReportCase[]): string[] {
  const of = (title: string, keep: (reported: ReportCase) => boolean): string =>
    folded(
      title,
      cases.filter(keep).map(({ baseline }) => baseline),
    );
  return [
    of("captured: read and commit", ({ updateState }) => updateState === "captured"),
    of("updated: read and commit", ({ updateState }) => updateState === "updated"),
    of("removed: no test used it", ({ updateState }) => updateState === "removed"),
    of("obsolete: no test uses it", ({ kind, updateState }) => kind === "obsolete" && updateState !== "removed"),
  ];
}

/** Wrong outcomes of cases that passed: a user accepted them, and they are still wrong. */
function wrongList(cases: readonly ReportCase[]): string {
  const outcomes = cases
    .filter((reported) => !needsReview(reported))
    .flatMap(({ baseline, findings }) =>
      wrongOutcomes(findings?.grid).map((outcome) => `${baseline} ${outcomeText(outcome)}`),
    );
  return folded("wrong outcomes, accepted in baselines that passed", outcomes);
}

/** Differences that were allowed in cases that passed. Other cases list their own. */
function toleratedList(cases: readonly ReportCase[]): string {
  const differences = cases
    .filter((reported) => !needsReview(reported))
    .flatMap(({ baseline, findings }) =>
      (findings?.tolerated ?? []).map(({ path, label }) => `${baseline} ${path} ${label}`),
    );
  return folded("tolerated in baselines that passed", differences);
}

function costs({ usage, trials }: RunModel): string {
  const words = [
    ...(usage.calls === 0 ? [] : [`${counted(usage.calls, "live call")} ${tokensText(usage)}`]),
    ...(trials === 0 ? [] : [counted(trials, "run of trials", "runs of trials")]),
  ];
  return words.length === 0 ? "" : `${words.join(", ")}\n`;
}

function folded(title: string, texts: readonly string[]): string {
  return texts.length === 0
    ? ""
    : `<details><summary>${formatCount(texts.length)} ${title}</summary>\n${bullets(texts)}</details>\n`;
}

function listed(title: string, texts: readonly string[]): string {
  return texts.length === 0 ? "" : `<p><b>${title}</b></p>\n${bullets(texts)}`;
}

function bullets(texts: readonly string[]): string {
  const items = texts.slice(0, MAX_LISTED).map((text) => `<li><code>${htmlLine(text)}</code></li>\n`);
  const rest = texts.length - MAX_LISTED;
  return `<ul>\n${items.join("")}${rest > 0 ? `<li>… and ${formatCount(rest)} more</li>\n` : ""}</ul>\n`;
}

function cutNote({
  without,
  left,
  parts,
}: {
  readonly without: number;
  readonly left: number;
  readonly parts: number;
}): string {
  const cut = [
    ...(without === 0 ? [] : [`${counted(without, "case")} shown without differences`]),
    ...(left === 0 ? [] : [`${counted(left, "case")} left out`]),
    ...(parts === 0 ? [] : [`${counted(parts, "list")} left out`]),
  ];
  return cut.length === 0
    ? ""
    : `\n<p>Omitted to fit: ${cut.join(", ")}. They are in the other reports of this run.</p>\n`;
}
