import { type Tally, emptyTally, stackedBar, toneOf } from "./charts.ts";
import { button, byId, el, section } from "./element.ts";
import { classWords, isDangerous } from "./class-badge.ts";
import { addressable, causesOf, groupIndexes } from "./filters.ts";
import { isViewed } from "./viewed.ts";
import { counted, duration, formatCount, tokensText } from "../../../explain/wording.ts";
import { moment, CAUSE_LABELS } from "./labels.ts";
import { untrustedText } from "./show-text.ts";
import type { PageData } from "../page-data.ts";
import type { RunModel } from "../../../explain/run-model.ts";

/** Maximum number of steps before the rest is behind a button. */
const MAX_STEPS = 8;

/** Maximum number of groups in the rail. */
const MAX_GROUPS = 12;

/** Rail of the page: progress, groups, steps and causes. A wide screen shows it next to the list and to a case. */
export function rail(data: PageData) {
  return el(
    "nav",
    { id: "rail", "aria-label": "Overview" },
    el("div", { id: "progress" }),
    groupsPart(data),
    stepsPart(data),
    causesPart(data.model),
  );
}

/** The runs before this one, and what it ran on. */
export function overview(data: PageData) {
  return el("div", { class: "columns" }, runPart(data.model));
}

/** Shows in the rail how many of the cases to look at were viewed. */
export function showViewedCount({ statuses, marks }: PageData) {
  const open = marks.filter((_, index) => statuses[index] !== "passed");
  if (open.length === 0) return;
  const viewed = open.filter(isViewed).length;
  const text = `${formatCount(viewed)} of ${formatCount(open.length)} viewed`;
  byId("progress").replaceChildren(el("p", {}, text), stackedBar({ ...emptyTally(), ok: viewed }, open.length));
}

function groupsPart({ model }: PageData) {
  const groups = model.groups.slice(0, MAX_GROUPS);
  if (groups.length === 0) return null;
  const rest = model.groups.length - groups.length;
  const rows = groups.map((group) => {
    const { word, tone } = classWords(group.kind, group);
    const link = { class: "rail-group", href: "#", "data-key": "group", "data-value": group.id };
    const name = el("span", { class: "dim" }, untrustedText(group.step, { limit: 60 }));
    return el(
      "li",
      {},
      el(
        "a",
        link,
        el("span", { class: `rail-word ${tone}` }, word),
        " ",
        name,
        el("strong", {}, formatCount(group.count)),
      ),
    );
  });
  return section(
    { title: counted(model.groups.length, "group of changes", "groups of changes"), id: "groups-title" },
    el("ul", { class: "rail-groups" }, rows),
    rest === 0 ? null : el("p", { class: "dim" }, `${formatCount(rest)} more in the list`),
  );
}

function stepsPart({ model, statuses }: PageData) {
  const steps: Map<string, { tally: Tally; total: number }> = new Map();
  const groups = groupIndexes(model);
  for (const [index, { step, kind }] of model.cases.entries()) {
    const counts = steps.get(step) ?? { tally: emptyTally(), total: 0 };
    const group = model.groups[groups.get(index) ?? -1] ?? null;
    counts.tally[isDangerous(kind, group) ? "bad" : toneOf(statuses[index] ?? "passed")]++;
    counts.total++;
    steps.set(step, counts);
  }
  if (steps.size === 0) return null;
  const rows = [...steps].sort(([, a], [, b]) => open(b) - open(a)).map(([step, counts]) => stepRow(step, counts));
  const list = el("ul", { class: "steps" }, rows.slice(0, MAX_STEPS));
  const rest = rows.slice(MAX_STEPS);
  const more =
    rest.length === 0
      ? null
      : button(`Show ${counted(rest.length, "more step")}`, (event) => {
          list.append(...rest);
          if (event.currentTarget instanceof HTMLElement) event.currentTarget.remove();
        });
  return section({ title: counted(steps.size, "step"), id: "steps-title" }, list, more);
}

function open({ tally, total }: { tally: Tally; total: number }) {
  return total - tally.ok;
}

function stepRow(step: string, { tally, total }: { tally: Tally; total: number }) {
  const left = open({ tally, total });
  const text =
    left === 0
      ? `all ${formatCount(total)} passed`
      : [`${formatCount(left)} of ${formatCount(total)}`, el("span", { class: "sr" }, " to review")];
  const filter = { class: "step", href: "#", "data-key": "step", "data-value": addressable(step) };
  const name = el("span", { class: "step-name" }, untrustedText(step, { limit: 120 }));
  return el("li", {}, el("a", filter, name, el("span", { class: "step-said" }, text), stackedBar(tally, total)));
}

function causesPart({ cases }: RunModel) {
  const causes = cases.flatMap(causesOf);
  if (causes.length === 0) return null;
  const chips = Object.entries(CAUSE_LABELS).flatMap(([cause, { word, means }]) => {
    const times = causes.filter((other) => other === cause).length;
    return times === 0
      ? []
      : [
          el(
            "li",
            {},
            el(
              "a",
              { class: "chip", href: "#", title: means, "data-key": "cause", "data-value": cause },
              word,
              " ",
              el("strong", {}, formatCount(times)),
            ),
          ),
        ];
  });
  return section({ title: "Why", id: "why-title" }, el("ul", { class: "chips" }, chips));
}

function runPart(model: RunModel) {
  const { cases, environment, startedAt, durationMs, usage, trials, applied } = model;
  const receipt = applied?.receipt ?? null;
  const { veritest, runner, node, platform, ci, adapterMode, shard, source } = environment;
  const { commit = null, branch = null, pullRequest = null, command = null } = source ?? {};
  const live = cases.filter(({ source }) => source === "live").length;
  const facts: (readonly [string, string])[] = [
    ...(commit === null ? [] : [["Commit", commit.slice(0, 12)] as const]),
    ...(branch === null ? [] : [["Branch", branch] as const]),
    ...(pullRequest === null ? [] : [["Pull request", pullRequest] as const]),
    ...(command === null ? [] : [["Command", command] as const]),
    ["Started", moment(startedAt)],
    ["Took", duration(durationMs)],
    ["Runner", runner === null ? "veritest command line" : `${runner.name} ${runner.version}`],
    [
      "On",
      `Node ${node}, ${platform}${ci ? ", CI" : ""}${shard === null ? "" : `, shard ${shard.index} of ${shard.count}`}`,
    ],
    ["Adapter mode", adapterMode ?? "set by each test"],
    ...(live + usage.calls === 0 ? [] : [["Live", liveWords(live, usage)] as const]),
    ...(trials === 0 ? [] : [["Trials", counted(trials, "live run")] as const]),
    ...(receipt === null ? [] : [["Receipt", receipt] as const]),
    ["veritest", veritest],
  ];
  return section(
    { title: "This run", id: "run-title" },
    el(
      "dl",
      { class: "facts" },
      facts.map(([name, value]) => [el("dt", {}, name), el("dd", {}, untrustedText(value))]),
    ),
  );
}

/** A live answer need not be a model's: only those whose tokens are known were counted. */
function liveWords(live: number, { calls, ...tokens }: RunModel["usage"]) {
  const baselines = live === 0 ? [] : [`${counted(live, "baseline")} with live responses`];
  const models = calls === 0 ? [] : [`${counted(calls, "model call")} ${tokensText(tokens)}`];
  return [...baselines, ...models].join("; ") || "no live calls";
}
