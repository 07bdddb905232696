/** A part of a text that is a secret. */
export interface SecretSpan {
  readonly start: number;
  /** End of the span, exclusive. */
  readonly end: number;
  readonly kind: string;
  /** True if a name in front of the span marks it as a secret. */
  readonly isNamed?: boolean;
  /** True if the secret was found in another part, and isn't marked in this one. */
  readonly isRemembered?: boolean;
}

/**
 * Returns true if a text has a part, searched first by an end of it that begins with a rare letter: a native search
 * stops at each first letter, and takes five times as long if that is an `a` or a quote.
 */
export function containsText(text: string, part: string, rare: string): boolean {
  return text.includes(rare) && text.includes(part);
}

/**
 * Orders spans and joins those that overlap, so that each character is hidden once. The span that begins first gives
 * the joined one its kind; of those that begin together, the first in the list.
 */
export function joinSpans(spans: readonly SecretSpan[]): readonly SecretSpan[] {
  const joined: SecretSpan[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    if (last === undefined || span.start >= last.end) joined.push(span);
    else if (span.end > last.end) joined[joined.length - 1] = { ...last, end: span.end };
  }
  return joined;
}

/** Leaves out the spans that lie within one of some ranges; both in order. */
export function outside<T extends Pick<SecretSpan, "start" | "end">>(
  spans: readonly T[],
  ranges: readonly (readonly [number, number])[],
): readonly T[] {
  if (ranges.length === 0) return spans;
  let next = 0;
  return spans.filter(({ start, end }) => {
    while ((ranges[next]?.[1] ?? Infinity) <= start) next += 1;
    const [from, to] = ranges[next] ?? [Infinity, Infinity];
    return start < from || end > to;
  });
}

/** The spans that begin in one part of a text and end in another. */
export function acrossParts(spans: readonly SecretSpan[], parts: readonly string[]): readonly SecretSpan[] {
  if (spans.length === 0) return spans;
  let end = 0;
  const ends = parts.map((part) => (end += part.length));
  return spans.filter((span) => ends.some((end) => span.start < end && end < span.end));
}

/** A replacement of the part `[start, end)` of a text. */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Applies edits to a text in parts. A replacement goes into the part where its edit begins; the parts it reaches into
 * lose the covered text. The number of parts stays. Edits are in order and don't overlap.
 */
export function editParts(parts: readonly string[], edits: readonly TextEdit[]): readonly string[] {
  if (edits.length === 0) return parts;
  const edited: string[] = [];
  let offset = 0;
  let next = 0;
  for (const part of parts) {
    const end = offset + part.length;
    while ((edits[next]?.end ?? Infinity) <= offset) next += 1;
    edited.push(editPart(part, offset, edits.slice(next, endIndex(edits, next, end))));
    offset = end;
  }
  return edited;
}

/** The index after the last edit that begins before `end`. */
function endIndex(edits: readonly TextEdit[], from: number, end: number): number {
  let index = from;
  while ((edits[index]?.start ?? Infinity) < end) index += 1;
  return index;
}

function editPart(part: string, offset: number, edits: readonly TextEdit[]): string {
  let text = "";
  let from = 0;
  for (const { start, end, text: replacement } of edits) {
    // An edit that began in an earlier part left its replacement there.
    if (start >= offset) text += part.slice(from, start - offset) + replacement;
    from = Math.min(end - offset, part.length);
  }
  return text + part.slice(from);
}
