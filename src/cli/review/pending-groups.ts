import { resolve } from "node:path";
import { type Result, err, ok } from "../../kernel/result.ts";
import { quote, formatPath } from "../../kernel/text.ts";
import { firstNames } from "../../explain/wording.ts";
import { numberedLike } from "../../baseline/number-placeholders.ts";
import { parseBaseline } from "../../baseline/parse-baseline.ts";
import type { ChangeShape } from "../../check/update/change-shape.ts";
import { diff } from "../../kernel/diff/diff.ts";
import { type ShapeGroup, type ShapedChange, groupChanges, isGroupName } from "../../explain/change-groups.ts";
import { generalPath, shapeOf } from "../../explain/shape-of-case.ts";
import { groupText } from "../../explain/group-lines.ts";
import { NO_FINDINGS, type ReportChange, type ReportPart } from "../../explain/report-case.ts";
import { readText } from "../../kernel/files/read.ts";
import type { PendingChange } from "../../updates/pending/pending-change.ts";
import { comparedParts } from "./compare-texts.ts";

/** Pending changes of one group. */
export type PendingGroup = ShapeGroup<PendingChange>;

/**
 * Returns the groups of pending changes, as the run's report has them: each change has the group that its run wrote.
 * In an upload (`trusted` false) that is only a claim: changes with one claim are one group only if their texts have
 * the same changes, and its lines are computed from the texts. A change that differs from most of its claim is a group
 * of one.
 */
export function pendingGroups(
  changes: readonly PendingChange[],
  { root, trusted }: { readonly root: string; readonly trusted: boolean },
): PendingGroup[] {
  const texts = new Map<PendingChange, ChangeShape>();
  const textsOf = (change: PendingChange): ChangeShape => {
    const known = texts.get(change) ?? shapeOfTexts(change, readText(resolve(root, change.target)));
    texts.set(change, known);
    return known;
  };
  const claimed = groupChanges(changes, (change) => shaped(change, ownShape(change) ?? textsOf(change)));
  if (trusted) return claimed;
  const strange: PendingChange[] = [];
  const borneOut = claimed.map((group): PendingGroup => {
    const [most, ...rest] = groupChanges(group.members, (change) => shaped(change, textsOf(change))).toSorted(
      (a, b) => b.count - a.count || (a.id < b.id ? -1 : 1),
    );
    strange.push(...rest.flatMap(({ members }) => members));
    const { lines, risk, count, members } = most ?? group;
    return { ...group, cause: null, others: [], lines, risk, count, members };
  });
  // Uses a cause that no check reports, so that no such group gets the id of a reported one.
  const apart = groupChanges(strange, (change) => shaped(change, { ...textsOf(change), cause: "texts" }));
  return [...borneOut, ...apart.map((group) => ({ ...group, cause: null }))];
}

/** Finds the group with this name. The error is a sentence with the existing groups. */
export function findGroup(groups: readonly PendingGroup[], name: string): Result<PendingGroup, string> {
  if (!isGroupName(name)) return err(`--group must be the id of a group, such as g-3fa9c1, got ${quote(name)}.`);
  const [match, ...more] = groups.filter(({ hash }) => hash.startsWith(name.slice("g-".length)));
  if (match !== undefined && more.length > 0)
    return err(`${quote(name)} matches several groups: ${list([match, ...more])}. Pass more characters.`);
  if (match !== undefined) return ok(match);
  return groups.length === 0
    ? err(`There is no group ${quote(name)}, because no change is pending.`)
    : err(`The group ${quote(name)} isn't pending. Pending groups: ${list(groups)}. List them: npx veritest pending`);
}

function list(groups: readonly PendingGroup[]): string {
  return firstNames(groups.map((group) => `${group.id} (${groupText(group)})`));
}

function shaped(change: PendingChange, shape: ChangeShape): ShapedChange {
  return { baseline: change.target, step: change.group, shape };
}

/** Changes that no check compared have only a class. */
function ownShape({ shape, verdict, kind }: PendingChange): ChangeShape | undefined {
  if (shape !== undefined) return { ...shape, kind: verdict };
  return kind === "update" ? undefined : { kind: verdict, cause: null, lines: [] };
}

/**
 * Computes the group of a change from two texts of a baseline, and ignores its own claims. Compares arrays by position.
 */
function shapeOfTexts(
  { verdict, text, target, kind }: Pick<PendingChange, "verdict" | "text" | "target" | "kind">,
  before: string | undefined,
): ChangeShape {
  const sides =
    kind === "update" ? [before, text && numberedLike(before, text)].map((side) => partsIn(side, target)) : [];
  const [old, now] = sides;
  if (old === undefined || now === undefined) return { kind: verdict, cause: null, lines: [] };
  const changes = diff(old, now).entries.map(({ path, ...values }): ReportChange<unknown> => {
    const [head, ...rest] = path;
    const part = PARTS.get(head);
    const below = part === undefined ? path : rest;
    const location = below.length === 0 ? "" : formatPath(below);
    const general = generalPath(below, { part });
    return { part: part ?? "input", path: location, general, ...values, cut: false };
  });
  return shapeOf({ kind: verdict, findings: { ...NO_FINDINGS, changes } });
}

const PARTS: ReadonlyMap<unknown, ReportPart> = new Map(
  (["output", "commands", "events", "calls"] as const).map((part) => [part, part]),
);

function partsIn(text: string | undefined, file: string): object | undefined {
  const parsed = text === undefined ? undefined : parseBaseline(text, file);
  return parsed?.ok === true ? comparedParts(parsed.value) : undefined;
}
