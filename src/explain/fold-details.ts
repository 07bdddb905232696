import { escapeLookAlikes, lookOf } from "../kernel/diff/look-alikes.ts";
import { sharedEnds } from "../kernel/text.ts";
import type { Detail } from "./detail.ts";
import { MIN_NUMBERS, isEncoded, isMostlyShared } from "./unreadable-values.ts";
import { counted, formatCount, formatLocation, withoutIndexes } from "./wording.ts";

/** Characters of a value that are compared to find two lines that look the same. */
const MAX_VALUE = 200;

type ChangeDetail = Extract<Detail, { readonly kind: "change" }>;

/**
 * Returns details as every output shows them: changes of encoded strings and of many numbers of a list as one line with
 * their number, and no two lines that look the same.
 */
export function foldDetails(details: readonly Detail[]): readonly Detail[] {
  const all = distinct(details);
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

function locationOf({ lead, change }: ChangeDetail): string {
  return `${lead}${formatLocation(change)}`;
}

/** Details of which a removed value never looks like an added one: their names have the characters that differ. */
function distinct(details: readonly Detail[]): readonly Detail[] {
  const removed = new Map<string, ChangeDetail>();
  for (const detail of details) if (isOneSided(detail, "before")) removed.set(lookOfDetail(detail, "before"), detail);
  if (removed.size === 0) return details;
  const rewritten = new Map<Detail, readonly Detail[]>();
  for (const detail of details) {
    if (!isOneSided(detail, "after")) continue;
    const other = removed.get(lookOfDetail(detail, "after"));
    if (other === undefined) continue;
    const [old, current] = [other.change, detail.change];
    const [was, is] = escapeLookAlikes(old.path, current.path);
    const isOne = was === is && current.call === undefined;
    rewritten.set(other, [{ ...other, change: { ...old, path: was, ...(isOne && { after: current.after }) } }]);
    rewritten.set(detail, isOne ? [] : [{ ...detail, change: { ...current, path: is } }]);
  }
  return details.flatMap((detail) => rewritten.get(detail) ?? [detail]);
}

/** Returns true for a change that has a value on this side alone. */
function isOneSided(detail: Detail, side: "before" | "after"): detail is ChangeDetail {
  if (detail.kind !== "change") return false;
  const { before, after } = detail.change;
  return side === "before" ? before !== undefined && after === undefined : before === undefined && after !== undefined;
}

function lookOfDetail(detail: ChangeDetail, side: "before" | "after"): string {
  const value = detail.change[side];
  const text = String(typeof value === "object" && value !== null ? Object.keys(value) : value);
  return lookOf(`${locationOf(detail)}: ${text.slice(0, MAX_VALUE)}`);
}
