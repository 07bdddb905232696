import { escapeLookAlikes, lookOf } from "../kernel/diff/look-alikes.ts";
import { countCells } from "../kernel/terminal-cells.ts";
import { byCodeUnits, sharedEnds, truncate } from "../kernel/text.ts";
import { type ChangeDetail, type Detail, locationOf } from "./detail.ts";

/** Characters of a value that are compared to find two lines that look the same. */
const MAX_VALUE = 200;
/** Columns of a path, so that its line also shows the value. */
const MAX_PATH = 60;
/** Characters of what two long paths have in common that are shown before their difference. */
const AROUND = 12;

/** Returns the text of a value. The report page gets JSON alone, and can't load the formatter of other values. */
export type FormatValue = (value: unknown, maxLength?: number) => string;

/** Returns details of which no two look the same: their names and values have the characters that differ. */
export function distinctDetails(details: readonly Detail[], format: FormatValue): readonly Detail[] {
  return markedValues(markedNames(details), format);
}

/** Marks the names of removed and added values that look the same. */
function markedNames(details: readonly Detail[]): readonly Detail[] {
  const removed = new Map<string, ChangeDetail>();
  for (const detail of details) if (isOneSided(detail, "before")) removed.set(lookOfDetail(detail, "before"), detail);
  if (removed.size === 0) return details;
  const rewritten = new Map<Detail, readonly Detail[]>();
  for (const detail of details) {
    if (!isOneSided(detail, "after")) continue;
    const other = removed.get(lookOfDetail(detail, "after"));
    if (other === undefined) continue;
    const [old, current] = [other.change, detail.change];
    const [was, is] = markedPaths(old.path, current.path);
    const isOne = was === is && current.call === undefined;
    rewritten.set(other, [{ ...other, change: { ...old, path: was, ...(isOne && { after: current.after }) } }]);
    rewritten.set(detail, isOne ? [] : [{ ...detail, change: { ...current, path: is } }]);
  }
  return details.flatMap((detail) => rewritten.get(detail) ?? [detail]);
}

/** One of two names may have quotes because of the character that isn't seen: `größe` and `["größe"]`. */
function markedPaths(old: string, current: string): readonly [string, string] {
  return lookOf(old) === lookOf(current)
    ? escapeLookAlikes(old, current)
    : escapeLookAlikes(withoutQuotes(old), withoutQuotes(current));
}

function withoutQuotes(path: string): string {
  return path.replace(/\["((?:[^"\\]|\\.)*)"\]/g, ".$1").replace(/^\./, "");
}

/** Returns true for a change that has a value on this side alone. */
export function isOneSided(detail: Detail, side: "before" | "after"): detail is ChangeDetail {
  if (detail.kind !== "change") return false;
  const { before, after } = detail.change;
  return side === "before" ? before !== undefined && after === undefined : before === undefined && after !== undefined;
}

function lookOfDetail(detail: ChangeDetail, side: "before" | "after"): string {
  const value = detail.change[side];
  const text = String(typeof value === "object" && value !== null ? Object.keys(value) : value);
  return lookOf(`${withoutQuotes(locationOf(detail))}: ${text.slice(0, MAX_VALUE)}`);
}

/** Adds a line below a value that looks like one of another location, as a moved element that also changed does. */
function markedValues(details: readonly Detail[], format: FormatValue): readonly Detail[] {
  const sides = (side: "before" | "after"): readonly (readonly [Detail, string])[] =>
    details.flatMap((detail) => {
      if (detail.kind !== "change" || detail.change.call !== undefined) return [];
      const { [side]: value } = detail.change;
      return typeof value === "string" || typeof value === "object" ? [[detail, format(value, MAX_VALUE)]] : [];
    });
  const removed = new Map(sides("before").map(([detail, text]) => [lookOf(text), { detail, text }]));
  const lines = new Map<Detail, string>();
  for (const [detail, text] of sides("after")) {
    const other = removed.get(lookOf(text));
    if (other === undefined || other.text === text || other.detail === detail) continue;
    const [was, is] = escapeLookAlikes(other.text, text);
    lines.set(detail, `${was} and ${is} look the same`);
  }
  if (lines.size === 0) return details;
  return details.flatMap((detail): readonly Detail[] => {
    const text = lines.get(detail);
    return text === undefined ? [detail] : [detail, { kind: "remark", text }];
  });
}

/** Cuts long paths around their difference, so that no two look the same and their lines have space for the values. */
export function shortPaths(details: readonly Detail[]): readonly Detail[] {
  const long = details.filter((detail) => detail.kind === "change" && isLong(detail));
  if (long.length === 0) return details;
  const paths = [...new Set(long.flatMap((detail) => (detail.kind === "change" ? [detail.change.path] : [])))];
  const sorted = paths.toSorted(byCodeUnits);
  const short = new Map(
    sorted.map((path, at) => {
      const near = [sorted[at - 1], sorted[at + 1]].map((other = "") => sharedEnds(path, other).start);
      return [path, cutPath(path, Math.max(...near))];
    }),
  );
  return details.map((detail) => {
    if (detail.kind !== "change") return detail;
    const path = short.get(detail.change.path);
    return path === undefined ? detail : { ...detail, change: { ...detail.change, path } };
  });
}

/** Returns true for a path that leaves no space for its value. The path of a call has its request, which wraps. */
function isLong({ change: { path, call } }: ChangeDetail): boolean {
  const isRequest = call !== undefined && call.kind !== "changed";
  return !isRequest && path.length > MAX_PATH / 2 && countCells(path) > MAX_PATH * 1.5;
}

/** Cuts a path around the index from which it differs from the most similar one. */
function cutPath(path: string, shared: number): string {
  const size = Math.trunc((MAX_PATH * path.length) / countCells(path));
  if (shared < size * 0.75) return truncate(path, size);
  const at = shared - AROUND;
  // Not within a surrogate pair, nor within an escape.
  const start = at + (/^(?:[\udc00-\udfff]|u?[0-9a-f]{1,4}(?=\\))/.exec(path.slice(at, shared))?.[0].length ?? 0);
  return `(+${start} characters) …${truncate(path.slice(start), size)}`;
}
