import { isObject } from "../json/plain-data.ts";
import { type DiffEntry, pathBefore } from "./entries.ts";
import { walkKeyed } from "./walk-diff.ts";

/** Returns the differences inside an element that was replaced, and in its own lists; of another difference, itself. */
export function replacedParts(entry: DiffEntry): readonly DiffEntry[] {
  const isElement = entry.edit === undefined && typeof entry.path.at(-1) === "number";
  if (!isElement || !isObject(entry.before) || !isObject(entry.after)) return [entry];
  return partsOfChange(entry).flatMap((part) =>
    part.path.length === entry.path.length ? [part] : replacedParts(part),
  );
}

/** Returns the differences between the two sides of a difference; itself if they have no parts. */
export function partsOfChange({ path, was = [], before, after }: DiffEntry): readonly DiffEntry[] {
  return walkKeyed(before, after).map((part) => ({
    ...part,
    path: [...path, ...part.path],
    ...(was.length > 0 && { was: [...was, ...pathBefore(part)] }),
  }));
}
