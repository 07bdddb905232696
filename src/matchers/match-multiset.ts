/** Pairing of two lists as multisets: the items left over on either side. */
interface MultisetMatch<W, F> {
  readonly missing: readonly W[];
  readonly unexpected: readonly F[];
}

/**
 * Pairs wanted items with actual ones one to one so that as many as possible pair (augmenting paths): an asymmetric
 * matcher fits several items, and taking the first that fits could leave another without a partner.
 */
export function matchMultiset<W, F>(
  wanted: readonly W[],
  actual: readonly F[],
  fits: (wanted: W, item: F) => boolean,
): MultisetMatch<W, F> {
  // Asked once for each pair: a runner's deep equality is the dear part.
  const fitting = wanted.map((item) => actual.flatMap((candidate, index) => (fits(item, candidate) ? [index] : [])));
  const partner = new Map<number, number>();
  const augment = (wantedIndex: number, seen: Set<number>): boolean => {
    const partners = fitting[wantedIndex] ?? [];
    const movable = (index: number): boolean => {
      const holder = partner.get(index);
      return holder !== undefined && !seen.has(index) && augment(holder, seen.add(index));
    };
    // Free partners first: equal items would push each other along, in cubic time.
    const chosen = partners.find((index) => !partner.has(index)) ?? partners.find(movable);
    if (chosen !== undefined) partner.set(chosen, wantedIndex);
    return chosen !== undefined;
  };
  const missing = wanted.filter((_, index) => !augment(index, new Set()));
  return { missing, unexpected: actual.filter((_, index) => !partner.has(index)) };
}
