import type { BaselineMeta } from "../baseline/baseline.ts";
import { RequestedWords } from "../check-all/nearest-words.ts";
import type { StoredCase } from "../baseline/baseline-library.ts";

/** Filter of stored cases: those with one of the names, every label, and every meta entry. */
export interface CaseFilter {
  /** Check only cases with one of these names. */
  readonly names?: readonly string[] | undefined;
  /** Check only cases with all of these labels. */
  readonly labels?: readonly string[] | undefined;
  /** Check only cases with all of this metadata: `{ customer: "acme" }`. */
  readonly meta?: BaselineMeta | undefined;
}

/** Names of the filter's parts among a matcher's options. */
export const CASE_FILTER: Readonly<Record<keyof CaseFilter, true>> = { names: true, labels: true, meta: true };

/**
 * Returns the stored cases that a filter names. An unreadable file is always included: its contents are unknown. Throws
 * a TypeError for a name that no case has, unless the filter matches none at all, which the caller reports.
 */
export function filterCases(cases: readonly StoredCase[], filter: CaseFilter): readonly StoredCase[];
/** Returns the same cases lazily, each when it is read. */
export function filterCases(cases: Iterable<StoredCase>, filter: CaseFilter): Iterable<StoredCase>;
export function filterCases(cases: Iterable<StoredCase>, filter: CaseFilter): Iterable<StoredCase> {
  return Array.isArray(cases) ? [...chosen(cases, filter)] : chosen(cases, filter);
}

function* chosen(cases: Iterable<StoredCase>, filter: CaseFilter): Generator<StoredCase, void> {
  const names = new RequestedWords(filter.names ?? []);
  let hasChosen = false;
  let areReadable = true;
  for (const stored of cases) {
    const { baseline } = stored;
    areReadable &&= baseline.ok;
    if (baseline.ok && baseline.value.name !== undefined) names.see(baseline.value.name);
    if (!isChosen(stored, filter)) continue;
    hasChosen = true;
    yield stored;
  }
  // An unreadable file may have the name.
  const [problem] = hasChosen && areReadable ? names.problems("name") : [];
  if (problem !== undefined) throw new TypeError(`names: ${problem}`);
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
