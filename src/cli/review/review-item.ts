import { resolve } from "node:path";
import { readText } from "../../kernel/files/read.ts";
import type { PendingChange } from "../../updates/pending/pending-change.ts";
import type { BodyLine } from "./paint.ts";
import { printable } from "../../kernel/terminal-cells.ts";
import { compareTexts, fullText, withTone } from "./compare-texts.ts";

/** Displayable form of a pending change. All of its strings are safe to print. */
export interface ReviewItem {
  readonly change: PendingChange;
  /** Cause of the change if its run reported one: `cause: …`. */
  readonly cause: string | undefined;
  /** Changed lines, as the test showed them. */
  readonly diff: readonly BodyLine[];
  /** Returns the full texts before and after. */
  readonly full: () => readonly BodyLine[];
}

/** End of a line or list that a test has cut. */
const CUT = /… (?:and \d+ more|\(\+\d+ characters\))/;

/**
 * Makes a change displayable. Lines of its test are limited; if they were cut, the rest is computed from the texts.
 * `trusted` is false for an upload, of which only the texts are used.
 */
export function reviewItem(
  change: PendingChange,
  { root, trusted }: { readonly root: string; readonly trusted: boolean },
): ReviewItem {
  const { kind, target, text, shown } = change;
  // This is the text to replace. The caller has checked that it's also the one that was compared.
  const before = kind === "add" ? undefined : readText(resolve(root, target));
  const cause = trusted ? shown.find(isCause) : undefined;
  const lines = trusted && kind !== "add" ? shown.filter((line) => !isCause(line)).map(withTone) : [];
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
