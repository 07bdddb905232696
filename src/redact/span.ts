/** A part of a text that is a secret. */
export interface Span {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
  readonly kind: string;
}

/**
 * Orders spans and joins those that overlap, so that each character is hidden once. What begins first gives the joined
 * span its kind; of those that begin together, the one given first.
 */
export function joinSpans(spans: readonly Span[]): readonly Span[] {
  const joined: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    if (last === undefined || span.start >= last.end) joined.push(span);
    else if (span.end > last.end) joined[joined.length - 1] = { ...last, end: span.end };
  }
  return joined;
}

/** Leaves out the spans that lie within one of some ranges; both in order. */
export function outside(spans: readonly Span[], ranges: readonly (readonly [number, number])[]): readonly Span[] {
  if (ranges.length === 0) return spans;
  let next = 0;
  return spans.filter(({ start, end }) => {
    while ((ranges[next]?.[1] ?? Infinity) <= start) next += 1;
    const [from, to] = ranges[next] ?? [Infinity, Infinity];
    return start < from || end > to;
  });
}
