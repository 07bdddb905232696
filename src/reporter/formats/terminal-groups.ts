import {
  type GroupSummary,
  groupText,
  groupCountsText,
  relatedGroupsText,
  shownGroups,
} from "../../explain/group-lines.ts";
import type { TerminalLine } from "../../explain/terminal-line.ts";

/** A group as a terminal lists it. */
interface ListedGroup extends GroupSummary {
  readonly step: string;
}

/**
 * Lines that count the groups of changes, `37 changed, 3 groups`, then a line for each with its id. `steps` if they are
 * of several steps. `accept` is the command that accepts one of them, if some are pending.
 */
export function groupLines(
  groups: readonly ListedGroup[],
  { steps, accept }: { readonly steps: boolean; readonly accept: string | undefined },
): TerminalLine[] {
  const { listed } = shownGroups(groups);
  return [
    groupHeadline(groups),
    ...listed.map((group) => groupLine(group, steps ? `  ${group.step}` : "")),
    ...groupFooter(groups, accept),
  ];
}

/** Number of changes and of their kinds. */
export function groupHeadline(groups: readonly ListedGroup[]): TerminalLine {
  return { indent: 0, spans: [{ text: groupCountsText(groups), tone: "strong" }] };
}

/** Number of kinds that aren't listed, and the command to accept one if some are pending. */
export function groupFooter(groups: readonly ListedGroup[], accept: string | undefined): TerminalLine[] {
  const { rest } = shownGroups(groups);
  const gap: TerminalLine = { indent: 0, spans: [{ text: "", tone: "plain" }] };
  const command = accept === undefined ? [] : [faint(`accept one group: ${accept}`)];
  return [...(rest === undefined ? [] : [faint(rest)]), ...command, gap];
}

/** The line of one group: its id, number of changes, and their form. */
export function groupLine(group: GroupSummary, end: string = ""): TerminalLine {
  const related = relatedGroupsText(group);
  return {
    indent: 2,
    spans: [
      { text: `${group.id}  `, tone: "faint" },
      { text: groupText(group), tone: "strong" },
      { text: `${end}${related === undefined ? "" : `  ${related}`}`, tone: "faint" },
    ],
    wraps: true,
    hang: 10,
  };
}

function faint(text: string): TerminalLine {
  return { indent: 2, spans: [{ text, tone: "faint" }], wraps: true };
}
