/**
 * How much may still be compared: edits are counted over all comparisons of a text, so that no text takes long.
 * @typedef {{ edits: number }} Budget
 */

/**
 * A stretch of two lists: in both, only in the first (`gone`), or only in the second (`new`).
 * @typedef {{ kind: "same" | "gone" | "new", items: readonly string[] }} Stretch
 */

/** More edits than this in one comparison tell a reader nothing: the whole middle is shown as replaced. */
const MAX_EDITS = 800;

/**
 * The shortest way from one list to another, after Myers; beyond the budget, whatever is not the common start or end
 * counts as replaced.
 * @param {readonly string[]} a
 * @param {readonly string[]} b
 * @param {Budget} budget
 * @returns {Stretch[]}
 */
export function compareLists(a, b, budget) {
  const start = commonStart(a, b);
  const end = commonEnd(a.slice(start), b.slice(start));
  const middle = shortest({ a: a.slice(start, a.length - end), b: b.slice(start, b.length - end), budget });
  /** @type {Stretch[]} */
  const all = [{ kind: "same", items: a.slice(0, start) }, ...middle, { kind: "same", items: a.slice(a.length - end) }];
  return all.filter(({ items }) => items.length > 0);
}

/**
 * @param {readonly string[]} a
 * @param {readonly string[]} b
 */
function commonStart(a, b) {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length++;
  return length;
}

/**
 * @param {readonly string[]} a
 * @param {readonly string[]} b
 */
function commonEnd(a, b) {
  let length = 0;
  while (length < a.length && length < b.length && a[a.length - 1 - length] === b[b.length - 1 - length]) length++;
  return length;
}

/**
 * @param {{ a: readonly string[], b: readonly string[], budget: Budget }} given
 * @returns {Stretch[]}
 */
function shortest({ a, b, budget }) {
  const most = Math.min(MAX_EDITS, budget.edits, a.length + b.length);
  const trail = a.length === 0 || b.length === 0 ? null : explore({ a, b, most });
  budget.edits -= trail === null ? 0 : trail.length;
  if (trail === null)
    return [
      { kind: "gone", items: a },
      { kind: "new", items: b },
    ];
  return walkBack({ a, b, trail });
}

/**
 * Reaches as far as each number of edits can, and keeps each state for the way back; null where `most` edits are not
 * enough. A state holds, by diagonal, how far into `a` it came; diagonal k is at `most + 1 + k`.
 * @param {{ a: readonly string[], b: readonly string[], most: number }} given
 */
function explore({ a, b, most }) {
  const reached = new Int32Array(2 * most + 3);
  /** @type {Int32Array[]} */
  const trail = [];
  for (let edits = 0; edits <= most; edits++) {
    trail.push(reached.slice(most - edits, most + edits + 3));
    for (let k = -edits; k <= edits; k += 2) {
      const at = most + 1 + k;
      let x = goesDown({ k, edits, state: reached, at }) ? (reached[at + 1] ?? 0) : (reached[at - 1] ?? 0) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      reached[at] = x;
      if (x >= a.length && x - k >= b.length) return trail;
    }
  }
  return null;
}

/** @param {{ k: number, edits: number, state: Int32Array, at: number }} place */
function goesDown({ k, edits, state, at }) {
  return k === -edits || (k !== edits && (state[at - 1] ?? 0) < (state[at + 1] ?? 0));
}

/**
 * @param {{ a: readonly string[], b: readonly string[], trail: readonly Int32Array[] }} given
 * @returns {Stretch[]}
 */
function walkBack({ a, b, trail }) {
  /** @type {Stretch[]} */
  const back = [];
  let x = a.length;
  let y = b.length;
  for (let edits = trail.length - 1; edits >= 0; edits--) {
    const state = trail[edits] ?? new Int32Array(3);
    const k = x - y;
    const at = edits + 1 + k;
    const down = goesDown({ k, edits, state, at });
    const fromX = edits === 0 ? 0 : (state[down ? at + 1 : at - 1] ?? 0);
    const fromY = edits === 0 ? 0 : fromX - (down ? k + 1 : k - 1);
    const snake = edits === 0 ? x : x - (down ? fromX : fromX + 1);
    if (snake > 0) back.push({ kind: "same", items: a.slice(x - snake, x) });
    if (edits > 0)
      back.push(
        down ? { kind: "new", items: b.slice(fromY, fromY + 1) } : { kind: "gone", items: a.slice(fromX, fromX + 1) },
      );
    x = fromX;
    y = fromY;
  }
  return back.reverse();
}
