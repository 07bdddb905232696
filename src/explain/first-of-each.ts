/**
 * The first `max` of the items, in their order, but with at least one of each kind as far as `max` allows: what is cut
 * away hides no kind behind another. `kindOf` gives a number; smaller ones come before others where there is no room
 * for one of each.
 */
export function firstOfEach<T>(items: readonly T[], max: number, kindOf: (item: T) => number): readonly T[] {
  if (items.length <= max) return items;
  const firsts = new Map<number, T>();
  for (const item of items) {
    const kind = kindOf(item);
    if (!firsts.has(kind)) firsts.set(kind, item);
  }
  const taken = new Set(
    [...firsts]
      .toSorted(([a], [b]) => a - b)
      .slice(0, max)
      .map(([, item]) => item),
  );
  for (const item of items) {
    if (taken.size >= max) break;
    taken.add(item);
  }
  return items.filter((item) => taken.has(item));
}
