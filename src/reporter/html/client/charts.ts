import { el, section, sign } from "./element.ts";
import { counted, formatCount } from "../../../explain/wording.ts";
import { COUNT_LABELS, CLASS_LABELS, TONES } from "./labels.ts";
import { untrustedText } from "./show-text.ts";
import type { ReportCounts } from "../../../explain/run-model.ts";
import type { ReportTrials } from "../../../explain/report-case.ts";

/** cases by tone */
export type Tally = Record<(typeof TONES)[number], number>;

/** No cases of any tone. */
export function emptyTally(): Tally {
  return { ok: 0, warn: 0, bad: 0, info: 0, dim: 0 };
}

/**
 * A bar with a stretch for each tone. Hidden from screen readers, because its neighbour shows the same as text. `full`:
 * count of the full length
 */
export function stackedBar(tally: Tally, full: number) {
  const bar = el("span", { class: "bar", "aria-hidden": "true" });
  for (const tone of TONES) {
    if (tally[tone] === 0) continue;
    const stretch = el("span", { class: `fill ${tone}` });
    stretch.style.flexGrow = String(tally[tone]);
    bar.append(stretch);
  }
  const rest = Object.values(tally).reduce((left, cases) => left - cases, full);
  if (rest > 0) bar.append(spacer(rest));
  return bar;
}

function spacer(share: number) {
  const made = el("span");
  made.style.flexGrow = String(share);
  return made;
}

/** Tone of a count. */
export function toneOf(share: keyof ReportCounts): (typeof TONES)[number] {
  const { tone } = COUNT_LABELS[share];
  return TONES.find((known) => known === tone) ?? "dim";
}

/** Results of a case over several live runs. */
export function trialsPart(trials: ReportTrials) {
  const { run, planned, clean, min, interval } = trials;
  const [low, high] = interval;
  const range = `between ${percent(low)} and ${percent(high)} (95 % Wilson interval)`;
  const judged = `With more runs, the share is probably ${range}.`;
  const early = run === planned ? "" : ` of ${formatCount(planned)} planned`;
  return section(
    { title: "Trials", id: "trials-title" },
    el(
      "p",
      {},
      el("strong", {}, `${formatCount(clean)} of ${counted(run, "run")}`),
      `${early} matched the baseline; at least ${formatCount(min)} were required. ${judged}`,
    ),
    el(
      "div",
      { class: "trials" },
      wholeRow(trials),
      trials.unstable.map(({ path, equal, of }) => trialRow({ name: pathName(path), equal, of })),
    ),
    el(
      "p",
      { class: "key dim" },
      sign("", "key-band"),
      "95% interval ",
      sign("", "key-min"),
      "needed ",
      sign("", "key-fill"),
      "share of runs equal to the baseline",
    ),
    el("p", { class: "dim" }, "Results of the runs: ", classesOf(trials)),
  );
}

/** `17 %`, of a share from 0 to 1. */
function percent(share: number) {
  return `${Math.round(share * 100)} %`;
}

function pathName(path: string) {
  return path === "" ? el("span", { class: "dim" }, "the complete output") : untrustedText(path, { style: "path" });
}

function wholeRow({ clean, run, min, planned, interval }: ReportTrials) {
  const [low, high] = interval;
  const band = el("span", { class: "band" });
  band.style.left = `${100 * low}%`;
  band.style.width = `${100 * Math.max(0, high - low)}%`;
  const needed = el("span", { class: "needed" });
  needed.style.left = `${100 * Math.min(1, min / Math.max(1, planned))}%`;
  return trialRow({ name: el("strong", {}, "the complete case"), equal: clean, of: run }, [band, needed]);
}

/** `over`: nodes above the bar */
function trialRow({ name, equal, of }: { name: Node; equal: number; of: number }, over: readonly Node[] = []) {
  const share = of === 0 ? 0 : Math.min(1, equal / of);
  const fill = el("span", { class: `share ${share === 1 ? "ok" : "warn"}` });
  fill.style.width = `${100 * share}%`;
  const track = el("span", { class: "track", "aria-hidden": "true" }, fill, over);
  return el(
    "div",
    { class: "trial" },
    el("span", { class: "trial-name" }, name),
    track,
    el("span", {}, `${formatCount(equal)} of ${formatCount(of)}`),
  );
}

function classesOf({ classes }: ReportTrials) {
  const known = new Map(Object.entries(classes));
  const listed = Object.entries(CLASS_LABELS).filter(([kind]) => known.has(kind));
  return listed.map(([kind]) => `${formatCount(known.get(kind) ?? 0)} ${kind}`).join(", ");
}
