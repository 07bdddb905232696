import { formatValue } from "../../diff/format-value.ts";
import type { WordPlace } from "../../diff/word-place.ts";
import type { ReportChange } from "../run-model.ts";
import { placeOf } from "./place-of.ts";
import { type Span, type TerminalLine, type Tone, fits } from "./terminal-line.ts";
import { wordPlaces } from "./word-places.ts";
import { counted } from "./wording.ts";

/** Characters from which a text is compared by words even where there is room for it. */
const LONG = 100;
/** Characters of a value: more than the widest screen shows. */
const MAX_VALUE = 1000;

/** Where a change is drawn, and what stands before its path. */
export interface ChangePlace {
  readonly lead: string;
  readonly indent: number;
  readonly columns: number;
}

/** The lines of one change: `path: before → after`, on two lines where that is too wide, and by words for prose. */
export function changeLines(change: ReportChange, { lead, indent, columns }: ChangePlace): TerminalLine[] {
  const { before, after, cut } = change;
  const where = `${lead}${placeOf(change)}`;
  const end: Span[] = cut ? [span(" (cut)", "faint")] : [];
  if (before === undefined && after === undefined)
    return [{ indent: indent + 2, spans: [span(`${where} differs from its stored hash`)], wraps: true }];
  if (before === undefined)
    return [{ indent, spans: [span("+ ", "added"), span(`${where}: `), span(shown(after), "added"), ...end] }];
  if (after === undefined)
    return [{ indent, spans: [span("- ", "removed"), span(`${where}: `), span(shown(before), "removed"), ...end] }];
  const line = {
    indent: indent + 2,
    spans: [
      span(`${where}: `),
      span(shown(before), "removed"),
      span(" → ", "faint"),
      span(shown(after), "added"),
      ...end,
    ],
  };
  const narrow = fits(line, columns);
  if (
    typeof before === "string" &&
    typeof after === "string" &&
    (!narrow || Math.max(before.length, after.length) >= LONG)
  ) {
    const words = wordLines(before, after, { where, indent: indent + 2, end });
    if (words !== undefined) return words;
  }
  if (narrow) return [line];
  return [
    { indent: indent + 2, spans: [span(`${where}:`), ...end] },
    { indent: indent + 4, spans: [span("- ", "removed"), span(shown(before), "removed")] },
    { indent: indent + 4, spans: [span("+ ", "added"), span(shown(after), "added")] },
  ];
}

function wordLines(
  before: string,
  after: string,
  { where, indent, end }: { readonly where: string; readonly indent: number; readonly end: readonly Span[] },
): TerminalLine[] | undefined {
  const places = wordPlaces(before, after);
  if (places === undefined) return undefined;
  const rest = places.count - places.shown.length;
  return [
    { indent, spans: [span(`${where}: `), span(wordsChanged(before, after, places.count)), ...end] },
    ...places.shown.map((place) => ({ indent: indent + 2, spans: placeSpans(place), wraps: true })),
    ...(rest > 0 ? [{ indent: indent + 2, spans: [span(`… and ${counted(rest, "more place")}`, "faint")] }] : []),
  ];
}

/** How much of a text is other: `70 characters (was 73), other words in 2 places`. */
export function wordsChanged(before: string, after: string, places: number): string {
  return `${counted(after.length, "character")} (was ${before.length}), other words in ${counted(places, "place")}`;
}

function placeSpans({ word, lead, removed, added, trail }: WordPlace): Span[] {
  return [
    span(`word ${word}: `, "faint"),
    span(lead),
    ...(removed === "" ? [] : [span(`[-${removed}-]`, "removed")]),
    ...(added === "" ? [] : [span(`{+${added}+}`, "added")]),
    span(trail),
  ];
}

function shown(value: ReportChange["before"]): string {
  return formatValue(value, MAX_VALUE);
}

function span(text: string, tone: Tone = "plain"): Span {
  return { text, tone };
}
