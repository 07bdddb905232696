import { BEFORE, type Detector } from "./detector.ts";
import { findAssignments } from "./find-assignments.ts";
import { KEY_DETECTORS } from "./key-detectors.ts";
import { longRuns } from "./long-runs.ts";
import type { FieldLookup } from "./named-fields.ts";
import { placeholdersIn } from "./placeholder.ts";
import { findPrivateKeys } from "./private-keys.ts";
import { SHAPE_DETECTORS } from "./shape-detectors.ts";
import { type Span, joinSpans, outside } from "./span.ts";

/** What to look for in a text beside the known shapes. */
export interface SpanSearch {
  readonly lookup: FieldLookup;
  readonly known: (text: string) => readonly Span[];
}

// Keys begin where a token does, so that only few places are compared with all the prefixes.
const ANY_KEY = new RegExp(`(?<![A-Za-z0-9_-])(?:${KEY_DETECTORS.map(({ hint }) => hint.source).join("|")})`);

/** Finds the secrets in a text, in order and apart from each other; what stands in placeholders is none. */
export function findSpans(text: string, { lookup, known }: SpanSearch): readonly Span[] {
  const spans: Span[] = [...known(text)];
  for (const [start, end] of findPrivateKeys(text)) spans.push({ start, end, kind: "private-key" });
  const runs = longRuns(text);
  if (mayHoldKey(runs))
    for (const detector of KEY_DETECTORS) if (detector.hint.test(runs)) collect(detector, text, spans);
  if (mayHoldShape(text))
    for (const detector of SHAPE_DETECTORS) if (detector.hint.test(text)) collect(detector, text, spans);
  for (const span of findAssignments(text, lookup)) spans.push(span);
  return spans.length === 0
    ? spans
    : joinSpans(
        outside(
          spans.toSorted((a, b) => a.start - b.start),
          placeholdersIn(text),
        ),
      );
}

// A URL or a token's start, "Bearer" and "Basic", a run of digits. Apart: forms of one length are sought in leaps, a
// mixture letter by letter, which takes three times as long.
const ANY_SHAPE = [/:\/\/|eyJ/, /[Bb](?:earer|asic|EARER|ASIC)/, /\d\d\d\d[ \-\d]\d\d\d/] as const;

/**
 * Tells whether a text may hold a secret without a name before it; false is certain. Of texts that are joined by line
 * ends it is true where it is true of one of them.
 */
export function mayHoldSpan(text: string, known: SpanSearch["known"]): boolean {
  return text.includes("PRIVATE KEY") || mayHoldShape(text) || mayHoldKey(longRuns(text)) || known(text).length > 0;
}

function mayHoldKey(runs: string): boolean {
  return runs !== "" && ANY_KEY.test(runs);
}

function mayHoldShape(text: string): boolean {
  return ANY_SHAPE.some((shape) => shape.test(text));
}

function collect({ kind, pattern, confirms }: Detector, text: string, spans: Span[]): void {
  for (const { index, 0: match, groups } of text.matchAll(pattern)) {
    const secret = groups?.["secret"] ?? match;
    const start = index + match.lastIndexOf(secret);
    if (confirms !== undefined && !confirms(secret, text.slice(Math.max(0, start - BEFORE), start))) continue;
    spans.push({ start, end: start + secret.length, kind });
  }
}
