import { printDocument } from "../terminal/print.ts";
import { caseLines } from "../../reporter/formats/case-lines.ts";
import { ProgressLine } from "../../reporter/formats/progress-line.ts";
import { type TerminalLine, drawLine } from "../../explain/terminal-line.ts";
import { groupLines } from "../../reporter/formats/terminal-groups.ts";
import { Grouping, exampleGroup } from "../../explain/change-groups.ts";
import { showsGroups } from "../../explain/group-lines.ts";
import { acceptGroupCommand } from "../../explain/wording.ts";
import { readFlag } from "../../kernel/environment.ts";
import { isCi } from "../../kernel/write-policy.ts";
import { shapedCase } from "../../reporter/build-run-model.ts";
import { totalLines } from "../../reporter/formats/text-totals.ts";
import type { ReportCounts, RunModel } from "../../explain/run-model.ts";
import type { ReportCase } from "../../explain/report-case.ts";
import { caseSummary, isPending } from "../../explain/tally.ts";
import type { CliIo } from "../terminal/io.ts";
import { usesColors } from "../../explain/uses-colors.ts";

/** Width of the labels at the end of a report. */
const INDENT = " ".repeat(13);
/** Number of cases shown before only one per group is. */
const FIRST = 5;
/** Default width if the terminal doesn't report one. */
const COLUMNS = 100;

/** Screen of a running check: shows cases that need attention at once, and the progress below them. */
export class CheckScreen {
  readonly #io: CliIo;
  readonly #progress: ProgressLine;
  readonly #total: number;
  #done = 0;
  #changed = 0;
  readonly #all: boolean;
  /** True while the first case of a group isn't shown yet. */
  readonly #kinds = new Grouping<boolean>(1);
  readonly #steps = new Set<string>();

  /**
   * `total` returns the number of cases; it's only called if a person sees the screen. With `all` each case is shown,
   * instead of one per group.
   */
  constructor(io: CliIo, total: () => number, all: boolean = false) {
    this.#io = io;
    this.#all = all || readFlag(io.environment, "VERITEST_VERBOSE");
    this.#progress = new ProgressLine(io.stderr, () => performance.now());
    this.#total = io.stderr.isTTY === true ? total() : 0;
  }

  /** Counts one more finished case. */
  step(): void {
    this.#done += 1;
    this.#progress.update({ done: this.#done, total: this.#total, changed: this.#changed });
  }

  /** Shows a case that needs attention: the first few, then the first of each group. */
  printCase(reportCase: ReportCase): void {
    this.#changed += 1;
    this.#steps.add(reportCase.step);
    const isNew = this.#kinds.add(shapedCase(reportCase), isPending(reportCase));
    if (isNew || this.#all || this.#changed <= FIRST) this.#draw(caseLines(reportCase, this.#columns()));
  }

  /** Clears the progress line before other output. */
  clear(): void {
    this.#progress.clear();
  }

  /** Shows the result, with the counts of each step if there are several. `more` are sentences below it. */
  end(
    model: RunModel,
    {
      steps,
      more,
      earlier,
    }: {
      readonly steps: ReadonlyMap<string, ReportCounts>;
      readonly more: readonly string[];
      /** Number of changes that are pending from earlier runs. */
      readonly earlier: number;
    },
  ): void {
    const each =
      steps.size < 2
        ? []
        : [...steps]
            .toSorted(([a], [b]) => (a < b ? -1 : 1))
            .map(([step, counts]) => plain(`${INDENT}${step}: ${caseSummary(counts)}`));
    const gap = this.#changed === 0 ? [] : [plain("")];
    this.#draw([
      ...gap,
      ...this.#groupLines(),
      ...totalLines(model, earlier),
      ...each,
      ...more.map((line) => ({ ...plain(line), indent: INDENT.length, wraps: true })),
    ]);
  }

  #groupLines(): TerminalLine[] {
    const groups = this.#kinds.groups();
    if (!showsGroups(this.#changed, groups)) return [];
    const location = isCi(this.#io.environment) ? "upload" : "project";
    const group = exampleGroup(groups, ({ members }) => members[0] === true);
    const accept = group === undefined ? undefined : acceptGroupCommand(group.id, location);
    return groupLines(groups, { steps: this.#steps.size > 1, accept });
  }

  #draw(lines: readonly TerminalLine[]): void {
    this.clear();
    const screen = {
      columns: this.#columns(),
      colors: usesColors(this.#io.stdout.isTTY, this.#io.environment),
    };
    const rendered = lines.flatMap((line) => drawLine(line, screen));
    if (rendered.length > 0) printDocument(this.#io, `${rendered.join("\n")}\n`);
  }

  #columns(): number {
    // Some terminals report a width of 0.
    const { columns = 0 } = this.#io.stdout;
    return columns > 0 ? columns : COLUMNS;
  }
}

function plain(text: string): TerminalLine {
  return { indent: 0, spans: [{ text, tone: "plain" }] };
}
