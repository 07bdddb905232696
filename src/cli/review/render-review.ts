import { countCells, fitMiddle, fitToCells, printable, wrapToCells } from "../../kernel/terminal-cells.ts";
import type { PendingChange } from "../../updates/pending/pending-change.ts";
import type { BodyLine } from "./paint.ts";
import { keyOf } from "../../updates/pending/key-of.ts";
import type { ReviewItem } from "./review-item.ts";
import { type Page, type ReviewState, type ReviewView, countChoices, groupAt, showsGroup } from "./review-state.ts";

/** Size of a terminal in cells. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** Number of rows below which only the essential lines are shown. */
const LOW = 14;

/**
 * Renders the screen: at most `rows` lines of at most `columns` cells each, top to bottom. `now` is in milliseconds
 * since 1970.
 */
export function renderReview(state: ReviewState, size: Size, now: number): BodyLine[] {
  const item = state.items[state.at];
  const lines = item === undefined ? summary(state, size) : itemScreen(state, item, { size, now });
  return lines.slice(0, size.rows).map(({ text, tone }) => ({ text: fitToCells(text, size.columns), tone }));
}

/** Returns the length of the item on the screen and how much of it fits, for scrolling. */
export function pageOf(state: ReviewState, size: Size): Page {
  const item = state.items[state.at];
  return {
    lines: item === undefined ? 0 : bodyOf(item, state.view, size.columns).length,
    height: bodyHeight(item, size),
  };
}

function itemScreen(
  state: ReviewState,
  item: ReviewItem,
  { size, now }: { readonly size: Size; readonly now: number },
): BodyLine[] {
  const { lines, height } = pageOf(state, size);
  const top = Math.max(0, Math.min(state.scroll, lines - height));
  const body = bodyOf(item, state.view, size.columns).slice(top, top + height);
  const blank = Array.from({ length: height - body.length }, (): BodyLine => ({ text: "", tone: "plain" }));
  const isLow = size.rows < LOW;
  const cause: BodyLine[] = item.cause === undefined ? [] : [{ text: `  ${item.cause}`, tone: "changed" }];
  return [
    ...headLines(state, item, { size, now }),
    ...(isLow ? [] : [rule("", size)]),
    ...body,
    ...blank,
    ...cause,
    ...(isLow ? [] : [rule(where({ top, lines, height }, state.view), size)]),
    ...footLines(state, size),
  ];
}

function headLines(
  state: ReviewState,
  item: ReviewItem,
  { size, now }: { readonly size: Size; readonly now: number },
): BodyLine[] {
  const { verdict, group: step, target, kind, at } = item.change;
  const { group, left } = groupAt(state);
  const isGroup = showsGroup(state);
  const first = state.at + 1;
  // The counter always counts changes: for a kind, their range.
  const count = `${isGroup ? `${first}–${state.at + left}` : first} of ${state.items.length}`;
  const title = isGroup ? `${printable(step)}: ${group.title}` : titleOf(item);
  const made = madeText(state);
  const file = `${printable(verdict)} (${kind})  ${isGroup ? "for example " : ""}`;
  const rest = among(state);
  const reason = `${pendingReason(item.change)}, ${printable(age(at, now))}`;
  const evidence = `${keyOf(item.change)}  ${reason}: ${printable(testLabel(item.change))}`;
  const lines: BodyLine[] = [
    { text: `${count}  ${title}`, tone: "strong" },
    { text: `  ${file}${fitMiddle(printable(target), size.columns - countCells(file) - 2)}`, tone: "plain" },
  ];
  if (size.rows < LOW) return lines;
  return [
    ...lines,
    { text: `  ${rest}${made}${evidence}`, tone: "faint" },
    ...item.input.map(
      (line, index): BodyLine => ({ text: `  ${index === 0 ? "input  " : "       "}${line}`, tone: "plain" }),
    ),
  ];
}

/** Step and test of a change. */
function titleOf({ change: { group, test } }: ReviewItem): string {
  const name = test.startsWith(`${group} `) ? test.slice(group.length + 1) : test;
  return name === group ? printable(group) : `${printable(group)} › ${printable(name)}`;
}

function madeText(state: ReviewState): string {
  const { accept, reject, skip } = countChoices(state);
  return accept + reject + skip === 0 ? "" : `accepted ${accept}, rejected ${reject}, skipped ${skip}  `;
}

/** Kind of change of an item, and how many of it are left. */
function among(state: ReviewState): string {
  const { group, left } = groupAt(state);
  return group.count === 1 ? "" : `${left} left of ${group.id}  `;
}

function keysOf(state: ReviewState): string {
  const { left } = groupAt(state);
  if (showsGroup(state)) return `A accept all ${left}  R reject all  S skip all  Enter one by one  u undo  ? help`;
  return `a accept  r reject  s skip  ${left > 1 ? "A R S the rest of this group  " : ""}u undo  ? help`;
}

function footLines(state: ReviewState, { rows }: Size): BodyLine[] {
  const { choices, note } = state;
  const { accept, reject } = countChoices({ choices });
  const due = accept + reject;
  const quit = due === 0 ? "quit" : `apply ${due}, quit`;
  const besides = state.view === "besides" ? "changes only" : "what else is written";
  const full = state.view === "full" ? "changes only" : "full text";
  const more = `w ${besides}  d ${full}  q ${quit}  Ctrl-C apply nothing`;
  const first: BodyLine = note === undefined ? { text: keysOf(state), tone: "faint" } : { text: note, tone: "strong" };
  return rows < LOW ? [first] : [first, { text: more, tone: "faint" }];
}

/** All keys of a review. */
const KEYS: readonly (readonly [key: string, text: string])[] = [
  ["a r s", "accept, reject or skip the change"],
  ["A R S", "accept, reject or skip the rest of the group"],
  ["Enter", "show the changes of a group one by one"],
  ["u", "undo the last decision"],
  ["w", "show or hide what else accepting writes"],
  ["d", "show or hide the complete text"],
  ["j k", "scroll by a line (also the arrows)"],
  ["space b", "scroll by a page"],
  ["g G", "scroll to the beginning or the end"],
  ["q", "apply the decisions and quit"],
  ["Ctrl-C", "quit without applying a decision"],
];

function summary(state: ReviewState, { rows }: Size): BodyLine[] {
  const { accept, reject, skip } = countChoices(state);
  const lines: BodyLine[] = [
    { text: state.items.length === 1 ? "Decided." : `All ${state.items.length} decided.`, tone: "strong" },
    { text: "", tone: "plain" },
    { text: `  accept  ${accept}   writes all their baselines, or none if one can't be written`, tone: "added" },
    { text: `  reject  ${reject}   drops them; their baselines don't change`, tone: "removed" },
    { text: `  skip    ${skip}   they stay pending`, tone: "plain" },
    { text: "", tone: "plain" },
    { text: "Enter or q applies these.  u undoes the last decision.  Ctrl-C applies nothing.", tone: "faint" },
  ];
  return rows < lines.length ? lines.filter(({ text }) => text !== "") : lines;
}

/** Wrapped once per item, view and width, not again for each key. */
const wrapped = new WeakMap<
  ReviewItem,
  { readonly view: ReviewView; readonly columns: number; readonly lines: readonly BodyLine[] }
>();

function bodyOf(item: ReviewItem, view: ReviewView, columns: number): readonly BodyLine[] {
  const known = wrapped.get(item);
  if (known?.view === view && known.columns === columns) return known.lines;
  const lines = contentOf(item, view).flatMap(({ text, tone }) =>
    hung(text, columns).map((piece): BodyLine => ({ text: piece, tone })),
  );
  wrapped.set(item, { view, columns, lines });
  return lines;
}

/** A line in pieces, the further ones indented a little deeper than the first. */
function hung(text: string, columns: number): string[] {
  const [first = "", ...rest] = wrapToCells(text, columns);
  const indent = " ".repeat(Math.min(text.search(/[^\s+-]|$/) + 2, Math.floor(columns / 3)));
  const left = rest.join("");
  return left === "" ? [first] : [first, ...wrapToCells(left, columns - indent.length).map((piece) => indent + piece)];
}

function contentOf(item: ReviewItem, view: ReviewView): readonly BodyLine[] {
  switch (view) {
    case "changes":
      return item.changes;
    case "full":
      return item.full();
    case "besides": {
      const besides = item.besides();
      return besides.length > 0 ? besides : [{ text: "    Accepting writes only these changes.", tone: "plain" }];
    }
    case "keys":
      return KEYS.map(([key, text]): BodyLine => ({ text: `  ${key.padEnd(9)}${text}`, tone: "plain" }));
  }
}

function bodyHeight(item: ReviewItem | undefined, { rows }: Size): number {
  const cause = item?.cause === undefined ? 0 : 1;
  return Math.max(1, rows - cause - (rows < LOW ? 3 : 7 + (item?.input.length ?? 0)));
}

function rule(label: string, { columns }: Size): BodyLine {
  return { text: `${"─".repeat(Math.max(0, columns - countCells(label)))}${label}`, tone: "faint" };
}

const VIEWS: Readonly<Record<ReviewView, string>> = {
  changes: "",
  full: " full text",
  besides: " what else is written",
  keys: " keys",
};

function where({ top, lines, height }: Page & { readonly top: number }, view: ReviewView): string {
  const what = VIEWS[view];
  return lines <= height
    ? `${what}${what === "" ? "" : " "}`
    : `${what} ${top + 1}–${Math.min(top + height, lines)} of ${lines} `;
}

const UNITS: readonly (readonly [name: string, ms: number])[] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
];

/**
 * Returns the approximate age of a time: `just now`, `5 min ago`, `3 h ago`, `2 d ago`. An invalid time is returned
 * unchanged.
 */
export function age(at: string, now: number): string {
  const passed = now - Date.parse(at);
  if (Number.isNaN(passed)) return at;
  const [name, ms] = UNITS.find(([, size]) => passed >= size) ?? ["", 0];
  return ms === 0 ? "just now" : `${Math.floor(passed / ms)} ${name} ago`;
}

/** Returns why a change is pending: its author, and the reason why it wasn't written. Not safe to print. */
export function pendingReason({
  intent,
  passed,
  contradicted,
  verdict,
  from,
  test,
  answers,
}: Pick<PendingChange, "intent" | "passed" | "contradicted" | "verdict" | "from" | "test" | "answers">): string {
  if (from !== undefined) {
    // Changes from outside a test come from a command, which their title names.
    const who = test.startsWith("veritest import ") ? "a trace" : "a stored run";
    return `imported from ${who}${verdict === "missing" ? "" : ", with a different result"}`;
  }
  if (contradicted) return "its test had a different result when it ran again";
  if (verdict === "request_changed" && answers === "recorded")
    return "it keeps the recorded responses, because only harmless parts of requests changed";
  if (intent === "review") return "its test failed";
  return passed ? "its test passed, but the run couldn't write it" : "its test failed after this check";
}

/** Returns the test of a change, and its file. Not safe to print. */
export function testLabel({ test, testFile }: Pick<PendingChange, "test" | "testFile">): string {
  return testFile === "" ? test : `${test} (${testFile})`;
}
