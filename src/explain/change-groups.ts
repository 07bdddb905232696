import { hashText } from "../kernel/json/hash.ts";
import { type ChangeShape, RISKS, type Risk, type ShapeLine } from "../check/update/change-shape.ts";
import type { VerdictClass } from "../check/verdict.ts";
import { lineKey, mergedLine, higherRisk } from "./shape-of-case.ts";

/** Hex digits of a group's id; more if two groups begin alike. */
const ID_DIGITS = 6;

/** A change that is to be grouped. */
export interface ShapedChange {
  /** The baseline file, with forward slashes: its directory is its step's. */
  readonly baseline: string;
  /** The step, for people. */
  readonly step: string;
  readonly shape: ChangeShape;
}

/** Changes of one shape: one step, class and cause, and the same paths, each from and to the same kind of value. */
export interface ShapeGroup<Member> {
  /** `g-` and hex digits of the shape: the same in every run, whichever changes are of it. */
  readonly id: string;
  /** All 64 hex digits of the shape, which an id is compared with. */
  readonly hash: string;
  readonly step: string;
  readonly kind: VerdictClass;
  readonly cause: ChangeShape["cause"];
  readonly risk: Risk;
  /** Lines that all changes of the group have, the riskiest first. A line contains its value if all changes have it. */
  readonly lines: readonly ShapeLine[];
  /** Ids of the groups that have only one of this group's lines. Empty if this group has one line. */
  readonly others: readonly string[];
  readonly count: number;
  /** Members in the order they were added; the first is the example. */
  readonly members: readonly Member[];
}

/** Groups changes: each is in one group, and which are together does not depend on their order. */
export function groupChanges<Member>(
  changes: readonly Member[],
  shaped: (change: Member) => ShapedChange,
): ShapeGroup<Member>[] {
  const grouping = new Grouping<Member>();
  for (const change of changes) grouping.add(shaped(change), change);
  return grouping.groups();
}

/** Groups changes while they are added, in a time that grows only with their number. */
export class Grouping<Member> {
  readonly #groups = new Map<string, Found<Member>>();
  readonly #kept: number;

  /** `kept` is the number of members of a group that are stored, if more would only use memory. */
  constructor(kept: number = Infinity) {
    this.#kept = kept;
  }

  /** Adds a change; returns true if it is the first of its group. */
  add({ baseline, step, shape }: ShapedChange, member: Member): boolean {
    const directory = baseline.split("/").at(-2) ?? "";
    const { kind, cause, lines } = shape;
    const key = JSON.stringify([directory, kind, cause, ...lines.map(lineKey)]);
    const known = this.#groups.get(key);
    if (known === undefined) {
      this.#groups.set(key, { directory, step, shape, lines: [...lines], count: 1, members: [member] });
      return true;
    }
    known.count += 1;
    if (step < known.step) known.step = step;
    if (known.members.length < this.#kept) known.members.push(member);
    lines.forEach((line, at) => {
      const merged = known.lines[at];
      if (merged !== undefined) known.lines[at] = mergedLine(merged, line);
    });
    return false;
  }

  /** Returns the groups: those with a new write or command first, then by risk, then the largest. */
  groups(): ShapeGroup<Member>[] {
    const ids = idsOf([...this.#groups.keys()]);
    const alone = new Map<string, string[]>();
    for (const [key, { directory, shape }] of this.#groups) {
      const [line, ...more] = shape.lines;
      if (line === undefined || more.length > 0) continue;
      const at = JSON.stringify([directory, lineKey(line)]);
      alone.set(at, [...(alone.get(at) ?? []), ids.get(key)?.id ?? ""]);
    }
    const made = [...this.#groups].map(([key, { directory, step, shape, lines, count, members }]) => {
      const ordered = lines.toSorted(
        (a, b) => Number(isNewEffect(b)) - Number(isNewEffect(a)) || RISKS.indexOf(a.risk) - RISKS.indexOf(b.risk),
      );
      const locations = lines.length < 2 ? [] : lines.map((line) => JSON.stringify([directory, lineKey(line)]));
      const related = locations.flatMap((location) => alone.get(location) ?? []).toSorted((a, b) => (a < b ? -1 : 1));
      const { kind, cause } = shape;
      const risk = groupRisk(kind, lines);
      const { id, hash } = ids.get(key) ?? NO_ID;
      return { id, hash, step, kind, cause, risk, lines: ordered, others: related, count, members };
    });
    return made.toSorted(
      (a, b) =>
        Number(b.lines.some(isNewEffect)) - Number(a.lines.some(isNewEffect)) ||
        RISKS.indexOf(a.risk) - RISKS.indexOf(b.risk) ||
        b.count - a.count ||
        (a.id < b.id ? -1 : 1),
    );
  }
}

/**
 * Returns the group whose command is offered as an example: the least risky pending one, because the groups to read
 * first aren't the ones to accept first. Never the riskiest of several, and never one with a new write or command.
 */
export function exampleGroup<Group extends Pick<ShapeGroup<unknown>, "lines">>(
  groups: readonly Group[],
  isPending: (group: Group) => boolean,
): Group | undefined {
  const offered = groups.length > 1 ? groups.slice(1) : groups;
  return offered.findLast((group) => isPending(group) && !group.lines.some(isNewEffect));
}

/** Returns true if a line is a write or a command that the baseline doesn't have. */
function isNewEffect({ risk, before, after }: ShapeLine): boolean {
  return (risk === "writes" || risk === "commands") && before.kind === "absent" && after.kind !== "absent";
}

/** Returns true if a name is that of a group: its id, or more or fewer of the digits it begins with. */
export function isGroupName(name: string): boolean {
  return /^g-[0-9a-f]{6,64}$/.test(name);
}

interface Found<Member> {
  /** Directory of the baselines, which identifies their step: a report and an update both have it. */
  readonly directory: string;
  step: string;
  readonly shape: ChangeShape;
  readonly lines: ShapeLine[];
  count: number;
  readonly members: Member[];
}

type ShapeId = Pick<ShapeGroup<unknown>, "id" | "hash">;

const NO_ID: ShapeId = { id: "", hash: "" };

function groupRisk(kind: VerdictClass, lines: readonly ShapeLine[]): Risk {
  switch (kind) {
    case "broken":
    case "failed":
    case "missing":
    case "obsolete":
      return kind;
    case "schema_violation":
      return "schema";
    case "request_changed":
      return "request";
    case "clean":
    case "value_changed":
    case "commands_changed":
    case "calls_changed":
    case "events_changed":
    case "input_changed":
      return lines.map(({ risk }) => risk).reduce<Risk>(higherRisk, "events");
  }
}

/** Returns ids with as few hex digits as tell them apart, but at least six. */
function idsOf(keys: readonly string[]): ReadonlyMap<string, ShapeId> {
  const hashed = keys.map((key) => ({ key, hex: hashText(key).replace("sha256:", "") }));
  const sorted = hashed.toSorted((a, b) => (a.hex < b.hex ? -1 : 1));
  return new Map(
    sorted.map(({ key, hex }, at) => {
      const alike = Math.max(sharedDigits(hex, sorted[at - 1]?.hex), sharedDigits(hex, sorted[at + 1]?.hex));
      return [key, { id: `g-${hex.slice(0, Math.max(ID_DIGITS, alike + 1))}`, hash: hex }];
    }),
  );
}

function sharedDigits(a: string, b: string = ""): number {
  let shared = 0;
  while (shared < b.length && a[shared] === b[shared]) shared += 1;
  return shared;
}
