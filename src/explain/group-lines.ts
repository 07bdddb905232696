import { RISKS, type ShapeLine, type ShapeSide } from "../check/change-shape.ts";
import type { VerdictKind } from "../check/verdict.ts";
import type { ShapeGroup } from "./change-groups.ts";
import { firstOfEach } from "./first-of-each.ts";
import { FROM, type PendingLocation, plainCount, counted, formatCount, formatLocation } from "./wording.ts";

/** Groups that are told before the rest is only counted. */
const MAX_GROUPS = 12;
/** Changes from which on they are told by group: fewer are read one by one. */
const GROUPED_FROM = 6;
/** Paths of one group that its line names. */
const MAX_LINES = 3;

/** What a group says of itself, whoever its members are. */
export interface GroupSummary extends Omit<ShapeGroup<unknown>, "members" | "hash" | "step" | "others"> {
  readonly others?: readonly string[];
}

/**
 * Whether so many changes are told by group: where the kinds are half of them or less. Each broken file is damaged in a
 * way of its own, and is a kind by itself.
 */
export function showsGroups(changes: number, groups: readonly Pick<GroupSummary, "count" | "kind">[]): boolean {
  const kinds = groups.reduce((sum, { kind, count }) => sum + (kind === "broken" ? count : 1), 0);
  return changes >= GROUPED_FROM && kinds * 2 <= changes;
}

/** The groups that are told, and how many kinds and changes are left: those to look at first are told. */
export function shownGroups<Group extends Pick<GroupSummary, "count">>(
  groups: readonly Group[],
): { readonly told: readonly Group[]; readonly rest: string | undefined } {
  const [told, left] = [groups.slice(0, MAX_GROUPS), groups.slice(MAX_GROUPS)];
  const changes = left.reduce((sum, { count }) => sum + count, 0);
  const rest =
    left.length === 0 ? undefined : `… and ${counted(left.length, "more kind")} of ${counted(changes, "change")}`;
  return { told, rest };
}

/** How many changes of how many kinds there are: `37 changed, 3 kinds`. */
export function groupCountsText(groups: readonly Pick<GroupSummary, "count" | "kind">[]): string {
  const changes = groups.reduce((sum, { count }) => sum + count, 0);
  const what = groups.every(({ kind }) => CHANGED.has(kind)) ? "changed" : "to look at";
  return `${formatCount(changes)} ${what}, ${plainCount(groups.length, "kind")}`;
}

const CHANGED: ReadonlySet<VerdictKind> = new Set([
  "value_changed",
  "calls_changed",
  "commands_changed",
  "events_changed",
]);

/** A group on one line: `34 × licence: string → null (code)`. Untrusted text. */
export function groupText(group: Pick<GroupSummary, "count" | "kind" | "lines" | "cause">): string {
  return `${formatCount(group.count)} × ${shapeText(group)}`;
}

/** What kind of change it is, on one line: `licence: string → null (code)`. Untrusted text. */
export function shapeText({ kind, lines, cause }: Pick<GroupSummary, "kind" | "lines" | "cause">): string {
  const shown = firstOfEach(lines, MAX_LINES, ({ risk }) => RISKS.indexOf(risk)).map(lineWords);
  const rest = lines.length - shown.length;
  const places = rest === 0 ? shown : [...shown, `+${rest} more`];
  const class_ = kind === "value_changed" && lines.length > 0 ? [] : [kind];
  const what = [...class_, ...(places.length === 0 ? [] : [places.join(", ")])].join(": ");
  return cause === null ? what : `${what} (${cause})`;
}

/** A line of a shape: `licence: "MIT" → null`, `+ due: string`, `tasks.*.due: null → string`. Untrusted text. */
function lineWords({ part, path, before, after }: ShapeLine): string {
  const place = placeWords(part, path);
  if (before.kind === "hash") return `${place} differs from its stored hash`;
  if (before.kind === "absent" && after.kind === "absent") return place;
  if (before.kind === "absent") return `+ ${place}: ${sideWords(after)}`;
  if (after.kind === "absent") return `- ${place}: ${sideWords(before)}`;
  return `${place}: ${sideWords(before)} → ${sideWords(after)}`;
}

/** The names of groups that have a part of this one's change alone; undefined where there are none. */
export function relatedGroupsText({ others = [] }: Pick<GroupSummary, "others">): string | undefined {
  return others.length === 0 ? undefined : `each alone: ${others.join(", ")}`;
}

/** The command that accepts a group. */
export function acceptGroupCommand(id: string, place: PendingLocation): string {
  return `npx veritest accept --group ${id}${place === "project" ? "" : ` ${FROM}`}`;
}

function placeWords(part: string, path: string): string {
  switch (part) {
    case "output":
    case "commands":
    case "events":
    case "input":
      return formatLocation({ part, path });
    default:
      return path;
  }
}

function sideWords({ kind, value }: ShapeSide): string {
  return value ?? kind;
}
