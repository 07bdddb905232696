/** How two lists pair up as multisets: what is left over on either side. */
export interface MultisetMatch<W, F> {
  readonly missing: readonly W[];
  readonly unexpected: readonly F[];
}

/**
 * Pairs wanted items with found ones one to one so that as many as possible pair (augmenting paths): an asymmetric
 * matcher fits several items, and taking the first that fits could leave another without a partner.
 */
export function matchMultiset<W, F>(wanted: readonly W[], found: readonly F[], fits: (wanted: W, found: F) => boolean): MultisetMatch<W, F> {
  const partner = new Map<number, number>();
  const augment = (wantedIndex: number, item: W, seen: Set<number>): boolean =>
    found.some((candidate, index) => {
      if (seen.has(index) || !fits(item, candidate)) return false;
      seen.add(index);
      const holder = partner.get(index);
      const free = holder === undefined || wanted.slice(holder, holder + 1).every((other) => augment(holder, other, seen));
      if (free) partner.set(index, wantedIndex);
      return free;
    });
  const missing = wanted.filter((item, index) => !augment(index, item, new Set()));
  return { missing, unexpected: found.filter((_, index) => !partner.has(index)) };
}
