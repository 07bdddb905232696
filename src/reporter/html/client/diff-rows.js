import { button, el } from "./element.js";
import { plural } from "./formats.js";
import { cutAt, markedText } from "./show-text.js";

/** @import { Manner } from "./visible.js" */
/** @import { Run } from "./word-diff.js" */
/** @typedef {{ left: Run[], right: Run[] }} Row */
/** @typedef {{ manner: Manner, code: boolean }} Look */

/** What both sides have is shown around a change; more of it than this is folded. */
const NEAR = { lines: 3, characters: 240 };
const LONG_RUN = 6000;

/**
 * One text with what is gone struck through and what is new underlined.
 * @param {readonly Run[]} runs
 * @param {Look} look
 */
export function inlineDiff(runs, look) {
  return el(
    "div",
    { class: style("diff-inline", look), dir: "auto" },
    runs.flatMap((run) => runNodes(run, { look, openers: [] })),
  );
}

/**
 * Both texts, what belongs together in one row.
 * @param {readonly Run[]} runs
 * @param {Look} look
 */
export function sideDiff(runs, look) {
  const grid = el(
    "div",
    { class: "sides" },
    el("div", { class: "side-head" }, "Baseline"),
    el("div", { class: "side-head" }, "Now"),
  );
  for (const { left, right } of rowsOf(runs)) {
    /** @type {(() => void)[]} */
    const openers = [];
    grid.append(cell(left, { look, openers, side: "before" }), cell(right, { look, openers, side: "after" }));
  }
  return grid;
}

/**
 * Parts runs at the line ends that both texts have, so that each row begins and ends a line on both sides.
 * @param {readonly Run[]} runs
 * @returns {Row[]}
 */
function rowsOf(runs) {
  /** @type {Row[]} */
  const rows = [{ left: [], right: [] }];
  for (const run of runs) {
    for (const part of run.kind === "same" ? linesOf(run) : [run]) {
      const row = rows.at(-1);
      if (part.kind !== "new") row?.left.push(part);
      if (part.kind !== "gone") row?.right.push(part);
      if (part.kind === "same" && part.text.endsWith("\n")) rows.push({ left: [], right: [] });
    }
  }
  return rows.filter(({ left, right }) => left.length + right.length > 0);
}

/**
 * The rest of a line that was begun, the whole lines, and the begin of the next one.
 * @param {Run} run
 * @returns {Run[]}
 */
function linesOf({ kind, text }) {
  const first = text.indexOf("\n") + 1;
  const last = text.lastIndexOf("\n") + 1;
  return [text.slice(0, first), text.slice(first, last), text.slice(last)]
    .filter((part) => part !== "")
    .map((part) => ({ kind, text: part }));
}

/**
 * @param {readonly Run[]} runs
 * @param {{ look: Look, openers: (() => void)[], side: "before" | "after" }} place
 */
function cell(runs, { look, openers, side }) {
  const changed = runs.some(({ kind }) => kind !== "same");
  return el(
    "div",
    { class: style(`side side-${side}${changed ? " touched" : ""}`, look), dir: "auto" },
    runs.flatMap((run) => runNodes(run, { look, openers })),
  );
}

/**
 * @param {string} name
 * @param {Look} look
 */
function style(name, { code }) {
  return `t block ${code ? "code" : "prose"} ${name}`;
}

/**
 * @param {Run} run
 * @param {{ look: Look, openers: (() => void)[] }} place
 * @returns {Node[]}
 */
function runNodes({ kind, text }, { look, openers }) {
  if (kind === "same") return sameNodes(text, { look, openers });
  const marked = el(
    kind === "gone" ? "del" : "ins",
    {},
    markedText(text.length > LONG_RUN ? cutAt(text, LONG_RUN) : text, look.manner),
  );
  if (text.length <= LONG_RUN) return [marked];
  const all = button(
    `Show all ${plural(text.length, "character")}`,
    () => {
      marked.replaceChildren(...markedText(text, look.manner));
      all.remove();
    },
    { class: "fold" },
  );
  return [marked, all];
}

/**
 * @param {string} text
 * @param {{ look: Look, openers: (() => void)[] }} place
 * @returns {Node[]}
 */
function sameNodes(text, { look, openers }) {
  const fold = folding(text);
  if (fold === null) return markedText(text, look.manner);
  const more = button(fold.label, () => openers.forEach((open) => open()), {
    class: fold.lines ? "fold lines" : "fold",
  });
  openers.push(() => more.replaceWith(...markedText(fold.hidden, look.manner)));
  return [...markedText(fold.head, look.manner), more, ...markedText(fold.tail, look.manner)];
}

/** @param {string} text */
function folding(text) {
  const lines = text.match(/[^\n]*\n|[^\n]+/g) ?? [];
  if (lines.length > 2 * NEAR.lines + 2) {
    const hidden = lines.slice(NEAR.lines, -NEAR.lines);
    return parts(text, {
      head: lines.slice(0, NEAR.lines).join("").length,
      tail: lines.slice(-NEAR.lines).join("").length,
      label: plural(hidden.length, "unchanged line"),
      lines: true,
    });
  }
  if (text.length <= 4 * NEAR.characters) return null;
  const head = cutAt(text, NEAR.characters).length;
  const tail = text.length - cutAt(text, text.length - NEAR.characters).length;
  return parts(text, { head, tail, label: plural(text.length - head - tail, "unchanged character"), lines: false });
}

/**
 * @param {string} text
 * @param {{ head: number, tail: number, label: string, lines: boolean }} where
 */
function parts(text, { head, tail, label, lines }) {
  return {
    head: text.slice(0, head),
    hidden: text.slice(head, text.length - tail),
    tail: text.slice(text.length - tail),
    label: `⋯ ${label}`,
    lines,
  };
}
