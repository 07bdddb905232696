import type { BaselineMeta } from "../baseline/baseline.ts";
import type { StoredCase } from "../baseline/baseline-library.ts";

/** Which stored cases a sweep is about: those with one of the names, every label, and every meta entry. */
export interface CaseFilter {
  /** Only cases of these names. */
  readonly names?: readonly string[] | undefined;
  /** Words of a case; a sweep takes only the cases that have all of them. */
  readonly labels?: readonly string[] | undefined;
  /** Facts of a case, `{ customer: "acme" }`; a sweep takes only the cases that have all of them. */
  readonly meta?: BaselineMeta | undefined;
}

/**
 * Chooses the stored cases a filter names. A file that cannot be read is always chosen: nobody can tell what it holds.
 */
export function filterCases(cases: readonly StoredCase[], filter: CaseFilter): readonly StoredCase[];
/** The same one after another, each when it is asked for. */
export function filterCases(cases: Iterable<StoredCase>, filter: CaseFilter): Iterable<StoredCase>;
export function filterCases(cases: Iterable<StoredCase>, filter: CaseFilter): Iterable<StoredCase> {
  return Array.isArray(cases) ? [...chosen(cases, filter)] : chosen(cases, filter);
}

function* chosen(cases: Iterable<StoredCase>, filter: CaseFilter): Generator<StoredCase, void> {
  for (const stored of cases) if (isChosen(stored, filter)) yield stored;
}

function isChosen({ baseline }: StoredCase, { names, labels = [], meta = {} }: CaseFilter): boolean {
  if (!baseline.ok) return true;
  const { name, labels: own, meta: facts } = baseline.value;
  if (names !== undefined && (name === undefined || !names.includes(name))) return false;
  return (
    labels.every((label) => own.includes(label)) &&
    Object.entries(meta).every(([key, value]) => Object.hasOwn(facts, key) && facts[key] === value)
  );
}

/** A filter in words, to go behind "no baseline": empty when it chooses everything. */
export function describeFilter({ names, labels = [], meta = {} }: CaseFilter): string {
  const parts = [
    ...(names === undefined ? [] : [`names ${JSON.stringify(names)}`]),
    ...(labels.length === 0 ? [] : [`labels ${JSON.stringify(labels)}`]),
    ...(Object.keys(meta).length === 0 ? [] : [`meta ${JSON.stringify(meta)}`]),
  ];
  return parts.length === 0 ? "" : ` with ${parts.join(", ")}`;
}
