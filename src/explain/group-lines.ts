import { escapeLookAlikes } from "../kernel/diff/look-alikes.ts";
import { RISKS, type ShapeLine, type ShapeSide } from "../check/update/change-shape.ts";
import type { VerdictClass } from "../check/verdict.ts";
import { MOVED } from "./shape-of-case.ts";
import type { ShapeGroup } from "./change-groups.ts";
import { firstOfEach } from "./first-of-each.ts";
import type { UnrecordedReason } from "../record/replay/unrecorded-request.ts";
import type { ReportCase } from "./report-case.ts";
import type { RunModel } from "./run-model.ts";
import { needsReview, worstFirst } from "./tally.ts";
import { plainCount, counted, formatCount, formatLocation, isCommandPath } from "./wording.ts";

/** Number of groups that are listed; the rest is only counted. */
const MAX_GROUPS = 12;
/** Number of changes from which they are shown by group: fewer are read one by one. */
const GROUPED_FROM = 6;
/** Paths of one group that its line names. */
const MAX_LINES = 3;

/** Description of a group, without its members. */
export interface GroupSummary extends Omit<ShapeGroup<unknown>, "members" | "hash" | "step" | "others"> {
  readonly others?: readonly string[];
}

/**
 * Returns true to show so many changes by group: if the groups are at most half as many. Each broken file is damaged
 * differently, and is a separate group.
 */
export function showsGroups(changes: number, groups: readonly Pick<GroupSummary, "count" | "kind">[]): boolean {
  const kinds = groups.reduce((sum, { kind, count }) => sum + (kind === "broken" ? count : 1), 0);
  return changes >= GROUPED_FROM && kinds * 2 <= changes;
}

/** Returns the groups to show, the ones to review first, and a count of the groups and changes that are left. */
export function shownGroups<Group extends Pick<GroupSummary, "count">>(
  groups: readonly Group[],
): { readonly listed: readonly Group[]; readonly rest: string | undefined } {
  const [listed, left] = [groups.slice(0, MAX_GROUPS), groups.slice(MAX_GROUPS)];
  const changes = left.reduce((sum, { count }) => sum + count, 0);
  const rest =
    left.length === 0 ? undefined : `… and ${counted(left.length, "more group")} with ${counted(changes, "change")}`;
  return { listed, rest };
}

/** Counts changes and groups: `37 changed, 3 groups`. */
export function groupCountsText(groups: readonly Pick<GroupSummary, "count" | "kind">[]): string {
  const changes = groups.reduce((sum, { count }) => sum + count, 0);
  const what = groups.every(({ kind }) => CHANGED.has(kind)) ? "changed" : "to review";
  return `${formatCount(changes)} ${what}, ${plainCount(groups.length, "group")}`;
}

const CHANGED: ReadonlySet<VerdictClass> = new Set([
  "value_changed",
  "calls_changed",
  "commands_changed",
  "events_changed",
  "input_changed",
]);

/** A group on one line: `34 × licence: string → null (code)`. Untrusted text. */
export function groupText(group: Pick<GroupSummary, "count" | "kind" | "lines" | "cause">): string {
  return `${formatCount(group.count)} × ${shapeText(group)}`;
}

/** Describes a group of changes on one line: `licence: string → null (code)`. Untrusted text. */
export function shapeText({ kind, lines, cause }: Pick<GroupSummary, "kind" | "lines" | "cause">): string {
  const listed = firstOfEach(lines, MAX_LINES, ({ risk }) => RISKS.indexOf(risk)).map(lineWords);
  const distinct = listed.map((line, at) => distinctLine(line, listed.toSpliced(at, 1)));
  const rest = lines.length - listed.length;
  const locations = rest === 0 ? distinct : [...distinct, `+${rest} more`];
  const classes = kind === "value_changed" && lines.length > 0 ? [] : [kind];
  const what = [...classes, ...(locations.length === 0 ? [] : [locations.join(", ")])].join(": ");
  return cause === null ? what : `${what} (${cause})`;
}

/** Returns a line whose name never looks like that of another one with the other sign: `+ \u0430: 1` after `- a: 1`. */
function distinctLine(line: string, listed: readonly string[]): string {
  if (!/^[+-] /.test(line)) return line;
  const sign = line.slice(0, 2);
  return listed.reduce((kept, other) => sign + escapeLookAlikes(kept.slice(2), other.slice(2))[0], line);
}

/** Returns true if a line with one side is of a complete call: a part of a call has its path behind the adapter's. */
function isCall(part: string, path: string): boolean {
  return part === "calls" && !path.includes(": ");
}

/** A line of a shape: `licence: "MIT" → null`, `+ due: string`, `summary changed`. Untrusted text. */
function lineWords({ part, path, before, after, risk }: ShapeLine): string {
  const location = locationText(part, path);
  if (before.kind === "hash") return `${location} differs from its stored hash`;
  if (before.kind === "absent" && after.kind === "absent") return part === "request" ? requestWords(path) : location;
  if (part === "calls" && path.endsWith(MOVED)) return movedWords(path.slice(0, -MOVED.length), before, after);
  if (isCall(part, path) && (before.kind === "absent" || after.kind === "absent")) {
    const [side, state] = before.kind === "absent" ? [after, "new"] : [before, "dropped"];
    return `${state} ${risk === "writes" ? "write" : "call"}: ${path}(${sideWords(side)})`;
  }
  if (part === "commands" && isCommandPath(path) && (before.kind === "absent" || after.kind === "absent")) {
    const [{ value = path }, state] = before.kind === "absent" ? [after, "new"] : [before, "dropped"];
    return `${state} command ${value}`;
  }
  if (before.kind === "absent") return `+ ${location}: ${sideWords(after)}`;
  if (after.kind === "absent") return `- ${location}: ${sideWords(before)}`;
  // Two types say less than the word.
  if (before.kind === after.kind && before.value === undefined && after.value === undefined)
    return `${location} changed`;
  const [was, is] = escapeLookAlikes(sideWords(before), sideWords(after));
  return `${location}: ${was} → ${is}`;
}

/** Describes a moved call: `tools.pay({ amount: 5 }) moved before tools.pay({ amount: 7 })`. */
function movedWords(adapter: string, call: ShapeSide, position: ShapeSide): string {
  const [name = adapter, location] = [call, position].map(({ value }) => value);
  // Pending updates of earlier versions have both positions, in quotes.
  if (name.startsWith('"')) return `${adapter} moved ${location === undefined ? "" : location.slice(1, -1)}`.trim();
  return `${name} moved ${location ?? ""}`.trimEnd();
}

/** Returns the names of groups that have a part of this one's change alone; undefined if there are none. */
export function relatedGroupsText({ others: related = [] }: Pick<GroupSummary, "others">): string | undefined {
  return related.length === 0 ? undefined : `each alone: ${related.join(", ")}`;
}

/** Words for a request without a recorded response, of its adapter and reason: `fetch (unknown_request)`. */
function requestWords(path: string): string {
  const [, adapter = path, reason = ""] = /^(.*) \((\w+)\)$/s.exec(path) ?? [];
  const words = REASON_WORDS.get(reason);
  return words === undefined ? path : `${words} ${adapter}`;
}

const REASON_WORDS: ReadonlyMap<string, string> = new Map([
  ["unknown_adapter", "first call of"],
  ["unknown_request", "new request of"],
  ["repeated", "more calls of"],
  ["stream_exhausted", "read past the end of a stream of"],
  ["no_response", "awaited a response of"],
  ["hash_only", "only a hash is recorded of"],
] satisfies [UnrecordedReason, string][]);

function locationText(part: string, path: string): string {
  switch (part) {
    case "request":
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

/** Cases that need review, the worst first. If many cases are of few kinds, an example of each comes first. */
export function examplesFirst({ cases, groups }: Pick<RunModel, "cases" | "groups">): readonly ReportCase[] {
  const failing = worstFirst(cases.filter(needsReview));
  if (!showsGroups(failing.length, groups)) return failing;
  const examples = new Set(
    groups.map((group) => cases[group.cases[0] ?? 0]).filter((reported) => reported !== undefined),
  );
  return [...[...examples].filter(needsReview), ...failing.filter((reported) => !examples.has(reported))];
}
