import { formatValue } from "../kernel/diff/format-value.ts";
import { type Detail, locationOf } from "./detail.ts";
import { isOneSided, shortPaths } from "./distinct-details.ts";
import { foldValues } from "./fold-details.ts";

/** Characters that are shown of an element that moved. */
const MAX_ELEMENT = 80;

/** Returns details as outputs of lines show them: as `foldValues`, with a line for a moved element, and short paths. */
export function foldDetails(details: readonly Detail[]): readonly Detail[] {
  return shortPaths(foldValues(movedElements(details), formatValue));
}

/** Joins an element that was removed from a list and an equal one that was added to it. */
function movedElements(details: readonly Detail[]): readonly Detail[] {
  const removed = Map.groupBy(details, (detail) => elementOf(detail, "before"));
  const lines = new Map<Detail, readonly Detail[]>();
  for (const detail of details) {
    const element = elementOf(detail, "after");
    const old = element === undefined ? element : removed.get(element)?.shift();
    if (old?.kind !== "change" || detail.kind !== "change") continue;
    const { path, after } = detail.change;
    const text = `${locationOf(old)} moved to ${path.slice(path.lastIndexOf("["))}: ${formatValue(after, MAX_ELEMENT)}`;
    lines.set(old, []).set(detail, [{ kind: "sentence", text }]);
  }
  return details.flatMap((detail) => lines.get(detail) ?? [detail]);
}

/** Returns the list and value of an element that only this side has. */
function elementOf(detail: Detail, side: "before" | "after"): string | undefined {
  if (!isOneSided(detail, side) || detail.change.call !== undefined) return undefined;
  const [list] = locationOf(detail).split(/\[\d+\]$/);
  return list === locationOf(detail) ? undefined : `${list}: ${formatValue(detail.change[side])}`;
}
