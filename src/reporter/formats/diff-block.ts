import { truncate } from "../../base/text.ts";
import { formatValue } from "../../diff/format-value.ts";
import type { ReportCase, ReportChange } from "../run-model.ts";
import { wordsChanged } from "./change-lines.ts";
import { detailsOf } from "./details-of.ts";
import { placeOf } from "./place-of.ts";
import { plainChange, plainLine } from "./plain-lines.ts";
import { type WordPlaces, wordPlaces } from "./word-places.ts";

/** Changes of one case, and characters of a value. */
const MAX_CHANGES = 20;
const MAX_VALUE = 300;
/** Characters from which a text is compared by words. */
const LONG = 60;

/**
 * What is to be told of a case as a fenced block of markdown, in which `-` and `+` begin what went and what came. The
 * fence is longer than any within it, and every line within begins with a sign or a blank: no text ends the block.
 */
export function diffBlock(found: ReportCase): string {
  const lines = detailsOf(found, MAX_CHANGES).flatMap((detail) => {
    if (detail.kind !== "change") return [`  ${detail.text}`];
    return detail.role === "tolerated"
      ? [`  ${plainChange(detail.lead, detail.change)}`]
      : changeLines(detail.lead, detail.change);
  });
  return lines.length === 0 ? "" : fenced("diff", lines.map(plainLine));
}

/** Lines as a fenced block of markdown. They must be safe to show. */
export function fenced(language: string, lines: readonly string[]): string {
  const runs = lines.flatMap((line) => line.match(/`+/g) ?? []);
  const fence = "`".repeat(Math.max(3, 1 + Math.max(0, ...runs.map(({ length }) => length))));
  return `${fence}${language}\n${lines.join("\n")}\n${fence}\n`;
}

function changeLines(lead: string, change: ReportChange): string[] {
  const { before, after, cut } = change;
  const where = `${lead}${placeOf(change)}`;
  const end = cut ? " (cut)" : "";
  if (before === undefined && after === undefined) return [`  ${where} differs from its stored hash`];
  if (typeof before === "string" && typeof after === "string" && Math.max(before.length, after.length) >= LONG) {
    const places = wordPlaces(before, after);
    if (places !== undefined)
      return [`! ${where}: ${wordsChanged(before, after, places.count)}${end}`, ...wordLines(places)];
  }
  return [
    ...(before === undefined ? [] : [`- ${where}: ${formatValue(before, MAX_VALUE)}${end}`]),
    ...(after === undefined ? [] : [`+ ${where}: ${formatValue(after, MAX_VALUE)}${end}`]),
  ];
}

function wordLines({ count, shown }: WordPlaces): string[] {
  const lines = shown.map(({ word, lead, removed, added, trail }) => {
    const marked = `${removed === "" ? "" : `[-${removed}-]`}${added === "" ? "" : `{+${added}+}`}`;
    return `    word ${word}: ${truncate(`${lead}${marked}${trail}`, MAX_VALUE)}`;
  });
  return count > shown.length ? [...lines, `    … and ${count - shown.length} more places`] : lines;
}
