import { type ComparisonBudget, type EditStep, MAX_COMPARISONS, editOf } from "../../../kernel/diff/edit.ts";

/**
 * A run of characters that both texts have, or one of them: those that are `same` or `gone` make the first text, those
 * that are `same` or `new` the second.
 */
export type Run = { kind: "same" | "gone" | "new"; text: string };

/** Longer pairs of texts are compared by their common start and end alone. */
const MAX_LENGTH = 400_000;
/** Minimum common share of two similar passages. With less, one is shown as replaced by the other. */
const MIN_ALIKE = 0.3;
const LINE = /[^\n]*\n|[^\n]+/g;
/** Scripts without spaces between words: each character is one. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
/** An emoji with its joined parts, and a word whose letters are joined. They are never split. */
const PICTURE = String.raw`\p{Extended_Pictographic}`;
const EMOJI = String.raw`${PICTURE}(?:[\ufe0e\ufe0f]|\p{Emoji_Modifier}|\u200d${PICTURE})*`;
const LETTERS = String.raw`[\p{L}\p{M}\p{N}_]+(?:[\u200c\u200d]+[\p{L}\p{M}\p{N}_]+)*`;
const WORD = new RegExp(String.raw`\n|[^\S\n]+|${EMOJI}|\p{N}+(?:[.,]\p{N}+)*|${UNSPACED.source}|${LETTERS}|[^]`, "gu");

/** Differences of two texts: by lines first, then by words within the lines that differ. */
export function diffTexts(before: string, after: string): Run[] {
  const budget = { comparisons: before.length + after.length > MAX_LENGTH ? 0 : MAX_COMPARISONS };
  const lines = editOf(before.match(LINE) ?? [], after.match(LINE) ?? [], budget);
  const runs: Run[] = [];
  let gone = "";
  let fresh = "";
  for (const { kind, item } of [...lines, { kind: "same", item: "" } as const]) {
    if (kind === "removed") gone += item;
    else if (kind === "added") fresh += item;
    else {
      runs.push(...diffWords({ gone, fresh, budget }), { kind: "same", text: item });
      gone = "";
      fresh = "";
    }
  }
  return joined(runs);
}

function diffWords({ gone, fresh, budget }: { gone: string; fresh: string; budget: ComparisonBudget }): Run[] {
  if (gone === "" || fresh === "") return replaced(gone, fresh);
  if (gone.length + fresh.length > MAX_LENGTH) return replaced(gone, fresh);
  const steps = editOf(gone.match(WORD) ?? [], fresh.match(WORD) ?? [], budget);
  const runs = joined(steps.map(({ kind, item }): Run => ({ kind: KINDS_OF_RUN[kind], text: item })));
  const alike = runs.reduce((length, { kind, text }) => length + (kind === "same" ? text.trim().length : 0), 0);
  return alike < MIN_ALIKE * Math.min(gone.length, fresh.length) ? replaced(gone, fresh) : withoutCrumbs(runs);
}

const KINDS_OF_RUN: Readonly<Record<EditStep["kind"], Run["kind"]>> = { same: "same", removed: "gone", added: "new" };

function replaced(gone: string, fresh: string): Run[] {
  return [
    { kind: "gone", text: gone },
    { kind: "new", text: fresh },
  ];
}

/** Lets a mere space between two changes belong to both: a passage that was rewritten reads better as one. */
function withoutCrumbs(runs: readonly Run[]): Run[] {
  return joined(runs.flatMap((run, index) => (isCrumb(runs, index) ? replaced(run.text, run.text) : [run])));
}

function isCrumb(runs: readonly Run[], index: number) {
  const run = runs[index];
  const inside = index > 0 && index < runs.length - 1;
  return inside && run !== undefined && run.kind === "same" && /^[^\S\n]+$/.test(run.text);
}

/** Joins what belongs together: between two common runs, one that is gone and one that is new. */
function joined(runs: readonly Run[]): Run[] {
  const made: Run[] = [];
  const open = { same: "", gone: "", new: "" };
  for (const { kind, text } of runs) {
    if (text === "") continue;
    if (kind === "same" ? open.gone + open.new !== "" : open.same !== "") flush(open, made);
    open[kind] += text;
  }
  flush(open, made);
  return made;
}

function flush(open: Record<Run["kind"], string>, made: Run[]) {
  for (const kind of ["same", "gone", "new"] as const) {
    if (open[kind] !== "") made.push({ kind, text: open[kind] });
    open[kind] = "";
  }
}
