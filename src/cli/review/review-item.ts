import { resolve } from "node:path";
import { readText } from "../../kernel/files/read.ts";
import type { PendingChange } from "../../updates/pending/pending-change.ts";
import type { BodyLine } from "./paint.ts";
import { printable } from "../../kernel/cells.ts";
import { compareTexts, fullText, toned } from "./compare-texts.ts";

/** A pending change made ready for showing: every text of it is safe to print. */
export interface ReviewItem {
  readonly change: PendingChange;
  /** Why it came out differently, where its run could tell: `cause: …`. */
  readonly cause: string | undefined;
  /** What changed, keyed as its test showed it. */
  readonly diff: readonly BodyLine[];
  /** The whole texts before and after. */
  readonly full: () => readonly BodyLine[];
}

/** What a test's lines end or are cut with where they do not say all. */
const CUT = /… (?:and \d+ more|\(\+\d+ characters\))/;

/**
 * Makes a change ready for showing. What its test showed is keyed and bounded: where it was cut, the rest follows,
 * found from the texts. `trusted` is false for an upload, of which only the texts count.
 */
export function reviewItem(
  change: PendingChange,
  { root, trusted }: { readonly root: string; readonly trusted: boolean },
): ReviewItem {
  const { kind, target, text, shown } = change;
  // The text is what would be replaced; that it is the one compared with was asked before.
  const before = kind === "add" ? undefined : readText(resolve(root, target));
  const cause = trusted ? shown.find(isCause) : undefined;
  const lines = trusted && kind !== "add" ? shown.filter((line) => !isCause(line)).map(toned) : [];
  const cut = lines.length === 0 || lines.some((line) => CUT.test(line.text));
  let full: readonly BodyLine[] | undefined;
  return {
    change,
    cause: cause === undefined ? undefined : printable(cause.trim()),
    diff: cut ? [...lines, ...rest(lines.length > 0, compareTexts(before, text, target))] : lines,
    full: () => (full ??= fullText(before, text)),
  };
}

function rest(follows: boolean, lines: readonly BodyLine[]): readonly BodyLine[] {
  return follows ? [{ text: "  all of it, lists compared by position:", tone: "faint" }, ...lines] : lines;
}

function isCause(line: string): boolean {
  return line.trimStart().startsWith("cause: ");
}
