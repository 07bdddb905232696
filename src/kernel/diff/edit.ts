import diffSequence from "@jest/diff-sequences";

/** One step of an edit: an item both lists have, one only the first has, or one only the second has. */
export interface EditStep {
  readonly kind: "same" | "removed" | "added";
  readonly item: string;
}

/**
 * Comparisons of items after which two lists are held to have nothing in common but their ends: some 50 ms. The search
 * has no bound of its own, and takes a second for 5,000 unlike words.
 */
export const MAX_COMPARISONS = 2_000_000;

/** How many items may still be compared; shared where the parts of one text are compared one after another. */
export interface ComparisonBudget {
  comparisons: number;
}

/** A shortest edit from one list to the other; of very unlike long lists, what is between their ends as a whole. */
export function editOf(
  before: readonly string[],
  after: readonly string[],
  budget: ComparisonBudget = { comparisons: MAX_COMPARISONS },
): EditStep[] {
  const start = sharedStart(before, after);
  const most = Math.min(before.length, after.length) - start;
  const end = Math.min(most, sharedStart(before.toReversed(), after.toReversed()));
  const [old, current] = [before, after].map((items) => items.slice(start, items.length - end));
  const steps = between(old ?? [], current ?? [], budget);
  return [...toned("same", after.slice(0, start)), ...steps, ...toned("same", after.slice(after.length - end))];
}

function sharedStart(before: readonly string[], after: readonly string[]): number {
  const differs = before.findIndex((item, index) => item !== after[index]);
  return differs === -1 ? before.length : differs;
}

function between(before: readonly string[], after: readonly string[], budget: ComparisonBudget): EditStep[] {
  let [taken, given] = [0, 0];
  // No spread into `push`: a list may be longer than a call's arguments.
  const steps = sharedStretches(before, after, budget).map(({ length, old, current }) => {
    const made = [
      ...toned("removed", before.slice(taken, old)),
      ...toned("added", after.slice(given, current)),
      ...toned("same", before.slice(old, old + length)),
    ];
    [taken, given] = [old + length, current + length];
    return made;
  });
  return [...steps.flat(), ...toned("removed", before.slice(taken)), ...toned("added", after.slice(given))];
}

interface Stretch {
  readonly length: number;
  readonly old: number;
  readonly current: number;
}

const TOO_UNLIKE = new Error("Too many comparisons.");

function sharedStretches(before: readonly string[], after: readonly string[], budget: ComparisonBudget): Stretch[] {
  const found: Stretch[] = [];
  const isCommon = (old: number, current: number): boolean => {
    budget.comparisons -= 1;
    if (budget.comparisons < 0) throw TOO_UNLIKE;
    return before[old] === after[current];
  };
  try {
    diffSequence(before.length, after.length, isCommon, (length, old, current) => found.push({ length, old, current }));
    return found;
  } catch (thrown) {
    if (thrown === TOO_UNLIKE) return [];
    throw thrown;
  }
}

function toned(kind: EditStep["kind"], items: readonly string[]): EditStep[] {
  return items.map((item) => ({ kind, item }));
}
