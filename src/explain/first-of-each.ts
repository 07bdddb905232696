/**
 * Returns the first `max` of the items, in their order, but with at least one of each kind as far as `max` allows, so
 * that the cut hides no kind behind another. `kindOf` returns a number; smaller ones are preferred if one of each
 * doesn't fit.
 */
export function firstOfEach<T>(items: readonly T[], max: number, kindOf: (item: T) => number): readonly T[] {
  if (items.length <= max) return items;
  const firsts = new Map<number, T>();
  for (const item of items) {
    const kind = kindOf(item);
    if (!firsts.has(kind)) firsts.set(kind, item);
  }
  const chosen = new Set(
    [...firsts]
      .toSorted(([a], [b]) => a - b)
      .slice(0, max)
      .map(([, item]) => item),
  );
  for (const item of items) {
    if (chosen.size >= max) break;
    chosen.add(item);
  }
  return items.filter((item) => chosen.has(item));
}
