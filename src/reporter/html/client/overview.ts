import { type Tally, emptyTally, historyPart, stackedBar, toneOf } from "./charts.ts";
import { button, el, section, sign } from "./element.ts";
import { addressable, causesOf } from "./filters.ts";
import { counted, duration, grouped } from "../../../explain/wording.ts";
import { moment } from "./formats.ts";
import { sayText } from "./show-text.ts";
import { CAUSES, COUNTS } from "./words.ts";
import type { PageData } from "../page-data.ts";
import type { RunModel } from "../../run-model.ts";

/** Steps shown at once; the rest is a button away. */
const MAX_STEPS = 8;
/** The counts in the order of telling; one without cases is left out, but for the first two. */
const NAMES = [
  "total",
  "passed",
  "changed",
  "commandsChanged",
  "callsChanged",
  "schemaViolations",
  "diffUnavailable",
  "failed",
  "broken",
  "missing",
  "obsolete",
  "captured",
  "updated",
  "waiting",
] as const;
const STATUS = {
  pass: { tone: "ok", icon: "✓" },
  fail: { tone: "warn", icon: "≠" },
  error: { tone: "bad", icon: "✕" },
};
const NOTHING = { tone: "info", icon: "–" };

/** What the run came to, in a sentence, in counts and by step. */
export function overview(data: PageData) {
  const { model } = data;
  if (model.cases.length === 0) return [verdict(model), remarks(model), historyPart(data), runPart(model)];
  return [
    verdict(model),
    remarks(model),
    tiles(model),
    el(
      "div",
      { class: "columns" },
      el("div", {}, stepsPart(data), causesPart(model)),
      el("div", {}, historyPart(data), runPart(model)),
    ),
  ];
}

function verdict(model: RunModel) {
  const { tone, icon } = model.cases.length === 0 && model.status === "pass" ? NOTHING : STATUS[model.status];
  const summary = model.cases.length === 0 ? "No test of this run compared anything with a baseline." : model.summary;
  return el(
    "div",
    { class: `verdict ${tone}` },
    sign(icon, "verdict-sign"),
    el("div", {}, el("h1", {}, headline(model)), el("p", { class: "summary" }, sayText(summary, { limit: 1000 }))),
  );
}

/** The run in plain words: `1 of 12 baselines changed`. */
export function headline({ counts, problems }: RunModel) {
  const { total, passed, changed, commandsChanged, callsChanged, obsolete, waiting } = counts;
  const open = total - passed;
  const of = `${grouped(open)} of ${counted(total, "baseline")}`;
  if (total === 0) return problems.length > 0 ? "The run had a problem" : "No baselines were checked";
  if (open === 0 && problems.length > 0) return "The baselines passed, but the run had a problem";
  if (open === 0 && waiting > 0) return `${counted(waiting, "change waits", "changes wait")} for review`;
  if (open === 0) return total === 1 ? "The one baseline passed" : `All ${grouped(total)} baselines passed`;
  if (open === changed + commandsChanged + callsChanged) return `${of} changed`;
  if (open === obsolete) return `${of} ${open === 1 ? "is" : "are"} obsolete`;
  return `${of} ${open === 1 ? "needs" : "need"} a look`;
}

function remarks({ problems, settlement }: RunModel) {
  const because = settlement?.because ?? [];
  if (problems.length + because.length === 0) return null;
  return el(
    "ul",
    { class: "remarks" },
    problems.map((problem) =>
      el("li", { class: "bad" }, el("strong", {}, "Problem "), sayText(problem, { limit: 4000, manner: "prose" })),
    ),
    because.map((reason) =>
      el("li", { class: "warn" }, el("strong", {}, "Held "), sayText(reason, { limit: 4000, manner: "prose" })),
    ),
  );
}

function tiles({ counts }: RunModel) {
  const shown = NAMES.filter((name) => counts[name] > 0 || name === "total" || name === "passed");
  return el(
    "nav",
    { class: "tiles", "aria-label": "Filter by count" },
    shown.map((name) => tile(name, counts[name])),
  );
}

function tile(name: (typeof NAMES)[number], value: number) {
  const { word, tone } = COUNTS[name];
  const filter = { class: `tile ${value === 0 ? "dim" : tone}`, href: "#", "data-key": "count", "data-value": name };
  return el(
    "a",
    filter,
    el("span", { class: "tile-count" }, grouped(value)),
    " ",
    el("span", { class: "tile-word" }, word),
  );
}

function stepsPart({ model, standings }: PageData) {
  const steps: Map<string, { tally: Tally; total: number }> = new Map();
  for (const [index, { step }] of model.cases.entries()) {
    const found = steps.get(step) ?? { tally: emptyTally(), total: 0 };
    found.tally[toneOf(standings[index] ?? "passed")]++;
    found.total++;
    steps.set(step, found);
  }
  if (steps.size === 0) return null;
  const most = Math.max(...[...steps.values()].map(({ total }) => total));
  const rows = [...steps]
    .sort(([, a], [, b]) => open(b) - open(a))
    .map(([step, found]) => stepRow({ step, ...found, most }));
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

function stepRow({ step, tally, total, most }: { step: string; tally: Tally; total: number; most: number }) {
  const left = open({ tally, total });
  const said = left === 0 ? `all ${grouped(total)} passed` : `${grouped(left)} of ${grouped(total)} to look at`;
  const filter = { class: "step", href: "#", "data-key": "step", "data-value": addressable(step) };
  const name = el("span", { class: "step-name" }, sayText(step, { limit: 120 }));
  return el("li", {}, el("a", filter, name, el("span", { class: "step-said" }, said), stackedBar(tally, most)));
}

function causesPart({ cases }: RunModel) {
  const found = cases.flatMap(causesOf);
  if (found.length === 0) return null;
  const chips = Object.entries(CAUSES).flatMap(([cause, { word, means }]) => {
    const times = found.filter((one) => one === cause).length;
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
              el("strong", {}, grouped(times)),
            ),
          ),
        ];
  });
  return section({ title: "Why", id: "why-title" }, el("ul", { class: "chips" }, chips));
}

function runPart({ environment, startedAt, durationMs, usage, trials, settlement }: RunModel) {
  const receipt = settlement?.receipt ?? null;
  const { veritest, runner, node, platform, ci, adapters, shard } = environment;
  const facts: (readonly [string, string])[] = [
    ["Started", moment(startedAt)],
    ["Took", duration(durationMs)],
    ["Runner", runner === null ? "veritest command line" : `${runner.name} ${runner.version}`],
    [
      "On",
      `Node ${node}, ${platform}${ci ? ", CI" : ""}${shard === null ? "" : `, shard ${shard.index} of ${shard.count}`}`,
    ],
    ["Adapters", adapters ?? "as the tests say"],
    [
      "Live calls",
      usage.calls === 0
        ? "none"
        : `${grouped(usage.calls)} (${grouped(usage.inputTokens)} tokens in, ${grouped(usage.outputTokens)} out)`,
    ],
    ...(trials === 0 ? [] : [["Trials", counted(trials, "live run")] as const]),
    ...(receipt === null ? [] : [["Receipt", receipt] as const]),
    ["veritest", veritest],
  ];
  return section(
    { title: "This run", id: "run-title" },
    el(
      "dl",
      { class: "facts" },
      facts.map(([name, value]) => [el("dt", {}, name), el("dd", {}, sayText(value))]),
    ),
  );
}
