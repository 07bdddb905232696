import { el, section, sign } from "./element.js";
import { count, duration, moment, percent, plural } from "./formats.js";
import { say } from "./show-text.js";
import { COUNTS, KINDS, TONES } from "./words.js";

/** @import { PageData } from "../page-data.ts" */
/** @import { ReportCounts, ReportTrials, RunHistoryEntry } from "../../run-model.ts" */
/** @typedef {Record<typeof TONES[number], number>} Tally cases by tone */

/** More bars than this are too thin to see. */
const MAX_RUNS = 30;
/** @type {readonly (keyof ReportCounts)[]} */
const SHARES = [
  "passed",
  "changed",
  "commandsChanged",
  "schemaViolations",
  "diffUnavailable",
  "failed",
  "broken",
  "missing",
  "obsolete",
];

/**
 * No cases of any tone.
 * @returns {Tally}
 */
export function emptyTally() {
  return { ok: 0, warn: 0, bad: 0, info: 0, dim: 0 };
}

/**
 * A bar of stretches, one for each tone there is. It shows what its neighbour says, so it is silent itself.
 * @param {Tally} tally
 * @param {number} full how many make the whole length
 */
export function stackedBar(tally, full) {
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

/** @param {number} share */
function spacer(share) {
  const made = el("span");
  made.style.flexGrow = String(share);
  return made;
}

/**
 * The runs before this one and this one, a bar each; null where there was none before.
 * @param {PageData} data
 */
export function historyPart({ history, model }) {
  const earlier = history.filter(({ startedAt }) => startedAt !== model.startedAt);
  if (earlier.length === 0) return null;
  const runs = [...earlier, model].sort((a, b) => (a.startedAt < b.startedAt ? -1 : 1)).slice(-MAX_RUNS);
  const highest = Math.max(1, ...runs.map(({ counts }) => counts.total));
  const bars = runs.map((run) => runBar({ run, highest, current: run === model }));
  return section(
    { title: `Last ${plural(runs.length, "run")}`, id: "history-title" },
    el(
      "div",
      { class: "history-box" },
      el("ol", { class: "history" }, bars),
      el(
        "p",
        { class: "ends dim" },
        [runs[0], runs.at(-1)].map((run) => el("span", {}, say(moment(run?.startedAt ?? "")))),
      ),
    ),
  );
}

/** @param {{ run: RunHistoryEntry, highest: number, current: boolean }} given */
function runBar({ run, highest, current }) {
  const { counts } = run;
  const tally = emptyTally();
  for (const share of SHARES) tally[toneOf(share)] += counts[share];
  const said = `${moment(run.startedAt)}${current ? " (this run)" : ""}: ${count(counts.passed)} of ${count(counts.total)} passed, ${duration(run.durationMs)}`;
  return el(
    "li",
    { class: `run ${run.status}`, title: said, "aria-current": current && "true" },
    stackedBar(tally, highest),
    el("span", { class: "sr" }, said),
  );
}

/**
 * The tone that a count is shown in.
 * @param {keyof ReportCounts} share
 * @returns {typeof TONES[number]}
 */
export function toneOf(share) {
  const { tone } = COUNTS[share];
  return TONES.find((known) => known === tone) ?? "dim";
}

/**
 * How a case came out over several live runs.
 * @param {ReportTrials} trials
 */
export function trialsPart(trials) {
  const { run, planned, clean, min, interval } = trials;
  const [low, high] = interval;
  const judged = `Judged by these, the true share lies between ${percent(low)} and ${percent(high)} (95 % Wilson interval).`;
  const early = run === planned ? "" : ` of ${count(planned)} planned`;
  return section(
    { title: "Trials", id: "trials-title" },
    el(
      "p",
      {},
      el("strong", {}, `${count(clean)} of ${plural(run, "run")}`),
      `${early} came out as the baseline says; at least ${count(min)} had to. ${judged}`,
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
      "95 % interval ",
      sign("", "key-min"),
      "needed ",
      sign("", "key-fill"),
      "share of runs equal to the baseline",
    ),
    el("p", { class: "dim" }, "How the runs came out: ", classesOf(trials)),
  );
}

/** @param {string} path */
function pathName(path) {
  return path === "" ? el("span", { class: "dim" }, "the whole output") : say(path, { style: "path" });
}

/** @param {ReportTrials} trials */
function wholeRow({ clean, run, min, planned, interval }) {
  const [low, high] = interval;
  const band = el("span", { class: "band" });
  band.style.left = `${100 * low}%`;
  band.style.width = `${100 * Math.max(0, high - low)}%`;
  const needed = el("span", { class: "needed" });
  needed.style.left = `${100 * Math.min(1, min / Math.max(1, planned))}%`;
  return trialRow({ name: el("strong", {}, "the whole case"), equal: clean, of: run }, [band, needed]);
}

/**
 * @param {{ name: Node, equal: number, of: number }} row
 * @param {readonly Node[]} over what lies over the bar
 */
function trialRow({ name, equal, of }, over = []) {
  const share = of === 0 ? 0 : Math.min(1, equal / of);
  const fill = el("span", { class: `share ${share === 1 ? "ok" : "warn"}` });
  fill.style.width = `${100 * share}%`;
  const track = el("span", { class: "track", "aria-hidden": "true" }, fill, over);
  return el(
    "div",
    { class: "trial" },
    el("span", { class: "trial-name" }, name),
    track,
    el("span", {}, `${count(equal)} of ${count(of)}`),
  );
}

/** @param {ReportTrials} trials */
function classesOf({ classes }) {
  const known = new Map(Object.entries(classes));
  const told = Object.entries(KINDS).filter(([kind]) => known.has(kind));
  return told.map(([kind, { word }]) => `${count(known.get(kind) ?? 0)} ${word.toLowerCase()}`).join(", ");
}
