import type { CallRole } from "../../kernel/call-role.ts";

/** One row of two trajectories: the call before, and the call now. */
export interface CallRow {
  /** `same`: the calls are equal, or all of their differences are tolerated by a rule. */
  readonly kind: "same" | "changed" | "added" | "removed" | "moved";
  readonly adapter: string;
  readonly role: CallRole;
  /** Encoded arguments of the earlier call. A single argument isn't in a list. `null` if the call is new. */
  readonly before: { readonly request: unknown } | null;
  /** Encoded arguments of the current call. A single argument isn't in a list. `null` if the call was removed. */
  readonly after: { readonly request: unknown } | null;
}

/** A row, with the positions of its call in each run. */
export interface IndexedRow extends CallRow {
  readonly indexes: { readonly before?: number | undefined; readonly after?: number | undefined };
}

/** Sorts rows by the current order; a removed call goes before the first call that followed it. */
export function alignRows(rows: readonly IndexedRow[]): readonly CallRow[] {
  const gone = rows
    .filter(({ indexes }) => indexes.after === undefined)
    .toSorted((a, b) => (a.indexes.before ?? 0) - (b.indexes.before ?? 0));
  const today = rows
    .filter(({ indexes }) => indexes.after !== undefined)
    .toSorted((a, b) => (a.indexes.after ?? 0) - (b.indexes.after ?? 0));
  const aligned: IndexedRow[] = [];
  for (const row of today) {
    // An added or moved call then has no information about the order.
    const reached = row.kind === "moved" ? -1 : (row.indexes.before ?? -1);
    const passed = gone.filter(({ indexes }) => (indexes.before ?? 0) < reached).length;
    aligned.push(...gone.splice(0, passed), row);
  }
  return [...aligned, ...gone].map(({ indexes: _at, ...row }) => row);
}
