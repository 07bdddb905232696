import { isArray, isPlainObject } from "../../kernel/json/plain-data.ts";
import type { DiffEntry } from "../../kernel/diff/entries.ts";
import { sharedEnds } from "../../kernel/text.ts";
import type { RequestChange } from "./cause.ts";

/** Number of unchanged characters next to an edit of a text, by which the edit is found in another text. */
const CONTEXT = 40;

/** Sides of an edit: the unchanged text before it and after it. One of them may differ in the next request. */
const SIDES = ["before", "after"] as const;

/**
 * Returns what a request may have been before an edit that was found in another one: the same values and parts of texts
 * are replaced at the same paths. The edit's entries are those of a `RequestChange`. Empty if the request doesn't have
 * the edit at one of the paths, or if the edit inserted, removed or moved elements.
 */
export function undoEdit(entries: RequestChange["entries"], request: unknown): readonly unknown[] {
  if (entries.some(({ edit, was }) => edit !== undefined || was !== undefined)) return [];
  const undone = SIDES.map((side) =>
    entries.reduce<unknown>(
      // Each path begins with `request`.
      (value, entry) => (value === NOT_FOUND ? value : undoAt(value, entry.path.slice(1), { entry, side })),
      request,
    ),
  );
  return undone.filter((value) => value !== NOT_FOUND);
}

/** Marks a request that doesn't have the edit. */
const NOT_FOUND = Symbol("not found");

function undoAt(
  value: unknown,
  [key, ...rest]: DiffEntry["path"],
  edit: { readonly entry: DiffEntry; readonly side: (typeof SIDES)[number] },
): unknown {
  if (key === undefined) return undoValue(value, edit);
  if (typeof key === "number") {
    const undone = isArray(value) ? undoAt(value[key], rest, edit) : NOT_FOUND;
    if (undone === NOT_FOUND || !isArray(value)) return NOT_FOUND;
    return value.map((item, index) => (index === key ? undone : item));
  }
  if (!isPlainObject(value)) return NOT_FOUND;
  const undone = undoAt(Object.hasOwn(value, key) ? value[key] : undefined, rest, edit);
  if (undone === NOT_FOUND) return NOT_FOUND;
  const kept = Object.entries(value).filter(([name]) => name !== key);
  return Object.fromEntries(undone === undefined ? kept : [...kept, [key, undone]]);
}

function undoValue(
  value: unknown,
  { entry: { before, after }, side }: { readonly entry: DiffEntry; readonly side: (typeof SIDES)[number] },
): unknown {
  if (Object.is(value, after)) return before;
  if (typeof value !== "string" || typeof before !== "string" || typeof after !== "string") return NOT_FOUND;
  const { start, end } = sharedEnds(before, after);
  const [removed, inserted] = [before, after].map((text) => text.slice(start, text.length - end));
  const lead = side === "before" ? after.slice(Math.max(0, start - CONTEXT), start) : "";
  const trail = side === "after" ? after.slice(after.length - end).slice(0, CONTEXT) : "";
  const edited = `${lead}${inserted}${trail}`;
  const at = edited === "" ? -1 : value.indexOf(edited);
  if (at === -1) return NOT_FOUND;
  return `${value.slice(0, at)}${lead}${removed}${trail}${value.slice(at + edited.length)}`;
}
