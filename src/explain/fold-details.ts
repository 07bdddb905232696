import { sharedEnds } from "../kernel/text.ts";
import { type Detail, locationOf } from "./detail.ts";
import { type FormatValue, distinctDetails } from "./distinct-details.ts";
import { MIN_NUMBERS, isEncoded, isMostlyShared } from "./unreadable-values.ts";
import { counted, formatCount, withoutIndexes } from "./wording.ts";

/**
 * Returns details with changes of encoded strings and of many numbers of a list as one line with their number, and no
 * two lines that look the same. `format` tells values apart.
 */
export function foldValues(details: readonly Detail[], format: FormatValue): readonly Detail[] {
  const all = distinctDetails(equalCalls(details, format), format);
  const lists = new Map<string, number>();
  const families = all.map(familyOf);
  for (const family of families)
    if (family !== undefined) lists.set(family.only, (lists.get(family.only) ?? 0) + family.count);
  const isFolded = (family: Family): boolean => (lists.get(family.only) ?? 0) >= family.least;
  const counts = new Map<string, { readonly only: string; readonly count: number }>();
  for (const family of families) {
    if (family === undefined || !isFolded(family)) continue;
    const { only = family.only, count = 0 } = counts.get(family.text) ?? {};
    counts.set(family.text, { only: only === family.only ? only : family.text, count: count + family.count });
  }
  const folded = new Set<string>();
  return all.flatMap((detail, index): readonly Detail[] => {
    const family = families[index];
    if (family === undefined || !isFolded(family)) return [detail];
    if (folded.has(family.text)) return [];
    folded.add(family.text);
    const { only = "", count = 0 } = counts.get(family.text) ?? {};
    return [
      { kind: "remark", text: count === 1 ? family.alone : `${only}: ${formatCount(count)} ${family.noun} differ` },
    ];
  });
}

/** Joins equal changes of several calls of one adapter: `tools.save (20 calls): v: "o" → "n"`. */
function equalCalls(details: readonly Detail[], format: FormatValue): readonly Detail[] {
  const keyOf = (detail: Detail): string | undefined => {
    if (detail.kind !== "change" || detail.change.call?.kind !== "changed") return undefined;
    const { path, before, after, count } = detail.change;
    return JSON.stringify([detail.lead, path, format(before), format(after), count]);
  };
  const keys = details.map(keyOf);
  if (new Set(keys).size === keys.length) return details;
  const counts = new Map<string, number>();
  for (const key of keys) if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
  const joined = new Set<string>();
  return details.flatMap((detail, index): readonly Detail[] => {
    const key = keys[index];
    const count = key === undefined ? 1 : (counts.get(key) ?? 1);
    if (key === undefined || count === 1 || detail.kind !== "change") return [detail];
    if (joined.has(key)) return [];
    joined.add(key);
    const [adapter = "", ...rest] = detail.change.path.split(": ");
    return [{ ...detail, change: { ...detail.change, path: [`${adapter} (${count} calls)`, ...rest].join(": ") } }];
  });
}

/** Changes that are shown together: their location without indexes, what they are, and from how many in a list on. */
interface Family {
  readonly text: string;
  /** The location of the list. */
  readonly only: string;
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
    const text = withoutIndexes(location);
    return { text, only: text, noun: "encoded texts", least: 1, count, alone };
  }
  if (typeof before !== "number" || typeof after !== "number" || !/\[\d+\]$/.test(location)) return undefined;
  const only = location.replace(/\d+\]$/, "*]");
  // Long lists are counted together: an embedding of each call.
  return { text: withoutIndexes(location), only, noun: "numbers", least: MIN_NUMBERS, count, alone: only };
}
