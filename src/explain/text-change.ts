import { unifiedRows } from "../kernel/pretty.ts";
import { fitToCells } from "../kernel/terminal-cells.ts";
import { cutSides } from "../kernel/diff/format-diff.ts";
import { escapeLookAlikes, escapeSpaces, lookOf } from "../kernel/diff/look-alikes.ts";
import { editDistance } from "../kernel/diff/tolerances.ts";
import { type EditStep, MAX_COMPARISONS, editOf } from "../kernel/diff/edit.ts";
import { type WordChange, piecesOf, wordChanges } from "./word-changes.ts";
import { shownLine } from "./shown-text.ts";
import { counted, formatCount } from "./wording.ts";

/** Characters up to which two texts are compared: a report may have thousands of them. */
const MAX_TEXT = 100_000;
/**
 * Maximum number of words and spaces that may differ: with more it is another text, which is clearer, and faster, as
 * one.
 */
const MAX_EDITS = 100;
/** Characters of a changed line: a longer one is prose, which is shown by words if few differ. */
const PROSE_LINE = 80;
/**
 * Number of changes of one text that are shown; the rest is only counted. With the text around them they must leave
 * space for the rest of a screen.
 */
const MAX_CHANGES = 4;
/** Rows of a diff of lines before the rest is only counted. */
const MAX_ROWS = 30;
/** Columns of a row unless a limit is given. */
const MAX_COLUMNS = 120;
/** Characters of a removed or added piece, and of the text shown before and after it. */
const MAX_PIECE = 120;
const AROUND = 30;
/** Columns of the numbers of characters that are left out before and after a side, and its least characters. */
const LEFT_OUT = 44;
const MIN_SIDE = 12;

/** Change of a text: by lines, or by words. Untrusted texts. */
export type TextChange =
  | { readonly kind: "lines"; readonly head: string; readonly rows: readonly LineRow[]; readonly rest: string }
  | { readonly kind: "words"; readonly head: string; readonly changes: readonly WordChange[]; readonly rest: string };

/** A row of a unified diff of lines: a line of the text behind its sign, or the head of a hunk. */
export interface LineRow {
  readonly kind: EditStep["kind"] | "hunk";
  readonly text: string;
}

/** Number of characters from which a text is shown by words, and its limits. */
export interface TextLimits {
  readonly long: number;
  /** Rows of a diff of lines before the rest is only counted. */
  readonly rows?: number;
  /** Number of columns of a row. If the text is longer, only the part around its change is shown. */
  readonly width?: number;
}

/**
 * Describes a changed text by its lines if both have several and the changed ones are short, by its words from `long`
 * characters on. Returns undefined for values that aren't texts, for short and very long ones, a single word, and prose
 * with little in common.
 */
export function textChange(before: unknown, after: unknown, limits: TextLimits): TextChange | undefined {
  if (typeof before !== "string" || typeof after !== "string") return undefined;
  if (Math.max(before.length, after.length) > MAX_TEXT) return undefined;
  const [was, is] = escapeLookAlikes(before, after);
  const [old, current] = [linesOf(was), linesOf(is)];
  if (old.length < 2 || current.length < 2) return wordChange(before, after, limits);
  const endings = lineEndings(before, after);
  if (endings !== undefined) {
    const [same, other] = [before, after].map((text) => text.replaceAll(LINE_END, "\n"));
    // Each line differs in its end: the other changes are shown without it.
    const change = same === other ? undefined : textChange(same, other, limits);
    return change === undefined
      ? { kind: "lines", head: endings, rows: [], rest: "" }
      : { ...change, head: `${endings}, ${change.head}` };
  }
  const budget = { comparisons: MAX_COMPARISONS };
  const steps = editOf(old, current, budget).filter(({ kind }) => kind !== "same");
  const prose = steps.some(({ item }) => item.length > PROSE_LINE);
  const words = prose ? wordChange(before, after, limits) : undefined;
  if (words !== undefined) return words;
  // True for very different texts of thousands of lines: comparing them line by line takes too long.
  const isLong = budget.comparisons < 0;
  const rows = isLong ? steps.map(({ kind, item }) => ({ kind, text: item })) : unifiedRows(old, current).map(lineRow);
  const { rows: most = MAX_ROWS, width = MAX_COLUMNS } = limits;
  const listed = bothSides(rows, most);
  return {
    kind: "lines",
    head: sizeText("line", old.length, current.length),
    rows: distinctRows(listed, width),
    rest: rows.length > listed.length ? `… and ${counted(rows.length - listed.length, "more line")}` : "",
  };
}

/** Describes the line ends of two texts if they have other kinds: `line endings: LF → CRLF`. */
function lineEndings(before: string, after: string): string | undefined {
  const [was, is] = [before, after].map((text) =>
    [...new Set(text.match(LINE_END))].map((end) => END_NAMES[end] ?? "").toSorted(),
  );
  const [old, current] = [was?.join(" and "), is?.join(" and ")];
  return old === current ? undefined : `line endings: ${old} → ${current}`;
}

const LINE_END = /\r\n|\r|\n/g;
const END_NAMES: Readonly<Record<string, string>> = { "\r\n": "CRLF", "\r": "CR", "\n": "LF" };

/** The first rows, so that they have both of two sides: all removed lines may come before the first added one. */
function bothSides(rows: readonly LineRow[], most: number): readonly LineRow[] {
  const [first, rest] = [rows.slice(0, most), rows.slice(most)];
  const [missing] = (["removed", "added"] as const).filter((side) => !first.some(({ kind }) => kind === side));
  const other = missing === undefined ? [] : rest.filter(({ kind }) => kind === missing).slice(0, Math.trunc(most / 2));
  return [...first.slice(0, most - other.length), ...other];
}

/** Rows of which no removed one reads as an added one; of long ones the part around their difference. */
function distinctRows(rows: readonly LineRow[], width: number): readonly LineRow[] {
  const distinct = [...rows];
  const [removed, added] = (["removed", "added"] as const).map((side) =>
    [...rows.entries()].flatMap(([index, { kind, text }]) => (kind === side ? [{ index, text }] : [])),
  );
  const left = new Set(added);
  const pair = (was: { index: number; text: string }, is: { index: number; text: string }): void => {
    const sides = [was.text, is.text] as const;
    const [old, current] = differAtStart(sides, width) ? sides : shownSides(...sides, narrowed(width));
    distinct[was.index] = { kind: "removed", text: old };
    distinct[is.index] = { kind: "added", text: current };
    left.delete(is);
  };
  const different = (removed ?? []).filter((was) => {
    const alike = [...left].find(({ text }) => readsLike(was.text, text));
    if (alike !== undefined) pair(was, alike);
    return alike === undefined;
  });
  for (const was of different) {
    const next = [...left].find(({ index }) => index > was.index);
    if (next !== undefined && next.index - was.index <= width) pair(was, next);
  }
  return distinct;
}

/** Returns a text's size, and its former size if that differs. */
function sizeText(unit: string, before: number, after: number): string {
  return counted(after, unit) + (before === after ? "" : ` (was ${formatCount(before)})`);
}

const ROW_KINDS: Readonly<Record<string, LineRow["kind"]>> = { "-": "removed", "+": "added", "@": "hunk" };

function lineRow(row: string): LineRow {
  const kind = ROW_KINDS[row[0] ?? ""] ?? "same";
  return { kind, text: kind === "hunk" ? row : row.slice(2) };
}

function linesOf(text: string): string[] {
  return text.split("\n");
}

function wordChange(before: string, after: string, { long }: TextLimits): TextChange | undefined {
  if (Math.max(before.length, after.length) < long || !isProse(before) || !isProse(after)) return undefined;
  if (editDistance(piecesOf(before), piecesOf(after), MAX_EDITS) === undefined) return undefined;
  const changes = wordChanges(before, after);
  return {
    kind: "words",
    head: `${sizeText("character", before.length, after.length)}, ${counted(changes.length, "wording change")}`,
    changes: changes.slice(0, MAX_CHANGES).map(shortenWordChange),
    rest: restOf(changes.length - MAX_CHANGES),
  };
}

function restOf(count: number): string {
  return count > 0 ? `… and ${counted(count, "more change")}` : "";
}

function isProse(text: string): boolean {
  return /\S\s+\S/.test(text);
}

/** Shortens a change of words, and the text around it, to the part that is shown. */
function shortenWordChange({ word, lead, removed, added, trail }: WordChange): WordChange {
  const blank = sharedEnd(removed, added);
  const [old = "", current = ""] = [removed, added].map((text) => text.slice(0, text.length - blank.length));
  // If blanks are the difference, they can't be counted between brackets and at the end of a line.
  const isSpaced = squeezed(old) === squeezed(current);
  const [was, is] = shownSides(
    isSpaced ? escapeSpaces(old) : old,
    isSpaced ? escapeSpaces(current) : current,
    MAX_PIECE,
  );
  return { word, lead: endOf(lead), removed: was, added: is, trail: startOf(blank + trail) };
}

function squeezed(text: string): string {
  return lookOf(shownLine(text))
    .replace(/(?:\s|\\[nt])+/g, " ")
    .trim();
}

/** Returns true if two texts are seen to differ in so many columns, at which a terminal cuts them. */
export function differAtStart([before, after]: readonly [string, string], columns: number): boolean {
  const [was, is] = [before, after].map((text) => lookOf(fitToCells(shownLine(text), columns - 1)));
  return was !== is;
}

/**
 * Characters of a side that begins at its change: besides them, a line has the numbers of those that are left out, and
 * a character may have two columns.
 */
export function narrowed(columns: number): number {
  return Math.max(MIN_SIDE, Math.trunc((columns - LEFT_OUT) / 2));
}

/** Returns true for texts that look the same, also because one contains the escape of a character of the other. */
function readsLike(before: string, after: string): boolean {
  return lookOf(shownLine(before)) === lookOf(shownLine(after));
}

/** Both sides of a change, cut to their difference, so that they never read the same. */
function shownSides(before: string, after: string, width: number): readonly [before: string, after: string] {
  const [was, is] = cutSides(before, after, width);
  if (!readsLike(was, is)) return [was, is];
  return cutSides(before.replaceAll("\\", "\\\\"), after.replaceAll("\\", "\\\\"), width);
}

/** The white space both pieces end in: it belongs to what follows. */
function sharedEnd(removed: string, added: string): string {
  const [blank = ""] = /\s*$/.exec(removed) ?? [];
  return blank.length < removed.length && added.endsWith(blank) && blank.length < added.length ? blank : "";
}

/** Returns the end of the text before a change, from the beginning of a word if possible. */
function endOf(text: string): string {
  return text.length <= AROUND ? text : `…${text.slice(-AROUND).replace(/^\S+(?=\s+\S)/, "")}`;
}

function startOf(text: string): string {
  return text.length <= AROUND ? text : `${text.slice(0, AROUND).replace(/(?<=\S\s+)\S+$/, "")}…`;
}
