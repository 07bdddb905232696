import { escapeText } from "../base/text.ts";
import { formatPath } from "../diff/format-path.ts";
import type { DiffEntry } from "../diff/types.ts";
import { type WordChange, wordChanges } from "../diff/word-diff.ts";
import { MAX_PLACES, wordPlace } from "../diff/word-place.ts";

/** Characters from which a text is compared by words instead of being shown whole. */
const LONG = 100;
/** Columns of a line: those of a narrow terminal. */
const WIDTH = 78;

/**
 * The lines of a changed long text: where, how much, and each changed place between `[-` and `-]`, `{+` and `+}`.
 * Undefined for another entry.
 */
export function wordLines({ path, before, after }: DiffEntry, indent: string): string[] | undefined {
  if (typeof before !== "string" || typeof after !== "string" || Math.max(before.length, after.length) < LONG)
    return undefined;
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

function placeLines(change: WordChange, indent: string): string[] {
  const { word, lead, removed, added, trail } = wordPlace(change);
  const marked = [removed === "" ? "" : `[-${oneLine(removed)}-]`, added === "" ? "" : `{+${oneLine(added)}+}`].join(
    "",
  );
  return wrapped(`word ${word}: ${oneLine(lead)}${marked}${oneLine(trail)}`, indent);
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
