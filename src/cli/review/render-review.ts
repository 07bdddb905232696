import { countCells, fitToCells, printable, wrapToCells } from "../../kernel/terminal-cells.ts";
import type { PendingChange } from "../../updates/pending/pending-change.ts";
import type { BodyLine } from "./paint.ts";
import type { ReviewItem } from "./review-item.ts";
import { type Page, type ReviewState, countChoices, groupAt, showsGroup } from "./review-state.ts";

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
    lines: item === undefined ? 0 : bodyOf(item, state.full, size.columns).length,
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
  const body = bodyOf(item, state.full, size.columns).slice(top, top + height);
  const blank = Array.from({ length: height - body.length }, (): BodyLine => ({ text: "", tone: "plain" }));
  const rules =
    size.rows < LOW ? [[], []] : [[rule("", size)], [rule(where({ top, lines, height }, state.full), size)]];
  return [
    ...headLines(state, item, { size, now }),
    ...(rules[0] ?? []),
    ...body,
    ...blank,
    ...(rules[1] ?? []),
    ...footLines(state, size),
  ];
}

function headLines(
  state: ReviewState,
  item: ReviewItem,
  { size, now }: { readonly size: Size; readonly now: number },
): BodyLine[] {
  const { kind, verdict, group, target, key, at } = item.change;
  const { accept, reject, skip } = countChoices(state);
  const made = accept + reject + skip === 0 ? "" : `accepted ${accept}, rejected ${reject}, skipped ${skip}  `;
  // Names come last: long ones can't hide the other parts.
  const { group: kindOfChange, left } = groupAt(state);
  if (showsGroup(state)) return groupHead(state, item, { size, made });
  const among = kindOfChange.count === 1 ? "" : `${left} left of ${kindOfChange.id}  `;
  const count = `${state.at + 1} of ${state.items.length}`;
  const title: BodyLine = {
    text: `${count}  ${printable(verdict)} (${kind})  ${among}${made}${printable(group)}`,
    tone: "strong",
  };
  const file: BodyLine = { text: endOf(`  ${printable(target)}`, size.columns), tone: "plain" };
  const test: BodyLine = {
    text: `  ${key}  ${pendingReason(item.change)}, ${printable(age(at, now))}: ${printable(testLabel(item.change))}`,
    tone: "faint",
  };
  const cause: BodyLine[] = item.cause === undefined ? [] : [{ text: `  ${item.cause}`, tone: "changed" }];
  return size.rows < LOW ? [title, file, ...cause] : [title, file, test, ...cause];
}

/** Renders the head of a group: its size and its description, above an example. */
function groupHead(
  state: ReviewState,
  item: ReviewItem,
  { size, made }: { readonly size: Size; readonly made: string },
): BodyLine[] {
  const { group, index, left } = groupAt(state);
  const { target, group: step } = item.change;
  const title: BodyLine = {
    text: `Kind ${index + 1} of ${state.groups.length}  ${left} changes  ${group.id}  ${made}${printable(step)}`,
    tone: "strong",
  };
  const words: BodyLine = { text: `  ${group.title}`, tone: "changed" };
  const example: BodyLine = { text: endOf(`  for example ${printable(target)}`, size.columns), tone: "plain" };
  const cause: BodyLine[] = item.cause === undefined ? [] : [{ text: `  ${item.cause}`, tone: "changed" }];
  return size.rows < LOW ? [title, words, ...cause] : [title, words, example, ...cause];
}

function keysOf(state: ReviewState): string {
  const { left } = groupAt(state);
  const more = `u undo  d ${state.full ? "changes only" : "full text"}`;
  if (showsGroup(state)) return `A accept all ${left}  R reject  S skip  Enter one by one  ${more}`;
  return `a accept  r reject  s skip  ${left > 1 ? "A R S the rest of this kind  " : ""}${more}`;
}

function footLines(state: ReviewState, { rows }: Size): BodyLine[] {
  const { choices, note } = state;
  const { accept, reject } = countChoices({ choices });
  const due = accept + reject;
  const keys = keysOf(state);
  const quit = due === 0 ? "quit" : `apply ${due}, quit`;
  const more = `j k space scroll  o open file  q ${quit}  Ctrl-C apply nothing, quit`;
  const first: BodyLine = note === undefined ? { text: keys, tone: "faint" } : { text: note, tone: "strong" };
  return rows < LOW ? [first] : [first, { text: more, tone: "faint" }];
}

function summary(state: ReviewState, { rows }: Size): BodyLine[] {
  const { accept, reject, skip } = countChoices(state);
  const lines: BodyLine[] = [
    { text: state.items.length === 1 ? "Decided." : `All ${state.items.length} decided.`, tone: "strong" },
    { text: "", tone: "plain" },
    { text: `  accept  ${accept}   their baselines are written, all or none`, tone: "added" },
    { text: `  reject  ${reject}   they are dropped, their baselines stay`, tone: "removed" },
    { text: `  skip    ${skip}   they stay pending`, tone: "plain" },
    { text: "", tone: "plain" },
    { text: "Enter or q applies this.  u takes the last one back.  Ctrl-C applies nothing.", tone: "faint" },
  ];
  return rows < lines.length ? lines.filter(({ text }) => text !== "") : lines;
}

/** Wrapped once per item, view and width, not again for each key. */
const wrapped = new WeakMap<
  ReviewItem,
  { readonly full: boolean; readonly columns: number; readonly lines: readonly BodyLine[] }
>();

function bodyOf(item: ReviewItem, full: boolean, columns: number): readonly BodyLine[] {
  const known = wrapped.get(item);
  if (known?.full === full && known.columns === columns) return known.lines;
  const lines = (full ? item.full() : item.diff).flatMap(({ text, tone }) =>
    wrapToCells(text, columns).map((piece): BodyLine => ({ text: piece, tone })),
  );
  wrapped.set(item, { full, columns, lines });
  return lines;
}

function bodyHeight(item: ReviewItem | undefined, { rows }: Size): number {
  const cause = item?.cause === undefined ? 0 : 1;
  return Math.max(1, rows - cause - (rows < LOW ? 3 : 7));
}

function rule(label: string, { columns }: Size): BodyLine {
  return { text: `${"─".repeat(Math.max(0, columns - countCells(label)))}${label}`, tone: "faint" };
}

function where({ top, lines, height }: Page & { readonly top: number }, full: boolean): string {
  const what = full ? " full text" : "";
  return lines <= height
    ? `${what}${what === "" ? "" : " "}`
    : `${what} ${top + 1}–${Math.min(top + height, lines)} of ${lines} `;
}

/** Keeps the end of a path, which is more specific than its beginning. */
function endOf(text: string, columns: number): string {
  if (countCells(text) <= columns) return text;
  // Characters are at least one cell wide, so no more than this many fit.
  const characters = Array.from(text).slice(-columns);
  while (characters.length > 0 && countCells(characters.join("")) > columns - 3) characters.shift();
  return `  …${characters.join("")}`;
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
}: Pick<PendingChange, "intent" | "passed" | "contradicted" | "verdict" | "from" | "test">): string {
  if (from !== undefined) {
    // Changes from outside a test come from a command, which their title names.
    const who = test.startsWith("veritest import ") ? "a trace" : "a stored run";
    return `${who} answered ${verdict === "missing" ? "it" : "otherwise"}`;
  }
  if (contradicted) return "its test had a different result when it ran again";
  if (intent === "review") return "its test failed on it";
  return passed ? "its run didn't write it" : "its test failed after it";
}

/** Returns the test of a change, and its file. Not safe to print. */
export function testLabel({ test, testFile }: Pick<PendingChange, "test" | "testFile">): string {
  return testFile === "" ? test : `${test} (${testFile})`;
}
