import { compareLists } from "./myers.js";

/** @import { Budget } from "./myers.js" */
/**
 * A run of characters that both texts have, or one of them: those that are `same` or `gone` make the first text, those
 * that are `same` or `new` the second.
 * @typedef {{ kind: "same" | "gone" | "new", text: string }} Run
 */

/** Longer pairs of texts are told apart by their common start and end alone. */
const MAX_LENGTH = 400_000;
/** Edits over all parts of one pair of texts. */
const MAX_TEXT_EDITS = 3000;
/** Two passages that have less in common than this are not alike: one is shown as replaced by the other. */
const MIN_ALIKE = 0.3;
const LINE = /[^\n]*\n|[^\n]+/g;
const WORD =
  /\n|[^\S\n]+|\p{N}+(?:[.,]\p{N}+)*|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{M}\p{N}_]+|[^]/gu;

/**
 * How one text became the other: by lines first, then by words within the lines that differ.
 * @param {string} before
 * @param {string} after
 * @returns {Run[]}
 */
export function diffTexts(before, after) {
  const budget = { edits: before.length + after.length > MAX_LENGTH ? 0 : MAX_TEXT_EDITS };
  const lines = compareLists(before.match(LINE) ?? [], after.match(LINE) ?? [], budget);
  /** @type {Run[]} */
  const runs = [];
  let gone = "";
  let fresh = "";
  for (const { kind, items } of [...lines, { kind: "same", items: [] }]) {
    if (kind === "gone") gone += items.join("");
    else if (kind === "new") fresh += items.join("");
    else {
      runs.push(...diffWords({ gone, fresh, budget }), { kind: "same", text: items.join("") });
      gone = "";
      fresh = "";
    }
  }
  return joined(runs);
}

/**
 * @param {{ gone: string, fresh: string, budget: Budget }} given
 * @returns {Run[]}
 */
function diffWords({ gone, fresh, budget }) {
  if (gone === "" || fresh === "") return replaced(gone, fresh);
  if (gone.length + fresh.length > MAX_LENGTH) return replaced(gone, fresh);
  const found = compareLists(gone.match(WORD) ?? [], fresh.match(WORD) ?? [], budget);
  /** @type {Run[]} */
  const runs = found.map(({ kind, items }) => ({ kind, text: items.join("") }));
  const alike = runs.reduce((length, { kind, text }) => length + (kind === "same" ? text.trim().length : 0), 0);
  return alike < MIN_ALIKE * Math.min(gone.length, fresh.length) ? replaced(gone, fresh) : withoutCrumbs(joined(runs));
}

/**
 * @param {string} gone
 * @param {string} fresh
 * @returns {Run[]}
 */
function replaced(gone, fresh) {
  return [
    { kind: "gone", text: gone },
    { kind: "new", text: fresh },
  ];
}

/**
 * Lets a mere space between two changes belong to both: a passage that was rewritten reads better as one.
 * @param {readonly Run[]} runs
 * @returns {Run[]}
 */
function withoutCrumbs(runs) {
  return joined(runs.flatMap((run, index) => (isCrumb(runs, index) ? replaced(run.text, run.text) : [run])));
}

/**
 * @param {readonly Run[]} runs
 * @param {number} index
 */
function isCrumb(runs, index) {
  const run = runs[index];
  const inside = index > 0 && index < runs.length - 1;
  return inside && run !== undefined && run.kind === "same" && /^[^\S\n]+$/.test(run.text);
}

/**
 * Joins what belongs together: between two common runs, one that is gone and one that is new.
 * @param {readonly Run[]} runs
 * @returns {Run[]}
 */
function joined(runs) {
  /** @type {Run[]} */
  const made = [];
  const open = { same: "", gone: "", new: "" };
  for (const { kind, text } of runs) {
    if (text === "") continue;
    if (kind === "same" ? open.gone + open.new !== "" : open.same !== "") flush(open, made);
    open[kind] += text;
  }
  flush(open, made);
  return made;
}

/**
 * @param {Record<Run["kind"], string>} open
 * @param {Run[]} made
 */
function flush(open, made) {
  for (const kind of /** @type {const} */ (["same", "gone", "new"])) {
    if (open[kind] !== "") made.push({ kind, text: open[kind] });
    open[kind] = "";
  }
}
