import { dirname, join, resolve } from "node:path";
import { hashText } from "../../kernel/json/hash.ts";
import { isPlainObject } from "../../kernel/json/plain-data.ts";
import { truncate } from "../../kernel/text.ts";
import { counted } from "../../explain/wording.ts";
import { parseBaseline } from "../../baseline/parse-baseline.ts";
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
  /** Beginning of the step's input. Empty for a value. */
  readonly input: readonly string[];
  /** Changed lines, as the test showed them, and what else accepting writes as far as the test showed it. */
  readonly diff: readonly BodyLine[];
  /** `diff` without what else accepting writes, which is only counted. */
  readonly changes: readonly BodyLine[];
  /** Returns what else accepting writes. */
  readonly besides: () => readonly BodyLine[];
  /** Returns the full texts before and after. */
  readonly full: () => readonly BodyLine[];
}

/** Lines of an input, and characters of each. */
const INPUT_LINES = 3;
const MAX_INPUT_LINE = 400;

/** Line on what accepting writes besides the changes; after the first there are only such lines. */
const BESIDES = /^[\s+-]*also written: /;

/** End of a line or list that a test has cut. */
const CUT = /… (?:and [\d,]+ more|\(\+\d+ characters\))/;

/**
 * Prepares a change for display. Lines of its test are limited; if they were cut, the rest is computed from the texts.
 * `trusted` is false for an upload, of which only the texts are used.
 */
export function reviewItem(
  change: PendingChange,
  { root, trusted }: { readonly root: string; readonly trusted: boolean },
): ReviewItem {
  const { kind, target, text, shown, verdict } = change;
  // This is the text to replace. The caller has checked that it's also the one that was compared.
  const before = kind === "add" ? replacedText(change, root) : readText(resolve(root, target));
  const cause = trusted ? shown.find(isCause) : undefined;
  const hasLines = trusted && (kind !== "add" || verdict === "input_changed");
  const lines = hasLines ? shown.filter((line) => !isCause(line)).map(withTone) : [];
  const cut = lines.length === 0 || lines.some((line) => CUT.test(line.text));
  let full: readonly BodyLine[] | undefined;
  let besides: readonly BodyLine[] | undefined;
  const shownLines = new Set(lines.map((line) => line.text.trim()));
  const at = cut ? -1 : lines.findIndex(({ text: line }) => BESIDES.test(line));
  const [own, also] = at < 1 ? [lines, []] : [lines.slice(0, at), lines.slice(at)];
  const hidden = also.filter(({ text: line }) => BESIDES.test(line)).length;
  const changed = cut ? [...lines, ...rest(lines.length > 0, compareTexts(before, text, target))] : lines;
  const diff = verdict === "input_changed" ? [...changed, earlierLine(change)] : changed;
  return {
    change,
    cause: cause === undefined ? undefined : printable(cause.trim()),
    input: inputLines(text ?? before, target),
    besides: () =>
      (besides ??=
        also.length > 0
          ? also
          : compareTexts(before, text, target).filter((line) => !shownLines.has(line.text.trim()))),
    diff,
    changes:
      hidden === 0
        ? diff
        : [
            ...own,
            {
              text: `    w shows ${counted(hidden, "line")} that ${hidden === 1 ? "is" : "are"} also written`,
              tone: "faint",
            },
          ],
    full: () => (full ??= fullText(before, text)),
  };
}

/** Line on what accepting does with the case of the earlier input. */
function earlierLine({ replaces }: PendingChange): BodyLine {
  const text = replaces === undefined ? "keeps the earlier baseline" : `removes ${replaces}`;
  return { text: `    accepting ${text}`, tone: "faint" };
}

/** Text of the case that a new one replaces. Undefined if there is none, or if it was edited since. */
function replacedText({ target, replaces, replacedHash }: PendingChange, root: string): string | undefined {
  if (replaces === undefined) return undefined;
  const text = readText(join(dirname(resolve(root, target)), replaces));
  return text === undefined || (replacedHash !== undefined && hashText(text) !== replacedHash) ? undefined : text;
}

/** The first lines of a step's input: its text, or its JSON. */
function inputLines(text: string | undefined, file: string): readonly string[] {
  const baseline = text === undefined ? undefined : parseBaseline(text, file);
  if (baseline?.ok !== true || baseline.value.kind !== "step") return [];
  const { input } = baseline.value;
  const fields = isPlainObject(input) ? Object.entries(input) : [["", input] as const];
  const lines = fields.flatMap(([name, value]) => {
    const content = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
    return content.split("\n").map((line, at) => (at === 0 && name !== "" ? `${name}: ${line}` : line));
  });
  return lines.slice(0, INPUT_LINES).map((line) => printable(truncate(line, MAX_INPUT_LINE)));
}

function rest(follows: boolean, lines: readonly BodyLine[]): readonly BodyLine[] {
  return follows
    ? [{ text: "  the complete change, with lists compared by position:", tone: "faint" }, ...lines]
    : lines;
}

function isCause(line: string): boolean {
  return line.trimStart().startsWith("cause: ");
}
