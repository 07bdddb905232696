import type { ReviewItem } from "./review-item.ts";

/** What somebody decided on one change. */
export type Choice = "accept" | "reject" | "skip";

/** A review as far as it has come. */
export interface ReviewState {
  readonly items: readonly ReviewItem[];
  /** One place per item; undefined while nothing was decided on it. */
  readonly choices: readonly (Choice | undefined)[];
  /** The item on the screen; one past the last when all are decided. */
  readonly at: number;
  /** Where each decision was made from, so that it can be taken back. */
  readonly past: readonly Pick<ReviewState, "choices" | "at">[];
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

/** Begins a review. */
export function beginReview(items: readonly ReviewItem[]): ReviewState {
  return {
    items,
    choices: items.map(() => undefined),
    at: 0,
    past: [],
    full: false,
    scroll: 0,
    note: undefined,
    end: undefined,
  };
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
      return state.at >= state.items.length ? { ...state, end: "apply" } : state;
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
      return decideRest(state, "accept");
    case "R":
      return decideRest(state, "reject");
    case "S":
      return decideRest(state, "skip");
    case "d":
      return { ...state, full: !state.full, scroll: 0 };
    default:
      return { ...state, scroll: scrolled(state.scroll, key, page) };
  }
}

function decide(state: ReviewState, choice: Choice): ReviewState {
  const { choices, at, past } = state;
  return { ...state, ...TOP, choices: choices.with(at, choice), at: at + 1, past: [...past, { choices, at }] };
}

function decideRest(state: ReviewState, choice: Choice): ReviewState {
  const { choices, at, past, items } = state;
  return {
    ...state,
    ...TOP,
    choices: choices.map((made, index) => (index < at ? made : choice)),
    at: items.length,
    past: [...past, { choices, at }],
  };
}

function undo(state: ReviewState): ReviewState {
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
