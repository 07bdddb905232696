import * as fc from "fast-check";
import { expect, test } from "vitest";
import { changeOf, makeProject, put } from "../../../test-support/pending-project.ts";
import { type ReviewItem, reviewItem } from "./review-item.ts";
import { type ReviewGroup, type ReviewState, beginReview, countChoices, reduce, showsGroup } from "./review-state.ts";
import { runCount } from "../../../test-support/run-count.ts";

const PROJECT = makeProject();
const NAMES = ["one", "two", "three", "four"];
for (const name of NAMES) put(PROJECT, name, 1);
const ITEMS: readonly ReviewItem[] = NAMES.map((name) =>
  reviewItem(changeOf(PROJECT, name, { to: 2 }), { root: PROJECT.root, trusted: true }),
);
/** One change by itself, then three of a kind. */
const GROUPS: readonly ReviewGroup[] = [
  { id: "g-000001", title: "a: 1 → 2", from: 0, count: 1, forbidden: undefined },
  { id: "g-000002", title: "b: 1 → 2", from: 1, count: 3, forbidden: undefined },
];
const GROUPED = beginReview(ITEMS, GROUPS);
const PAGE = { lines: 100, height: 10 };

function press(keys: readonly string[], state: ReviewState = beginReview(ITEMS)): ReviewState {
  return keys.reduce((before, key) => reduce(before, key, PAGE), state);
}

test("each decision goes on to the next change", () => {
  const state = press(["a", "r", "s"]);
  expect(state.choices).toStrictEqual(["accept", "reject", "skip", undefined]);
  expect({ at: state.at, end: state.end }).toStrictEqual({ at: 3, end: undefined });
});

test.each([
  ["A", "accept"],
  ["R", "reject"],
  ["S", "skip"],
])("%s decides on a complete kind, except changes already decided", (key, choice) => {
  const state = press(["r", key], GROUPED);
  expect([...state.grouped]).toStrictEqual([1, 2, 3]);
  expect(state.choices).toStrictEqual(["reject", choice, choice, choice]);
  expect({ at: state.at, end: state.end }).toStrictEqual({ at: 4, end: undefined });
});

test("shows an example of a kind first, and keys for one change only print a note", () => {
  const state = press(["a"], GROUPED);
  expect(showsGroup(state)).toBe(true);
  for (const key of ["a", "r", "s"])
    expect(press([key], state)).toStrictEqual({
      ...state,
      note: "A R S decide on all 3 of this group; Enter shows them one by one.",
    });
});

test("Enter opens a kind to decide on single changes, and A accepts the rest of it", () => {
  const opened = press(["a", "return"], GROUPED);
  expect([showsGroup(opened), opened.at]).toStrictEqual([false, 1]);
  const state = press(["r", "A"], opened);
  expect(state.choices).toStrictEqual(["accept", "reject", "accept", "accept"]);
  expect([...state.grouped]).toStrictEqual([2, 3]);
});

test("any key for the last change of an opened kind decides on it alone", () => {
  expect([...press(["a", "return", "s", "s", "A"], GROUPED).grouped]).toStrictEqual([]);
});

test("a kind that can't be accepted together can be opened, rejected or skipped", () => {
  const forbidden = beginReview(
    ITEMS,
    GROUPS.map((group) => ({ ...group, forbidden: "Look at each." })),
  );
  const state = press(["A"], forbidden);
  expect(state.choices).toStrictEqual(["accept", undefined, undefined, undefined]);
  expect(press(["A"], state)).toStrictEqual({ ...state, note: "Look at each." });
  expect(press(["return", "a"], state).at).toBe(2);
  expect(press(["R"], state).choices).toStrictEqual(["accept", "reject", "reject", "reject"]);
});

test("u undoes one decision at a time, and those on a kind together", () => {
  const undone = press(["a", "R", "u"], GROUPED);
  expect(undone).toMatchObject({ choices: ["accept", undefined, undefined, undefined], at: 1 });
  expect([...undone.grouped]).toStrictEqual([]);
  expect(press(["a", "R", "u", "u"], GROUPED)).toMatchObject({
    choices: [undefined, undefined, undefined, undefined],
    at: 0,
  });
  expect(press(["a", "u", "u", "u"])).toMatchObject({ at: 0, previousStates: [] });
});

test("applies nothing after the last decision until Enter or q", () => {
  const decided = press(["a", "a", "a", "a"]);
  expect(decided.end).toBeUndefined();
  expect(press(["return"], decided).end).toBe("apply");
  expect(press(["q"], decided).end).toBe("apply");
  expect(press(["a", "A", "d", "j"], decided)).toStrictEqual({ ...decided, note: undefined });
});

test("q applies the decisions so far, and Ctrl-C none", () => {
  expect(press(["a", "q"])).toMatchObject({ end: "apply", choices: ["accept", undefined, undefined, undefined] });
  expect(press(["a", "ctrl-c"]).end).toBe("abort");
  expect(press(["A", "ctrl-c"]).end).toBe("abort");
});

test("Enter doesn't decide while a change is shown", () => {
  expect(press(["return"])).toStrictEqual(beginReview(ITEMS));
});

test.each(["", "x", "tab", "escape", "f1", "constructor", "__proto__", "ctrl-z", "1"])("ignores %j", (key) => {
  expect(press([key])).toStrictEqual(beginReview(ITEMS));
});

test("scrolling stays within the lines, by line or page", () => {
  expect(press(["j", "down"]).scroll).toBe(2);
  expect(press(["j", "k", "up"]).scroll).toBe(0);
  expect(press(["space"]).scroll).toBe(9);
  expect(press(["space", "b"]).scroll).toBe(0);
  expect(press(["G"]).scroll).toBe(90);
  expect(press(["G", "j", "pagedown"]).scroll).toBe(90);
  expect(press(["end", "home"]).scroll).toBe(0);
});

test("d shows the complete text from its start, and the next change starts with its diff", () => {
  expect(press(["j", "d"])).toMatchObject({ view: "full", scroll: 0 });
  expect(press(["d", "j", "d"])).toMatchObject({ view: "changes", scroll: 0 });
  expect(press(["d", "j", "a"])).toMatchObject({ view: "changes", scroll: 0, at: 1 });
});

test("the next key clears a note", () => {
  expect(reduce({ ...beginReview(ITEMS), note: "a note" }, "x", PAGE).note).toBeUndefined();
});

const KEYS = fc.array(
  fc.constantFrom("a", "r", "s", "A", "R", "S", "u", "d", "j", "k", "space", "G", "g", "return", "x"),
  { maxLength: 40 },
);

test("after any keys, changes before the current one are decided, and those after it aren't", () => {
  fc.assert(
    fc.property(KEYS, fc.constantFrom(GROUPED, beginReview(ITEMS)), (keys, begun) => {
      const { choices, at, scroll, previousStates, grouped } = press(keys, begun);
      for (const index of grouped) expect(index).toBeLessThan(at);
      expect(choices.map((choice) => choice !== undefined)).toStrictEqual(NAMES.map((_, index) => index < at));
      expect(scroll).toBeGreaterThanOrEqual(0);
      expect(previousStates.length).toBeLessThanOrEqual(4);
      const { accept, reject, skip } = countChoices({ choices });
      expect(accept + reject + skip).toBe(at);
    }),
    { numRuns: runCount(1000) },
  );
});

test("undoing all decisions returns to the start", () => {
  fc.assert(
    fc.property(KEYS, fc.constantFrom(GROUPED, beginReview(ITEMS)), (keys, begun) => {
      const state = press(keys, begun);
      const back = press(
        // Each kind that was opened is closed by one more.
        ["u", ...state.previousStates.flatMap(() => ["u", "u"])],
        state,
      );
      expect(back).toMatchObject({ at: 0, previousStates: [], choices: NAMES.map(() => undefined) });
    }),
    { numRuns: runCount(1000) },
  );
});
