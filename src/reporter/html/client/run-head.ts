import { el, sign } from "./element.ts";
import { cutAt, untrustedText } from "./show-text.ts";
import { COUNT_LABELS, moment } from "./labels.ts";
import { runHeadline } from "../../../explain/run-headline.ts";
import { formatCount } from "../../../explain/wording.ts";
import type { PageData } from "../page-data.ts";
import type { RunModel } from "../../../explain/run-model.ts";

/** Counts above the list; one without cases is left out, but for the first three. The classes have a filter. */
const NAMES = ["look", "total", "passed", "captured", "updated", "pending"] as const;
const ALWAYS: ReadonlySet<string> = new Set(["look", "total", "passed"]);
const STATUS = {
  pass: { tone: "ok", icon: "✓" },
  fail: { tone: "warn", icon: "≠" },
  error: { tone: "bad", icon: "✕" },
};
const NOTHING = { tone: "info", icon: "–" };
/** Maximum number of remarks about the run that are shown immediately, and of characters of a long one. */
const MAX_REMARKS = 2;
const LONG = { characters: 400, lines: 3, shown: 160 };

/** Result of the run: a sentence, its counts in one strip, and problems besides the cases. */
export function runHead({ model }: PageData) {
  const { tone, icon } = model.cases.length === 0 && model.status === "pass" ? NOTHING : STATUS[model.status];
  const nothing = model.cases.length === 0;
  return [
    el("div", { class: `verdict ${tone}` }, sign(icon, "verdict-sign"), el("h1", {}, runHeadline(model))),
    nothing ? el("p", { class: "dim" }, "No test in this run compared a value with a baseline.") : strip(model),
    remarks(model),
  ];
}

function strip({ counts }: RunModel) {
  const value = (name: (typeof NAMES)[number]) => (name === "look" ? counts.total - counts.passed : counts[name]);
  const listed = NAMES.filter((name) => value(name) > 0 || ALWAYS.has(name));
  return el(
    "nav",
    { class: "strip", "aria-label": "Filter by count" },
    listed.map((name) => {
      const { word, tone } = COUNT_LABELS[name];
      const count = value(name);
      return el(
        "a",
        { class: `stat ${count === 0 ? "dim" : tone}`, href: "#", "data-key": "count", "data-value": name },
        el("span", { class: "stat-count" }, formatCount(count)),
        ` ${name === "total" && count === 1 ? "baseline" : word}`,
      );
    }),
  );
}

/** Warns that a served page isn't of the last run. Null if it is. */
export function outdatedNotice({ served, model }: PageData) {
  if (served === null || served.newerRun === null) return null;
  return el(
    "p",
    { class: "outdated warn", role: "alert" },
    el("strong", {}, "Outdated. "),
    `This page shows the run of ${moment(model.startedAt)}. A newer run started on ${moment(served.newerRun)}: `,
    "start npx veritest report again to accept or reject its changes.",
  );
}

function remarks({ problems, applied }: RunModel) {
  const items = [
    ...problems.map((text) => remark({ tone: "bad", word: "Problem ", text })),
    ...(applied?.because ?? []).map((text) => remark({ tone: "warn", word: "Pending ", text })),
  ];
  if (items.length === 0) return null;
  const rest = items.slice(MAX_REMARKS);
  return [
    el("ul", { class: "remarks" }, items.slice(0, MAX_REMARKS)),
    rest.length === 0
      ? null
      : el("details", {}, el("summary", {}, `${formatCount(rest.length)} more`), el("ul", { class: "remarks" }, rest)),
  ];
}

function remark({ tone, word, text }: { tone: string; word: string; text: string }) {
  const whole = untrustedText(text, { limit: 4000, manner: "prose", style: "whole" });
  const strong = el("strong", {}, word);
  if (text.length <= LONG.characters && text.split("\n", LONG.lines + 1).length <= LONG.lines)
    return el("li", { class: tone }, strong, whole);
  const begin = untrustedText(`${cutAt(text, LONG.shown)}…`);
  return el("li", { class: tone }, el("details", {}, el("summary", {}, strong, begin), whole));
}
