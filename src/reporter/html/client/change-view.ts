import type { ReportChange } from "../../../explain/report-case.ts";
import { foldValues } from "../../../explain/fold-details.ts";
import { counted } from "../../../explain/wording.ts";
import { inlineDiff, sideDiff } from "./diff-rows.ts";
import { el } from "./element.ts";
import { jsonTexts } from "./json-text.ts";
import { block, untrustedText } from "./show-text.ts";
import { type Manner, looksEqual } from "./visible.ts";
import { diffTexts } from "./word-diff.ts";
import { PART_LABELS } from "./labels.ts";

/** Maximum length of values that are shown in one line. */
const SHORT = 60;
/** Number of paths of one change that are named at once. */
const MAX_PATHS = 4;

/** Options for showing differences. */
export type ChangeLook = {
  /** `inline` or side by side */
  view: string;
  /** Differences that the page already shows */
  rendered: ShownDifferences;
};

/** Differences, grouped by part of the case. Differences that the page already shows are only counted. */
export function changeList(changes: readonly ReportChange<unknown>[], { view, rendered }: ChangeLook) {
  const fresh = notRendered(changes, rendered);
  const again = changes.length - fresh.length;
  const groups = Map.groupBy(fresh, ({ part }) => part);
  return [
    [...groups].map(([part, of]) =>
      el(
        "div",
        { class: "changes", "data-part": part },
        el("h3", { class: "part-name" }, PART_LABELS[part]),
        cards(of).map((card) => (typeof card === "string" ? countView(card) : changeView(card, view))),
      ),
    ),
    again === 0
      ? null
      : el("p", { class: "dim again" }, `${counted(again, "difference")} ${again === 1 ? "is" : "are"} shown above.`),
  ];
}

/** Differences to show one by one, and the lines of those that are only counted. */
function cards(changes: readonly ReportChange<unknown>[]) {
  const details = foldValues(
    changes.map((change) => ({ kind: "change", lead: "", change, role: "changed" })),
    textOf,
  );
  const listed = details.flatMap((detail) => (detail.kind === "change" ? [detail.change] : []));
  return [...byValues(listed), ...details.flatMap((detail) => (detail.kind === "change" ? [] : [detail.text]))];
}

function countView(line: string) {
  return el("article", { class: "change" }, untrustedText(line, { style: "path", limit: 2000 }));
}

function changeView({ change, paths }: { change: ReportChange<unknown>; paths: readonly string[] }, view: string) {
  const json = jsonSides(change);
  const tags = [...tagsOf(change), ...(json === null ? [] : ["JSON"])].map((tag) =>
    el("span", { class: `tag ${/^\w+$/.test(tag) ? `tag-${tag}` : ""}` }, tag),
  );
  const note = bothTexts(change, looksEqual)
    ? el(
        "p",
        { class: "note" },
        "The two values look alike. Characters that are hard to tell apart are shown as escapes.",
      )
    : null;
  const content = json === null ? body(change, view) : textDiff(json, { view, manner: "prose", code: true });
  const head = el("div", { class: "change-head" }, pathsPart(paths, change), tags);
  return el("article", { class: "change" }, head, note, content);
}

function pathsPart(paths: readonly string[], { part }: ReportChange<unknown>) {
  const named = paths.map((path) =>
    path === ""
      ? el("span", { class: "dim" }, `the complete ${PART_LABELS[part].toLowerCase()}`)
      : untrustedText(path, { style: "path", limit: 2000 }),
  );
  if (named.length <= MAX_PATHS) return named;
  return [
    named.slice(0, MAX_PATHS),
    el(
      "details",
      { class: "places" },
      el("summary", {}, counted(named.length - MAX_PATHS, "more place")),
      named.slice(MAX_PATHS).map((name) => el("div", {}, name)),
    ),
  ];
}

function jsonSides({ before, after }: ReportChange<unknown>) {
  return typeof before === "string" && typeof after === "string" ? jsonTexts(before, after) : null;
}

function tagsOf(change: ReportChange<unknown>): string[] {
  const shape = [
    ...(Object.hasOwn(change, "before") ? [] : ["added"]),
    ...(Object.hasOwn(change, "after") ? [] : ["removed"]),
  ];
  const { role, times = 1 } = change.call ?? {};
  return [
    ...(role === "write" ? [role] : []),
    ...(shape.length === 2 ? [] : shape),
    ...(times > 1 ? [`× ${times}`] : []),
    ...(change.cut ? ["shortened"] : []),
  ];
}

function body(change: ReportChange<unknown>, view: string) {
  const before = Object.hasOwn(change, "before") ? textOf(change.before) : null;
  const after = Object.hasOwn(change, "after") ? textOf(change.after) : null;
  if (before === null || after === null) return oneSided(before, after);
  const manner: Manner = bothTexts(change, looksEqual) ? "strict" : "prose";
  if (isSwap({ before, after, change })) return swap(change, { before, after, manner });
  return textDiff([before, after], { view, manner, code: typeof change.before !== "string" });
}

/** Two texts, with what differs marked. */
export function textDiff(
  [before, after]: readonly [string, string],
  { view, ...look }: { view: string; manner: Manner; code: boolean },
) {
  const runs = diffTexts(before, after);
  return view === "inline" ? inlineDiff(runs, look) : sideDiff(runs, look);
}

function oneSided(before: string | null, after: string | null) {
  if (before === null && after === null) return el("p", { class: "dim" }, "Neither side has a value.");
  return el(before === null ? "ins" : "del", { class: "alone" }, block(before ?? after ?? "", { style: "code" }));
}

/** True for short values, and values of two types, which are shown in full without marking the differences. */
function isSwap({ before, after, change }: { before: string; after: string; change: ReportChange<unknown> }) {
  if ((typeof change.before === "string") !== (typeof change.after === "string")) return true;
  return [before, after].every((text) => text.length <= SHORT && !/\s/.test(text)) || before === "" || after === "";
}

function swap(
  change: ReportChange<unknown>,
  { before, after, manner }: { before: string; after: string; manner: Manner },
) {
  const style = (value: unknown) => (typeof value === "string" ? "q code" : "code");
  return el(
    "div",
    { class: "swap" },
    el("del", {}, el("span", { class: "sr" }, "Baseline: "), block(before, { manner, style: style(change.before) })),
    el("span", { class: "arrow", "aria-hidden": "true" }, "→"),
    el("ins", {}, el("span", { class: "sr" }, "Now: "), block(after, { manner, style: style(change.after) })),
  );
}

function textOf(value: unknown) {
  return typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
}

function bothTexts({ before, after }: ReportChange<unknown>, test: (before: string, after: string) => boolean) {
  return typeof before === "string" && typeof after === "string" && test(before, after);
}

/** Differences that a case's page already shows. One that several findings report is shown once. */
type ShownDifferences = Set<string>;

/** Returns the differences that aren't shown yet, and marks them as shown. */
function notRendered(changes: readonly ReportChange<unknown>[], rendered: ShownDifferences) {
  const fresh = changes.filter((change) => !rendered.has(keyOf(change)));
  for (const change of fresh) rendered.add(keyOf(change));
  return fresh;
}

/** Key that is equal for equal differences. Evidence has the part in its path, and may write an index differently. */
function keyOf({ part, path, before, after }: ReportChange<unknown>) {
  const fullPath = (part === "output" ? path : `${part}.${path}`).replaceAll(/[.[\]]+/g, ".").replace(/\.$/, "");
  return JSON.stringify([fullPath, before === undefined ? [] : [before], after === undefined ? [] : [after]]);
}

/** Merges differences of the same values at several paths: the first of each, with the paths of all. */
function byValues(changes: readonly ReportChange<unknown>[]) {
  const cards = Map.groupBy(changes, ({ before, after, cut, call }) =>
    JSON.stringify([before === undefined ? [] : [before], after === undefined ? [] : [after], cut, call ?? null]),
  );
  return [...cards.values()].flatMap(([change, ...rest]) =>
    change === undefined ? [] : [{ change, paths: [change.path, ...rest.map(({ path }) => path)] }],
  );
}
