import type { ReviewItem } from "./review-item.ts";

/** What somebody decided on one change. */
export type Choice = "accept" | "reject" | "skip";

/** Changes of one kind, which stand beside each other in a review and may be decided on together. */
export interface ReviewGroup {
  readonly id: string;
  /** What kind of change it is: safe to print. */
  readonly words: string;
  /** The place of the first of them, and how many there are. */
  readonly from: number;
  readonly count: number;
  /** Why they may not be accepted together, a sentence; undefined where they may. */
  readonly forbidden: string | undefined;
}

/** A review as far as it has come. */
export interface ReviewState {
  readonly items: readonly ReviewItem[];
  /** The kinds of change; each item is of one, in order. */
  readonly groups: readonly ReviewGroup[];
  /** The group that is walked one by one, by its place; another one is shown by an example first. */
  readonly opened: number | undefined;
  /** Items that were decided on with their group, and not by themselves. */
  readonly grouped: ReadonlySet<number>;
  /** One place per item; undefined while nothing was decided on it. */
  readonly choices: readonly (Choice | undefined)[];
  /** The item on the screen; one past the last when all are decided. */
  readonly at: number;
  /** Where each decision was made from, so that it can be taken back. */
  readonly past: readonly Pick<ReviewState, "choices" | "at" | "opened" | "grouped">[];
  /** Whether the whole texts are shown, not only what differs. */
  readonly full: boolean;
  /** Lines that are above the screen. */
  readonly scroll: number;
  /** A sentence to show until the next key; safe to print. */
  readonly note: string | undefined;
  /** How it ended: `apply` settles what was decided so far, `abort` nothing at all. */
  readonly end: "apply" | "abort" | undefined;
}

/** What a screen shows of an item, for scrolling. */
export interface Page {
  /** Lines of the item, and how many of them the screen has room for. */
  readonly lines: number;
  readonly room: number;
}

/** Begins a review; without groups each change is one by itself. */
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
    past: [],
    full: false,
    scroll: 0,
    note: undefined,
    end: undefined,
  };
}

function alone(from: number): ReviewGroup {
  return { id: "", words: "", from, count: 1, forbidden: undefined };
}

/** The group of the item on the screen, its place, and how many of it are left to decide on. */
export function groupAt({ groups, at }: Pick<ReviewState, "groups" | "at">): {
  readonly group: ReviewGroup;
  readonly place: number;
  readonly left: number;
} {
  const place = Math.max(
    0,
    groups.findLastIndex(({ from }) => from <= at),
  );
  const group = groups[place] ?? alone(at);
  return { group, place, left: group.from + group.count - at };
}

/** Whether a group is on the screen, by an example, and not a change by itself. */
export function showsGroup(state: ReviewState): boolean {
  const { place, left } = groupAt(state);
  return left > 1 && state.opened !== place && state.at < state.items.length;
}

/**
 * What a key does; one that means nothing leaves the state as it is. Keys are named as the terminal driver names them.
 */
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
      return showsGroup(state) ? { ...state, ...TOP, opened: groupAt(state).place } : state;
    default:
      return state.at >= state.items.length ? state : onItem(state, key, page);
  }
}

/** How often each choice was made. */
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
      return { ...state, full: !state.full, scroll: 0 };
    default:
      return { ...state, scroll: scrolled(state.scroll, key, page) };
  }
}

/** A key that decides on one change decides nothing while many are meant: which one would it be? */
function decide(state: ReviewState, choice: Choice): ReviewState {
  if (showsGroup(state))
    return { ...state, note: `A R S decide on all ${groupAt(state).left} of this kind; Enter shows them one by one.` };
  return decided(state, choice, 1);
}

/** Decides on what is left of a kind. Its example and how many there are have been on the screen until now. */
function decideGroup(state: ReviewState, choice: Choice): ReviewState {
  const { group, left } = groupAt(state);
  if (left > 1 && choice === "accept" && group.forbidden !== undefined) return { ...state, note: group.forbidden };
  return decided(state, choice, left);
}

function decided(state: ReviewState, choice: Choice, count: number): ReviewState {
  const { choices, at, past, opened, grouped } = state;
  const end = at + count;
  const places = Array.from({ length: count > 1 ? count : 0 }, (_, index) => at + index);
  return {
    ...state,
    ...TOP,
    choices: choices.map((made, index) => (index < at || index >= end ? made : choice)),
    grouped: new Set([...grouped, ...places]),
    at: end,
    past: [...past, { choices, at, opened, grouped }],
  };
}

/** Takes the last decision back; a kind that was just opened is closed first. */
function undo(state: ReviewState): ReviewState {
  const { group, place } = groupAt(state);
  if (state.opened === place && state.at === group.from) return { ...state, ...TOP, opened: undefined };
  const last = state.past.at(-1);
  return last === undefined ? state : { ...state, ...TOP, ...last, past: state.past.slice(0, -1) };
}

const TOP = { scroll: 0, full: false } as const;

function scrolled(scroll: number, key: string, { lines, room }: Page): number {
  const steps: Readonly<Record<string, number>> = {
    j: 1,
    down: 1,
    k: -1,
    up: -1,
    space: room - 1,
    pagedown: room - 1,
    b: 1 - room,
    pageup: 1 - room,
    g: -lines,
    home: -lines,
    G: lines,
    end: lines,
  };
  const step = Object.hasOwn(steps, key) ? (steps[key] ?? 0) : 0;
  // The text may have become shorter since by a resize: the position is brought back into it by any key.
  return Math.max(0, Math.min(scroll + step, lines - room));
}
