import { type EditStep, editOf } from "../kernel/diff/edit.ts";

/** Difference of two texts, with the text around it. */
export interface WordChange {
  /** The number of the first word it touches in the new text, from 1. */
  readonly word: number;
  readonly lead: string;
  readonly removed: string;
  readonly added: string;
  readonly trail: string;
}

/** Pieces that two changes may have between them and still be shown as one: a space, a word, a space. */
const JOINED = 3;

/** Returns the differences of two texts, word by word, in the order of the text; white space counts. */
export function wordChanges(before: string, after: string): WordChange[] {
  return gather(editOf(piecesOf(before), piecesOf(after)), after);
}

/** Words and the white space between them. */
export function piecesOf(text: string): string[] {
  return text.match(/\s+|\S+/g) ?? [];
}

/** Returns the changes of an edit. The text around each is cut from the new text, not joined: there may be many. */
function gather(steps: readonly EditStep[], after: string): WordChange[] {
  const changes: WordChange[] = [];
  let offset = 0;
  let words = 0;
  for (let index = 0; index < steps.length; ) {
    const end = endOfChange(steps, index);
    const own = steps.slice(index, Math.max(end, index + 1));
    const text = (without: "removed" | "added"): string =>
      own
        .filter(({ kind }) => kind !== without)
        .map(({ item }) => item)
        .join("");
    const added = text("removed");
    if (end > index)
      changes.push({
        word: words + 1,
        lead: after.slice(0, offset),
        removed: text("added"),
        added,
        trail: after.slice(offset + added.length),
      });
    offset += added.length;
    words += countWords(own.filter(({ kind }) => kind !== "removed").map(({ item }) => item));
    index += own.length;
  }
  return changes;
}

/**
 * Returns the end of the change that begins at `start`, including short stretches that both texts have; `start` if
 * there is no change.
 */
function endOfChange(steps: readonly EditStep[], start: number): number {
  let end = start;
  if (steps[start]?.kind === "same") return start;
  for (let index = start; index < steps.length && index - end <= JOINED; index += 1) {
    if (steps[index]?.kind !== "same") end = index + 1;
  }
  return end;
}

function countWords(texts: readonly string[]): number {
  return texts.filter((piece) => /\S/.test(piece)).length;
}
