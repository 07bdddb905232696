import diffSequence from "@jest/diff-sequences";

/** One step of an edit: an item both lists have, one only the first has, or one only the second has. */
export interface EditStep {
  readonly kind: "same" | "removed" | "added";
  readonly item: string;
}

/**
 * Limit of comparisons of items, after which two lists are treated as having only their ends in common: some 50 ms.
 * Without it the search takes a second for 5,000 unlike words.
 */
export const MAX_COMPARISONS = 2_000_000;

/** Number of items that may still be compared; shared if the parts of one text are compared one after another. */
export interface ComparisonBudget {
  comparisons: number;
}

/** A shortest edit from one list to the other; of very unlike long lists, all between their ends is replaced. */
export function editOf(
  before: readonly string[],
  after: readonly string[],
  budget: ComparisonBudget = { comparisons: MAX_COMPARISONS },
): EditStep[] {
  const { start, end } = sharedListEnds(before, after);
  const [old, current] = [before, after].map((items) => items.slice(start, items.length - end));
  const steps = between(old ?? [], current ?? [], budget);
  return [...toned("same", after.slice(0, start)), ...steps, ...toned("same", after.slice(after.length - end))];
}

/** Returns how many items two lists share at their start and, after that, at their end. */
export function sharedListEnds(
  before: readonly string[],
  after: readonly string[],
): { readonly start: number; readonly end: number } {
  const start = sharedStart(before, after);
  const most = Math.min(before.length, after.length) - start;
  return { start, end: Math.min(most, sharedStart(before.toReversed(), after.toReversed())) };
}

function sharedStart(before: readonly string[], after: readonly string[]): number {
  const differs = before.findIndex((item, index) => item !== after[index]);
  return differs === -1 ? before.length : differs;
}

function between(before: readonly string[], after: readonly string[], budget: ComparisonBudget): EditStep[] {
  let [oldEnd, newEnd] = [0, 0];
  // No spread into `push`: a list may be longer than a call's arguments.
  const steps = sharedStretches(before, after, budget).map(({ length, old, current }) => {
    const made = [
      ...toned("removed", before.slice(oldEnd, old)),
      ...toned("added", after.slice(newEnd, current)),
      ...toned("same", before.slice(old, old + length)),
    ];
    [oldEnd, newEnd] = [old + length, current + length];
    return made;
  });
  return [...steps.flat(), ...toned("removed", before.slice(oldEnd)), ...toned("added", after.slice(newEnd))];
}

interface Stretch {
  readonly length: number;
  readonly old: number;
  readonly current: number;
}

const TOO_UNLIKE = new Error("Too many comparisons.");

function sharedStretches(before: readonly string[], after: readonly string[], budget: ComparisonBudget): Stretch[] {
  const stretches: Stretch[] = [];
  const isCommon = (old: number, current: number): boolean => {
    budget.comparisons -= 1;
    if (budget.comparisons < 0) throw TOO_UNLIKE;
    return before[old] === after[current];
  };
  try {
    diffSequence(before.length, after.length, isCommon, (length, old, current) =>
      stretches.push({ length, old, current }),
    );
    return stretches;
  } catch (thrown) {
    if (thrown === TOO_UNLIKE) return [];
    throw thrown;
  }
}

function toned(kind: EditStep["kind"], items: readonly string[]): EditStep[] {
  return items.map((item) => ({ kind, item }));
}
