import { shortestEdit } from "./shortest-edit.ts";

/** A place where two texts differ, with the text around it. */
export interface WordChange {
  /** The number of the first word it touches in the new text, from 1. */
  readonly word: number;
  readonly lead: string;
  readonly removed: string;
  readonly added: string;
  readonly trail: string;
}

/** Removals and additions beyond which two texts are held to have nothing in common but their ends. */
const MAX_EDITS = 1500;
/** Pieces that two changes may have between them and still be told as one: a blank, a word, a blank. */
const JOINED = 3;

/**
 * Where two texts differ, word by word, in the order of the text; white space counts. Texts that are equal differ
 * nowhere.
 */
export function wordChanges(before: string, after: string): WordChange[] {
  const old = pieces(before);
  const current = pieces(after);
  const start = sharedStart(old, current);
  const end = sharedEnd(old.slice(start), current.slice(start));
  const left = old.slice(start, old.length - end);
  const right = current.slice(start, current.length - end);
  const steps = shortestEdit(left, right, MAX_EDITS) ?? replaced(left, right);
  return gather(steps, { after, lead: current.slice(0, start) });
}

/** Words and the white space between them. */
function pieces(text: string): string[] {
  return text.match(/\s+|\S+/g) ?? [];
}

function sharedStart(before: readonly string[], after: readonly string[]): number {
  const differs = before.findIndex((piece, index) => piece !== after[index]);
  return differs === -1 ? before.length : differs;
}

function sharedEnd(before: readonly string[], after: readonly string[]): number {
  return sharedStart(before.toReversed(), after.toReversed());
}

type Steps = NonNullable<ReturnType<typeof shortestEdit>>;

function replaced(before: readonly string[], after: readonly string[]): Steps {
  return [
    ...before.map((item) => ({ kind: "removed", item }) as const),
    ...after.map((item) => ({ kind: "added", item }) as const),
  ];
}

/**
 * The changes of an edit that begins after `lead` in the new text. What stands around each is cut from that text, not
 * put together: there may be many.
 */
function gather(
  steps: Steps,
  { after, lead }: { readonly after: string; readonly lead: readonly string[] },
): WordChange[] {
  const changes: WordChange[] = [];
  let place = lead.join("").length;
  let words = countWords(lead);
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
        lead: after.slice(0, place),
        removed: text("added"),
        added,
        trail: after.slice(place + added.length),
      });
    place += added.length;
    words += countWords(own.filter(({ kind }) => kind !== "removed").map(({ item }) => item));
    index += own.length;
  }
  return changes;
}

/**
 * The end of the change that begins at `start`, or `start` where none does, over short stretches that both texts have.
 */
function endOfChange(steps: Steps, start: number): number {
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
