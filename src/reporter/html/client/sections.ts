import type { ReportGroup } from "../../../explain/run-model.ts";
import type { PageData } from "../page-data.ts";
import { type State, groupIndexes } from "./filters.ts";

/** Rows of a group among others: its example and a few more; all of them are a click away. */
const MAX_OF_KIND = 3;

/** Rows with what they have in common. */
export type Section = {
  /** Null for cases that passed or are obsolete. */
  group: ReportGroup | null;
  passed: boolean;
  rows: readonly number[];
  /** Number of selected cases, of which `rows` are the first. */
  all: number;
  /** The group before this one, of which this one has each line and some more. */
  extends: ReportGroup | null;
};

/** The selected cases by group, the riskiest first; after each group those that only have extra paths. */
export function sectionsOf(
  { model, statuses }: PageData,
  { selected, state }: { selected: readonly number[]; state: State },
): readonly Section[] {
  const groupOf = groupIndexes(model);
  const byKind = Map.groupBy(selected, (index) =>
    statuses[index] === "passed" ? "passed" : (groupOf.get(index) ?? "obsolete"),
  );
  const cap = state.group === "" && byKind.size > 1 ? MAX_OF_KIND : Infinity;
  const sections = [...byKind].map(([kind, of]): Section => {
    const group = typeof kind === "number" ? (model.groups[kind] ?? null) : null;
    const rows = group === null ? of : of.slice(0, cap);
    return { group, passed: kind === "passed", rows, all: of.length, extends: null };
  });
  const groups = new Map(sections.flatMap(({ group }) => (group === null ? [] : [[group.id, group] as const])));
  const withBases = sections.map((section) => ({ ...section, extends: baseOf(section.group, groups) }));
  const more = Map.groupBy(withBases, (section) => section.extends);
  return (more.get(null) ?? []).flatMap((section) => [
    section,
    ...(section.group === null ? [] : (more.get(section.group) ?? [])),
  ]);
}

/** The group that has a single one of this one's lines and is as risky. Null if there is none. */
function baseOf(group: ReportGroup | null, groups: ReadonlyMap<string, ReportGroup>) {
  if (group === null || group.lines.length < 2) return null;
  const { others, step, kind, cause, risk } = group;
  const bases = others.flatMap((id) => groups.get(id) ?? []);
  return (
    bases.find((base) => base.step === step && base.kind === kind && base.cause === cause && base.risk === risk) ?? null
  );
}

/** The paths that a group has and its base doesn't. Untrusted texts. */
export function extraPaths({ lines }: ReportGroup, base: ReportGroup) {
  const known = new Set(base.lines.map(({ part, path }) => `${part} ${path}`));
  return lines.filter(({ part, path }) => !known.has(`${part} ${path}`)).map(({ part, path }) => path || part);
}
