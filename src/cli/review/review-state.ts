import type { ReviewItem } from "./review-item.ts";

/** Decision on one change. */
export type Choice = "accept" | "reject" | "skip";

/** Lines on the screen: the changes, the full texts, what else accepting writes, or the keys. */
export type ReviewView = "changes" | "full" | "besides" | "keys";

/** Changes of one group. They're adjacent in a review, and can be decided together. */
export interface ReviewGroup {
  readonly id: string;
  /** Description of the group; safe to print. */
  readonly title: string;
  /** Index of the first item, and number of items. */
  readonly from: number;
  readonly count: number;
  /** Sentence on why the group can't be accepted together; undefined if it can. */
  readonly forbidden: string | undefined;
}

/** State of a review. */
export interface ReviewState {
  readonly items: readonly ReviewItem[];
  /** Groups in the order of their items. Each item has one. */
  readonly groups: readonly ReviewGroup[];
  /** Index of the group whose items are shown one by one. Other groups start with an example. */
  readonly opened: number | undefined;
  /** Items that were decided with their group. */
  readonly grouped: ReadonlySet<number>;
  /** One entry per item; undefined before its decision. */
  readonly choices: readonly (Choice | undefined)[];
  /** Index of the item on the screen; one past the last after all decisions. */
  readonly at: number;
  /** States before each decision, for undo. */
  readonly previousStates: readonly Pick<ReviewState, "choices" | "at" | "opened" | "grouped">[];
  readonly view: ReviewView;
  /** Number of lines above the screen. */
  readonly scroll: number;
  /** Sentence to show until the next key; safe to print. */
  readonly note: string | undefined;
  /** End of the review: `apply` applies the decisions so far, `abort` none of them. */
  readonly end: "apply" | "abort" | undefined;
}

/** Visible part of an item, for scrolling. */
export interface Page {
  /** Number of lines of the item, and number of lines that fit on the screen. */
  readonly lines: number;
  readonly height: number;
}

/** Starts a review. Without groups each change is its own. */
export function beginReview(
  items: readonly ReviewItem[],
  groups: readonly ReviewGroup[] = items.map((_, from) => alone(from)),
): ReviewState {
  return {
    items,
    groups,
    opened: undefined,
    grouped: new Set(),
    choices: items.map(() => undefined),
    at: 0,
    previousStates: [],
    view: "changes",
    scroll: 0,
    note: undefined,
    end: undefined,
  };
}

function alone(from: number): ReviewGroup {
  return { id: "", title: "", from, count: 1, forbidden: undefined };
}

/** Returns the group of the item on the screen, its index, and the number of its undecided items. */
export function groupAt({ groups, at }: Pick<ReviewState, "groups" | "at">): {
  readonly group: ReviewGroup;
  readonly index: number;
  readonly left: number;
} {
  const groupIndex = Math.max(
    0,
    groups.findLastIndex(({ from }) => from <= at),
  );
  const group = groups[groupIndex] ?? alone(at);
  return { group, index: groupIndex, left: group.from + group.count - at };
}

/** Returns whether the screen shows a group by an example, instead of a single change. */
export function showsGroup(state: ReviewState): boolean {
  const { index, left } = groupAt(state);
  return left > 1 && state.opened !== index && state.at < state.items.length;
}

/** Applies a key. Unknown keys don't change the state. Keys have the names of the terminal driver. */
export function reduce(before: ReviewState, key: string, page: Page): ReviewState {
  const state = { ...before, note: undefined };
  switch (key) {
    case "ctrl-c":
      return { ...state, end: "abort" };
    case "q":
      return { ...state, end: "apply" };
    case "u":
      return undo(state);
    case "return":
      if (state.at >= state.items.length) return { ...state, end: "apply" };
      return showsGroup(state) ? { ...state, ...TOP, opened: groupAt(state).index } : state;
    default:
      return state.at >= state.items.length ? state : onItem(state, key, page);
  }
}

/** Counts the decisions. */
export function countChoices({ choices }: Pick<ReviewState, "choices">): Readonly<Record<Choice, number>> {
  const count = (choice: Choice): number => choices.filter((made) => made === choice).length;
  return { accept: count("accept"), reject: count("reject"), skip: count("skip") };
}

function onItem(state: ReviewState, key: string, page: Page): ReviewState {
  switch (key) {
    case "a":
      return decide(state, "accept");
    case "r":
      return decide(state, "reject");
    case "s":
      return decide(state, "skip");
    case "A":
      return decideGroup(state, "accept");
    case "R":
      return decideGroup(state, "reject");
    case "S":
      return decideGroup(state, "skip");
    case "d":
      return switched(state, "full");
    case "w":
      return switched(state, "besides");
    case "?":
      return switched(state, "keys");
    default:
      return { ...state, scroll: scrolled(state.scroll, key, page) };
  }
}

/** A key for a single change does nothing while a group is shown, because its target would be ambiguous. */
function decide(state: ReviewState, choice: Choice): ReviewState {
  if (showsGroup(state))
    return { ...state, note: `A R S decide on all ${groupAt(state).left} of this group; Enter shows them one by one.` };
  return decided(state, choice, 1);
}

/** Decides the rest of a group. Its example and its size are already on the screen. */
function decideGroup(state: ReviewState, choice: Choice): ReviewState {
  const { group, left } = groupAt(state);
  if (left > 1 && choice === "accept" && group.forbidden !== undefined) return { ...state, note: group.forbidden };
  return decided(state, choice, left);
}

function decided(state: ReviewState, choice: Choice, count: number): ReviewState {
  const { choices, at, previousStates, opened, grouped } = state;
  const end = at + count;
  const indexes = Array.from({ length: count > 1 ? count : 0 }, (_, index) => at + index);
  return {
    ...state,
    ...TOP,
    choices: choices.map((made, index) => (index < at || index >= end ? made : choice)),
    grouped: new Set([...grouped, ...indexes]),
    at: end,
    previousStates: [...previousStates, { choices, at, opened, grouped }],
  };
}

/** Undoes the last decision. A group that was just opened is closed first. */
function undo(state: ReviewState): ReviewState {
  const { group, index } = groupAt(state);
  if (state.opened === index && state.at === group.from) return { ...state, ...TOP, opened: undefined };
  const last = state.previousStates.at(-1);
  return last === undefined ? state : { ...state, ...TOP, ...last, previousStates: state.previousStates.slice(0, -1) };
}

/** Shows a view, or the changes again. */
function switched(state: ReviewState, view: ReviewView): ReviewState {
  return { ...state, view: state.view === view ? "changes" : view, scroll: 0 };
}

const TOP = { scroll: 0, view: "changes" } as const;

function scrolled(scroll: number, key: string, { lines, height }: Page): number {
  const steps: Readonly<Record<string, number>> = {
    j: 1,
    down: 1,
    k: -1,
    up: -1,
    space: height - 1,
    pagedown: height - 1,
    b: 1 - height,
    pageup: 1 - height,
    g: -lines,
    home: -lines,
    G: lines,
    end: lines,
  };
  const step = Object.hasOwn(steps, key) ? (steps[key] ?? 0) : 0;
  // A resize may have made the text shorter: any key corrects the position.
  return Math.max(0, Math.min(scroll + step, lines - height));
}
