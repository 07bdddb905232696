import { escapeText, truncate } from "../base/text.ts";
import { formatPath } from "../diff/format-path.ts";
import type { DiffEntry } from "../diff/types.ts";
import { type WordChange, wordChanges } from "../diff/word-diff.ts";

/** Characters from which a text is compared by words instead of being shown whole. */
const LONG = 100;
/** Places shown of one text: with what stands around them they must leave room for the rest of a screen. */
const MAX_PLACES = 4;
/** Characters of a removed or added piece, and of what is shown before and after it. */
const MAX_PIECE = 120;
const AROUND = 30;
/** Columns of a line: those of a narrow terminal. */
const WIDTH = 78;

/** The lines of a changed long text: where, how much, and each changed place between `[-` and `-]`, `{+` and `+}`. Undefined for another entry. */
export function wordLines({ path, before, after }: DiffEntry, indent: string): string[] | undefined {
  if (typeof before !== "string" || typeof after !== "string" || Math.max(before.length, after.length) < LONG) return undefined;
  const changes = wordChanges(before, after);
  const count = `${changes.length} ${changes.length === 1 ? "place" : "places"}`;
  const head = `${indent}${formatPath(path)}: ${after.length} characters (was ${before.length}), other words in ${count}`;
  const rest = changes.length - MAX_PLACES;
  return [
    head,
    ...changes.slice(0, MAX_PLACES).flatMap((change) => placeLines(change, `${indent}  `)),
    ...(rest > 0 ? [`${indent}  … and ${rest} more ${rest === 1 ? "place" : "places"}`] : []),
  ];
}

function placeLines({ word, lead, removed, added, trail }: WordChange, indent: string): string[] {
  const blank = sharedEnd(removed, added);
  const [old, current] = [removed, added].map((text) => text.slice(0, text.length - blank.length));
  const marked = [old === "" ? "" : `[-${piece(old ?? "")}-]`, current === "" ? "" : `{+${piece(current ?? "")}+}`].join("");
  return wrapped(`word ${word}: ${textBefore(lead)}${marked}${textAfter(blank + trail)}`, indent);
}

/** The white space both pieces end in: it belongs to what follows. */
function sharedEnd(removed: string, added: string): string {
  const [blank = ""] = /\s*$/.exec(removed) ?? [];
  return blank.length < removed.length && added.endsWith(blank) && blank.length < added.length ? blank : "";
}

/** The end of what stands before a change, from the beginning of a word where there is one. */
function textBefore(text: string): string {
  if (text.length <= AROUND) return oneLine(text);
  const end = text.slice(-AROUND);
  return `…${oneLine(end.replace(/^\S+(?=\s+\S)/, ""))}`;
}

function textAfter(text: string): string {
  if (text.length <= AROUND) return oneLine(text);
  const start = text.slice(0, AROUND);
  return `${oneLine(start.replace(/(?<=\S\s+)\S+$/, ""))}…`;
}

function piece(text: string): string {
  return oneLine(truncate(text, MAX_PIECE));
}

/** A piece of a text on one line: line ends and tabs are shown, not obeyed. */
function oneLine(text: string): string {
  return escapeText(text).replaceAll("\n", "\\n").replaceAll("\t", "\\t");
}

/** Breaks a line at blanks where it is too wide; later lines stand a little further in. */
function wrapped(text: string, indent: string): string[] {
  const lines: string[] = [];
  let line = indent;
  for (const word of text.split(/(?<= )/)) {
    if (line.trim() !== "" && line.length + word.trimEnd().length > WIDTH) {
      lines.push(line.trimEnd());
      line = `${indent}  `;
    }
    line += word;
  }
  return [...lines, line.trimEnd()];
}
