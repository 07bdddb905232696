/** Scores by the index of a text; a text without an entry has none. */
export type Scores = ReadonlyMap<number, number>;

/** The usual constant of reciprocal rank fusion: it keeps the first ranks from deciding alone. */
const RRF_K = 60;

/** Brings two rankings to the span 0 to 1 each and adds them by weight; `weight` is the second one's share. */
export function fuseByWeight(one: Scores, other: Scores, weight: number): Map<number, number> {
  const [first, second] = [normalized(one), normalized(other)];
  return combine(
    [...first.keys(), ...second.keys()],
    (id) => (1 - weight) * (first.get(id) ?? 0) + weight * (second.get(id) ?? 0),
  );
}

/** Adds the reciprocal ranks of two rankings; needs no common scale. */
export function fuseByRank(one: Scores, other: Scores): Map<number, number> {
  const [first, second] = [ranks(one), ranks(other)];
  return combine([...first.keys(), ...second.keys()], (id) => reciprocal(first.get(id)) + reciprocal(second.get(id)));
}

function combine(ids: readonly number[], score: (id: number) => number): Map<number, number> {
  return new Map([...new Set(ids)].map((id) => [id, score(id)]));
}

function normalized(scores: Scores): Map<number, number> {
  let [least, most] = [Infinity, -Infinity];
  for (const score of scores.values()) [least, most] = [Math.min(least, score), Math.max(most, score)];
  return new Map([...scores].map(([id, score]) => [id, most === least ? 1 : (score - least) / (most - least)]));
}

function ranks(scores: Scores): Map<number, number> {
  const order = [...scores].toSorted(([a, x], [b, y]) => y - x || a - b);
  return new Map(order.map(([id], rank) => [id, rank + 1]));
}

function reciprocal(rank: number | undefined): number {
  return rank === undefined ? 0 : 1 / (RRF_K + rank);
}
