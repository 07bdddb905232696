import { unifiedRows } from "../kernel/pretty.ts";
import { truncate } from "../kernel/text.ts";
import { escapeLookAlikes } from "../kernel/diff/look-alikes.ts";
import { editDistance } from "../kernel/diff/tolerances.ts";
import { type EditStep, MAX_COMPARISONS, editOf } from "../kernel/diff/edit.ts";
import { type WordChange, piecesOf, wordChanges } from "./word-changes.ts";
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
/** Characters of a removed or added piece, and of the text shown before and after it. */
const MAX_PIECE = 120;
const AROUND = 30;

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
  if (old.length < 2 || current.length < 2) return wordChange(was, is, limits);
  const budget = { comparisons: MAX_COMPARISONS };
  const steps = editOf(old, current, budget).filter(({ kind }) => kind !== "same");
  const prose = steps.some(({ item }) => item.length > PROSE_LINE);
  const words = prose ? wordChange(was, is, limits) : undefined;
  if (words !== undefined) return words;
  // True for very different texts of thousands of lines: comparing them line by line takes too long.
  const isLong = budget.comparisons < 0;
  const rows = isLong ? steps.map(({ kind, item }) => ({ kind, text: item })) : unifiedRows(old, current).map(lineRow);
  const { rows: most = MAX_ROWS } = limits;
  return {
    kind: "lines",
    head: sizeText("line", old.length, current.length),
    rows: rows.slice(0, most),
    rest: rows.length > most ? `… and ${counted(rows.length - most, "more line")}` : "",
  };
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
    head: `${sizeText("character", before.length, after.length)}, other words in ${counted(changes.length, "place")}`,
    changes: changes.slice(0, MAX_CHANGES).map(shortenWordChange),
    rest: restOf(changes.length - MAX_CHANGES),
  };
}

function restOf(count: number): string {
  return count > 0 ? `… and ${counted(count, "more place")}` : "";
}

function isProse(text: string): boolean {
  return /\S\s+\S/.test(text);
}

/** Shortens a change of words, and the text around it, to the part that is shown. */
function shortenWordChange({ word, lead, removed, added, trail }: WordChange): WordChange {
  const blank = sharedEnd(removed, added);
  const [old = "", current = ""] = [removed, added].map((text) => text.slice(0, text.length - blank.length));
  const [was, is] = escapeLookAlikes(old, current);
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

/** Returns the end of the text before a change, from the beginning of a word if possible. */
function endOf(text: string): string {
  return text.length <= AROUND ? text : `…${text.slice(-AROUND).replace(/^\S+(?=\s+\S)/, "")}`;
}

function startOf(text: string): string {
  return text.length <= AROUND ? text : `${text.slice(0, AROUND).replace(/(?<=\S\s+)\S+$/, "")}…`;
}
