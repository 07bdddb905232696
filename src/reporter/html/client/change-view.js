import { inlineDiff, sideDiff } from "./diff-rows.js";
import { el } from "./element.js";
import { block, say } from "./show-text.js";
import { looksEqual, visible } from "./visible.js";
import { diffTexts } from "./word-diff.js";
import { PARTS } from "./words.js";

/** @import { ReportChange, ReportValue } from "../../run-model.ts" */
/** @import { Manner } from "./visible.js" */

/** Values of this length stand in one line. */
const SHORT = 60;

/**
 * Differences, grouped by the part of the case they lie in.
 * @param {readonly ReportChange[]} changes
 * @param {string} view `inline`, or else side by side
 */
export function changeList(changes, view) {
  const groups = Map.groupBy(changes, ({ part }) => part);
  return [...groups].map(([part, of]) =>
    el(
      "div",
      { class: "changes", "data-part": part },
      el("h3", { class: "part-name" }, PARTS[part]),
      of.map((change) => changeView(change, view)),
    ),
  );
}

/**
 * @param {ReportChange} change
 * @param {string} view
 */
function changeView(change, view) {
  const path =
    change.path === ""
      ? el("span", { class: "dim" }, `the whole ${PARTS[change.part].toLowerCase()}`)
      : say(change.path, { style: "path", limit: 2000 });
  const tags = tagsOf(change).map((tag) => el("span", { class: `tag tag-${tag}` }, tag));
  const note = bothTexts(change, looksEqual)
    ? el(
        "p",
        { class: "note" },
        "Both look alike: they differ in characters that are hard to tell apart, written as escapes here.",
      )
    : null;
  return el("article", { class: "change" }, el("div", { class: "change-head" }, path, tags), note, body(change, view));
}

/**
 * A value in a few words, for a list.
 * @param {ReportChange} change
 */
export function swapInShort(change) {
  const side = (/** @type {"before" | "after"} */ name) =>
    Object.hasOwn(change, name) ? valueInShort(change[name]) : el("span", { class: "dim" }, "nothing");
  return el("span", { class: "gist-swap" }, side("before"), " → ", side("after"));
}

/** @param {ReportValue | undefined} value */
function valueInShort(value) {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return say(text, { limit: 36, style: typeof value === "string" ? "q" : "" });
}

/**
 * @param {ReportChange} change
 * @returns {string[]}
 */
function tagsOf(change) {
  const shape = [
    ...(Object.hasOwn(change, "before") ? [] : ["added"]),
    ...(Object.hasOwn(change, "after") ? [] : ["removed"]),
  ];
  return [...(shape.length === 2 ? [] : shape), ...(change.cut ? ["shortened"] : [])];
}

/**
 * @param {ReportChange} change
 * @param {string} view
 */
function body(change, view) {
  const before = Object.hasOwn(change, "before") ? textOf(change.before) : null;
  const after = Object.hasOwn(change, "after") ? textOf(change.after) : null;
  if (before === null || after === null) return oneSided(before, after);
  /** @type {Manner} */
  const manner = bothTexts(change, looksEqual) ? "strict" : "prose";
  if (isSwap({ before, after, change })) return swap(change, { before, after, manner });
  const look = { manner, code: typeof change.before !== "string" };
  const runs = diffTexts(before, after);
  return view === "inline" ? inlineDiff(runs, look) : sideDiff(runs, look);
}

/**
 * @param {string | null} before
 * @param {string | null} after
 */
function oneSided(before, after) {
  if (before === null && after === null) return el("p", { class: "dim" }, "No value is known on either side.");
  return el(before === null ? "ins" : "del", { class: "alone" }, block(before ?? after ?? "", { style: "code" }));
}

/**
 * Short values, and values of two types, are shown whole: nothing in them needs finding.
 * @param {{ before: string, after: string, change: ReportChange }} given
 */
function isSwap({ before, after, change }) {
  if ((typeof change.before === "string") !== (typeof change.after === "string")) return true;
  return [before, after].every((text) => text.length <= SHORT && !/\s/.test(text)) || before === "" || after === "";
}

/**
 * @param {ReportChange} change
 * @param {{ before: string, after: string, manner: Manner }} sides
 */
function swap(change, { before, after, manner }) {
  const style = (/** @type {ReportValue | undefined} */ value) => (typeof value === "string" ? "q code" : "code");
  return el(
    "div",
    { class: "swap" },
    el("del", {}, el("span", { class: "sr" }, "Baseline: "), block(before, { manner, style: style(change.before) })),
    el("span", { class: "arrow", "aria-hidden": "true" }, "→"),
    el("ins", {}, el("span", { class: "sr" }, "Now: "), block(after, { manner, style: style(change.after) })),
  );
}

/** @param {ReportValue | undefined} value */
function textOf(value) {
  return typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
}

/**
 * @param {ReportChange} change
 * @param {(before: string, after: string) => boolean} test
 */
function bothTexts({ before, after }, test) {
  return typeof before === "string" && typeof after === "string" && test(before, after);
}

/**
 * A path with its part, for those who cannot see the group it is in.
 * @param {ReportChange} change
 */
export function placeOf(change) {
  return visible(change.path === "" ? change.part : change.path);
}
