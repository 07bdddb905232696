import { truncate } from "../kernel/text.ts";
import { toldApart } from "../kernel/diff/look-alikes.ts";
import { editDistance } from "../kernel/diff/tolerances.ts";
import { type EditStep, editOf } from "../kernel/diff/edit.ts";
import { type WordPlace, piecesOf, wordChanges } from "./word-changes.ts";
import { counted, grouped } from "./wording.ts";

/** Characters up to which two texts are compared: a report may hold thousands of them. */
const MAX_TEXT = 100_000;
/** Words and blanks that may be others: with more it is another text, which is told better as a whole, and sooner. */
const MAX_EDITS = 100;
/** Characters of a changed line: where one is longer it is prose, which is told by words if they are few enough. */
const PROSE_LINE = 80;
/**
 * Places told of one text before the rest is only counted: with what stands around them they must leave room for the
 * rest of a screen.
 */
const MAX_PLACES = 4;
/** Lines told of one place. */
const MAX_ROWS = 12;
/** Characters of a removed or added piece, and of what is told before and after it. */
const MAX_PIECE = 120;
const AROUND = 30;

/** How a text became another: by lines, or by words. Untrusted texts. */
export type TextChange =
  | { readonly kind: "lines"; readonly head: string; readonly places: readonly LinePlace[]; readonly rest: string }
  | { readonly kind: "words"; readonly head: string; readonly places: readonly WordPlace[]; readonly rest: string };

/** A place where a text has other lines, with one line around it. */
export interface LinePlace {
  /** The number of its first row in the new text, from 1. */
  readonly line: number;
  readonly rows: readonly EditStep[];
  /** How many rows are left out. */
  readonly more: number;
}

/** From how many characters a text is told by words, and how much of it. */
export interface TextLimits {
  readonly long: number;
  /** Places, and lines of each, before the rest is only counted. */
  readonly places?: number;
  readonly rows?: number;
}

/**
 * Tells a changed text by its lines where both have several and the changed ones are short, by its words from `long`
 * characters on. Undefined for values that are no texts, for short and very long ones, a single word, and prose with
 * little in common.
 */
export function textChange(before: unknown, after: unknown, limits: TextLimits): TextChange | undefined {
  if (typeof before !== "string" || typeof after !== "string") return undefined;
  if (Math.max(before.length, after.length) > MAX_TEXT) return undefined;
  const [was, is] = toldApart(before, after);
  const [old, current] = [linesOf(was), linesOf(is)];
  if (old.length < 2 || current.length < 2) return wordChange(was, is, limits);
  const steps = editOf(old, current);
  const prose = steps.some(({ kind, item }) => kind !== "same" && item.length > PROSE_LINE);
  return (
    (prose ? wordChange(was, is, limits) : undefined) ??
    lineChange({ was: old.length, is: current.length }, steps, limits)
  );
}

function lineChange(
  { was, is }: { readonly was: number; readonly is: number },
  steps: readonly EditStep[],
  { places: most = MAX_PLACES, rows = MAX_ROWS }: TextLimits,
): TextChange {
  const places = linePlaces(steps, rows);
  return {
    kind: "lines",
    head: `${counted(is, "line")} (was ${grouped(was)}), other lines in ${counted(places.length, "place")}`,
    places: places.slice(0, most),
    rest: restOf(places.length - most),
  };
}

function linesOf(text: string): string[] {
  return text.split("\n");
}

/** The changed stretches of an edit with a line around each; those with less than two lines between them are one. */
function linePlaces(steps: readonly EditStep[], most: number): LinePlace[] {
  const places: LinePlace[] = [];
  let [line, row] = [1, 0];
  while (row < steps.length) {
    const end = endOfPlace(steps, row);
    if (end > row) {
      const rows = steps.slice(row, end);
      places.push({ line, rows: rows.slice(0, most), more: Math.max(0, rows.length - most) });
    }
    const taken = steps.slice(row, Math.max(end, row + 1));
    line += taken.filter(({ kind }) => kind !== "removed").length;
    row += taken.length;
  }
  return places;
}

/** The end of the place that begins with this row, or the row itself where none does. */
function endOfPlace(steps: readonly EditStep[], start: number): number {
  const changed = (index: number): boolean => (steps[index]?.kind ?? "same") !== "same";
  if (!changed(start) && !changed(start + 1)) return start;
  let end = start;
  for (let index = start; index < steps.length && index - end <= 2; index += 1) if (changed(index)) end = index + 1;
  return Math.min(end + 1, steps.length);
}

function wordChange(
  before: string,
  after: string,
  { long, places: most = MAX_PLACES }: TextLimits,
): TextChange | undefined {
  if (Math.max(before.length, after.length) < long || !isProse(before) || !isProse(after)) return undefined;
  if (editDistance(piecesOf(before), piecesOf(after), MAX_EDITS) === undefined) return undefined;
  const places = wordChanges(before, after);
  const characters = `${counted(after.length, "character")} (was ${grouped(before.length)})`;
  return {
    kind: "words",
    head: `${characters}, other words in ${counted(places.length, "place")}`,
    places: places.slice(0, most).map(wordPlace),
    rest: restOf(places.length - most),
  };
}

function restOf(places: number): string {
  return places > 0 ? `… and ${counted(places, "more place")}` : "";
}

function isProse(text: string): boolean {
  return /\S\s+\S/.test(text);
}

/** A change of words with as much of it, and of what stands around it, as is told. */
function wordPlace({ word, lead, removed, added, trail }: WordPlace): WordPlace {
  const blank = sharedEnd(removed, added);
  const [old = "", current = ""] = [removed, added].map((text) => text.slice(0, text.length - blank.length));
  const [was, is] = toldApart(old, current);
  return {
    word,
    lead: endOf(lead),
    removed: truncate(was, MAX_PIECE),
    added: truncate(is, MAX_PIECE),
    trail: startOf(blank + trail),
  };
}

/** The white space both pieces end in: it belongs to what follows. */
function sharedEnd(removed: string, added: string): string {
  const [blank = ""] = /\s*$/.exec(removed) ?? [];
  return blank.length < removed.length && added.endsWith(blank) && blank.length < added.length ? blank : "";
}

/** The end of what stands before a change, from the beginning of a word where there is one. */
function endOf(text: string): string {
  return text.length <= AROUND ? text : `…${text.slice(-AROUND).replace(/^\S+(?=\s+\S)/, "")}`;
}

function startOf(text: string): string {
  return text.length <= AROUND ? text : `${text.slice(0, AROUND).replace(/(?<=\S\s+)\S+$/, "")}…`;
}
