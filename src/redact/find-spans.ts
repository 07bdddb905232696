import { CONTEXT_BEFORE, type Detector, SHAPE_DETECTORS } from "./shape-detectors.ts";
import type { FieldLookup } from "./field-names.ts";
import { findNamed } from "./find-named.ts";
import { KEY_DETECTORS, MARKED_KEY_DETECTORS } from "./key-detectors.ts";
import { placeholdersIn } from "./placeholder.ts";
import { readableText } from "./readable-text.ts";
import { type SecretSpan, containsText, joinSpans, outside } from "./secret-spans.ts";

/** Secrets to find in a text in addition to the known shapes. */
interface SpanSearch {
  readonly lookup: FieldLookup;
  readonly known: (text: string) => readonly SecretSpan[];
}

const KEYS = [
  // Keys begin at a token's start, so that only few positions are compared with all the prefixes.
  [new RegExp(`(?<![A-Za-z0-9])(?:${hintsOf(KEY_DETECTORS)})`), KEY_DETECTORS],
  [new RegExp(hintsOf(MARKED_KEY_DETECTORS)), MARKED_KEY_DETECTORS],
] as const;

function hintsOf(detectors: typeof KEY_DETECTORS): string {
  return detectors.map(({ hint }) => hint.source).join("|");
}

/**
 * Finds the secrets in a text, in order and without overlap; the content of placeholders doesn't count. If a text has
 * colours, invisible characters or entities of HTML, it is also searched as it reads.
 */
export function findSpans(text: string, search: SpanSearch): readonly SecretSpan[] {
  const spans = spansIn(text, search);
  const read = readableText(text);
  if (read !== undefined)
    for (const span of spansIn(read.text, search)) spans.push({ ...span, ...read.sourceRange(span) });
  return spans.length === 0
    ? spans
    : joinSpans(
        outside(
          spans.toSorted((a, b) => a.start - b.start),
          placeholdersIn(text),
        ),
      );
}

function spansIn(text: string, { lookup, known }: SpanSearch): SecretSpan[] {
  const spans: SecretSpan[] = [...known(text)];
  for (const [start, end] of findPrivateKeys(text)) spans.push({ start, end, kind: "private-key" });
  const runs = longRuns(text);
  for (const detector of runs === "" ? [] : keysIn(runs)) collect(detector, text, spans);
  for (const { mayMatch, detectors } of SHAPE_DETECTORS)
    if (mayMatch(text)) for (const detector of detectors) collect(detector, text, spans);
  for (const span of findNamed(text, lookup)) spans.push({ ...span, isNamed: true });
  return spans;
}

/**
 * Returns true if a text may contain a secret; false is certain. For texts joined by blank lines it is true if it is
 * true of one of them.
 */
export function mayContainSecret(text: string, { known, lookup }: SpanSearch): boolean {
  return (
    containsText(text, ...PRIVATE_KEY) ||
    SHAPE_DETECTORS.some(({ mayMatch }) => mayMatch(text)) ||
    mayHoldKey(longRuns(text)) ||
    findNamed(text, lookup).length > 0 ||
    readableText(text) !== undefined ||
    known(text).length > 0
  );
}

function mayHoldKey(runs: string): boolean {
  return runs !== "" && KEYS.some(([any]) => any.test(runs));
}

function keysIn(runs: string): readonly Detector[] {
  const sought = KEYS.filter(([any]) => any.test(runs));
  return sought.flatMap(([, detectors]) => detectors.filter(({ hint }) => hint.test(runs)));
}

function collect({ kind, pattern, confirms }: Detector, text: string, spans: SecretSpan[]): void {
  for (const { index, 0: match, groups } of text.matchAll(pattern)) {
    const secret = groups?.["secret"] ?? match;
    const start = index + match.lastIndexOf(secret);
    if (confirms !== undefined && !confirms(secret, text.slice(Math.max(0, start - CONTEXT_BEFORE), start))) continue;
    spans.push({ start, end: start + secret.length, kind });
  }
}

/** Every key of a known issuer is a run of at least so many of the characters below; few words of prose are. */
const MIN_RUN = 20;

const RUN_CODES = new Uint8Array(128);
for (const character of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./+=:-$~|!")
  RUN_CODES[character.charCodeAt(0)] = 1;

/** The different long runs of token characters in a text, joined by spaces; empty when there are none. */
function longRuns(text: string): string {
  // The events of a stream repeat the id of its response.
  const runs = new Set<string>();
  let start = 0;
  while (start + MIN_RUN <= text.length) {
    // From the far end of a possible run: most are refused after a few characters, and skipped completely.
    let index = start + MIN_RUN - 1;
    while (index >= start && isRunCode(text.charCodeAt(index))) index -= 1;
    if (index >= start) {
      start = index + 1;
      continue;
    }
    let end = start + MIN_RUN;
    while (end < text.length && isRunCode(text.charCodeAt(end))) end += 1;
    runs.add(text.slice(start, end));
    const unescaped = afterEscape(text, start, end);
    if (unescaped !== "") runs.add(unescaped);
    start = end + 1;
  }
  return [...runs].join(" ");
}

/** A run that begins inside an escape (`\\nsk-…`, `%3Dsk-…`) again without the rest of the escape; otherwise empty. */
function afterEscape(text: string, start: number, end: number): string {
  const before = text[start - 1];
  if (before === "%") return text.slice(start + 2, end);
  return before === "\\" ? text.slice(start + (text[start] === "u" ? 5 : 1), end) : "";
}

function isRunCode(code: number): boolean {
  return code < 128 && RUN_CODES[code] === 1;
}

const PRIVATE_KEY = ["PRIVATE KEY", "KEY"] as const;
const BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y;

// Characters of a key's body whose end was cut off: base64, and line ends written out or escaped.
const BODY = /(?:[A-Za-z0-9+/=\s]|\\+[nr])*/y;

/** Finds private keys in PEM form, as `[start, end)`; one without its end reaches as far as base64 does. */
function findPrivateKeys(text: string): readonly (readonly [number, number])[] {
  if (!containsText(text, ...PRIVATE_KEY)) return [];
  const ranges: (readonly [number, number])[] = [];
  let from = 0;
  for (const { index, 0: begin } of text.matchAll(BEGIN)) {
    if (index < from) continue;
    const body = index + begin.length;
    // A dash ends the search: a key's body has none, and the next key's begin must not be its end.
    const dashes = text.indexOf("-----", body);
    from = endOf(text, body, dashes);
    // Programs that look for keys write the first line alone.
    if (from > body) ranges.push([index, from]);
  }
  return ranges;
}

function endOf(text: string, body: number, dashes: number): number {
  END.lastIndex = dashes;
  if (dashes !== -1 && END.test(text)) return END.lastIndex;
  BODY.lastIndex = body;
  return BODY.test(text) ? BODY.lastIndex : body;
}
