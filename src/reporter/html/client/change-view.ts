import { inlineDiff, sideDiff } from "./diff-rows.ts";
import { el } from "./element.ts";
import { block, sayText } from "./show-text.ts";
import { type Manner, looksEqual, visible } from "./visible.ts";
import { diffTexts } from "./word-diff.ts";
import { PARTS } from "./words.ts";
import type { ReportChange, ReportValue } from "../../../explain/report-case.ts";

/** Values of this length stand in one line. */
const SHORT = 60;

/**
 * Differences, grouped by the part of the case they lie in.
 * `view`: `inline`, or else side by side
 */
export function changeList(changes: readonly ReportChange[], view: string) {
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

function changeView(change: ReportChange, view: string) {
  const path =
    change.path === ""
      ? el("span", { class: "dim" }, `the whole ${PARTS[change.part].toLowerCase()}`)
      : sayText(change.path, { style: "path", limit: 2000 });
  const tags = tagsOf(change).map((tag) => el("span", { class: `tag ${/^\w+$/.test(tag) ? `tag-${tag}` : ""}` }, tag));
  const note = bothTexts(change, looksEqual)
    ? el(
        "p",
        { class: "note" },
        "Both look alike: they differ in characters that are hard to tell apart, written as escapes here.",
      )
    : null;
  return el("article", { class: "change" }, el("div", { class: "change-head" }, path, tags), note, body(change, view));
}

/** A value in a few words, for a list. */
export function swapInShort(change: ReportChange) {
  const side = (name: "before" | "after") =>
    Object.hasOwn(change, name) ? valueInShort(change[name]) : el("span", { class: "dim" }, "nothing");
  return el("span", { class: "gist-swap" }, side("before"), " → ", side("after"));
}

function valueInShort(value: ReportValue | undefined) {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return sayText(text, { limit: 36, style: typeof value === "string" ? "q" : "" });
}

function tagsOf(change: ReportChange): string[] {
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

function body(change: ReportChange, view: string) {
  const before = Object.hasOwn(change, "before") ? textOf(change.before) : null;
  const after = Object.hasOwn(change, "after") ? textOf(change.after) : null;
  if (before === null || after === null) return oneSided(before, after);
  const manner: Manner = bothTexts(change, looksEqual) ? "strict" : "prose";
  if (isSwap({ before, after, change })) return swap(change, { before, after, manner });
  const look = { manner, code: typeof change.before !== "string" };
  const runs = diffTexts(before, after);
  return view === "inline" ? inlineDiff(runs, look) : sideDiff(runs, look);
}

function oneSided(before: string | null, after: string | null) {
  if (before === null && after === null) return el("p", { class: "dim" }, "No value is known on either side.");
  return el(before === null ? "ins" : "del", { class: "alone" }, block(before ?? after ?? "", { style: "code" }));
}

/** Short values, and values of two types, are shown whole: nothing in them needs finding. */
function isSwap({ before, after, change }: { before: string; after: string; change: ReportChange }) {
  if ((typeof change.before === "string") !== (typeof change.after === "string")) return true;
  return [before, after].every((text) => text.length <= SHORT && !/\s/.test(text)) || before === "" || after === "";
}

function swap(change: ReportChange, { before, after, manner }: { before: string; after: string; manner: Manner }) {
  const style = (value: ReportValue | undefined) => (typeof value === "string" ? "q code" : "code");
  return el(
    "div",
    { class: "swap" },
    el("del", {}, el("span", { class: "sr" }, "Baseline: "), block(before, { manner, style: style(change.before) })),
    el("span", { class: "arrow", "aria-hidden": "true" }, "→"),
    el("ins", {}, el("span", { class: "sr" }, "Now: "), block(after, { manner, style: style(change.after) })),
  );
}

function textOf(value: ReportValue | undefined) {
  return typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
}

function bothTexts({ before, after }: ReportChange, test: (before: string, after: string) => boolean) {
  return typeof before === "string" && typeof after === "string" && test(before, after);
}

/** A path with its part, for those who cannot see the group it is in. */
export function placeOf(change: ReportChange) {
  return visible(change.path === "" ? change.part : change.path);
}
