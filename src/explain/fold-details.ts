import { sharedEnds } from "../kernel/text.ts";
import { type Detail, locationOf } from "./detail.ts";
import { distinctDetails, shortPaths } from "./distinct-details.ts";
import { MIN_NUMBERS, isEncoded, isMostlyShared } from "./unreadable-values.ts";
import { counted, formatCount, formatLocation, withoutIndexes } from "./wording.ts";

/** Returns details as every output of lines shows them: as `foldValues`, and with long paths cut. */
export function foldDetails(details: readonly Detail[]): readonly Detail[] {
  return shortPaths(foldValues(details));
}

/**
 * Returns details with changes of encoded strings and of many numbers of a list as one line with their number, and no
 * two lines that look the same.
 */
export function foldValues(details: readonly Detail[]): readonly Detail[] {
  const all = distinctDetails(details);
  const families = all.map(familyOf);
  const counts = new Map<string, number>();
  for (const family of families)
    if (family !== undefined) counts.set(family.text, (counts.get(family.text) ?? 0) + family.count);
  const folded = new Set<string>();
  return all.flatMap((detail, index): readonly Detail[] => {
    const family = families[index];
    const count = family === undefined ? 0 : (counts.get(family.text) ?? 0);
    if (family === undefined || count < family.least) return [detail];
    if (folded.has(family.text)) return [];
    folded.add(family.text);
    const text = count === 1 ? family.alone : `${family.text}: ${formatCount(count)} ${family.noun} differ`;
    return [{ kind: "remark", text }];
  });
}

/** Changes that are shown together: their location without indexes, what they are, and from how many on. */
interface Family {
  readonly text: string;
  readonly noun: string;
  readonly least: number;
  readonly count: number;
  /** The line if there is one such change. */
  readonly alone: string;
}

function familyOf(detail: Detail): Family | undefined {
  if (detail.kind !== "change") return undefined;
  const { before, after, count = 1 } = detail.change;
  const location = locationOf(detail);
  if (isEncoded(before) && isEncoded(after) && !isMostlyShared(before, after)) {
    const size = counted(after.length, "character");
    const sizes = before.length === after.length ? size : `${formatCount(before.length)} → ${size}`;
    const { start } = sharedEnds(before, after);
    const from = start === 0 ? "" : `, the first ${formatCount(start)} are equal`;
    const alone = `${location}: encoded text differs (${sizes}${from})`;
    return { text: withoutIndexes(location), noun: "encoded texts", least: 1, count, alone };
  }
  if (typeof before !== "number" || typeof after !== "number" || !/\[\d+\]$/.test(location)) return undefined;
  const text = location.replace(/\d+\]$/, "*]");
  return { text, noun: "numbers", least: MIN_NUMBERS, count, alone: text };
}
