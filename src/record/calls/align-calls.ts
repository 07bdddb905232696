import type { CallRole } from "../../kernel/call-role.ts";

/** One row of two trajectories side by side: what stood there before, and what stands there now. */
export interface CallRow {
  /** `same`: nothing of it counts as a change, also where a rule lets a difference pass. */
  readonly kind: "same" | "changed" | "added" | "removed" | "moved";
  readonly adapter: string;
  readonly role: CallRole;
  /** The encoded arguments, a lone one for itself; null on the side that lacks the call. */
  readonly before: { readonly request: unknown } | null;
  readonly after: { readonly request: unknown } | null;
}

/** A row, with the place of its call among those of each run. */
export interface IndexedRow extends CallRow {
  readonly indexes: { readonly before?: number | undefined; readonly after?: number | undefined };
}

/** Brings rows into today's order; a call that is gone stands before the first one that came after it. */
export function alignRows(rows: readonly IndexedRow[]): readonly CallRow[] {
  const gone = rows
    .filter(({ indexes }) => indexes.after === undefined)
    .toSorted((a, b) => (a.indexes.before ?? 0) - (b.indexes.before ?? 0));
  const today = rows
    .filter(({ indexes }) => indexes.after !== undefined)
    .toSorted((a, b) => (a.indexes.after ?? 0) - (b.indexes.after ?? 0));
  const aligned: IndexedRow[] = [];
  for (const row of today) {
    // What is new, or came to another place, tells nothing of the order then.
    const reached = row.kind === "moved" ? -1 : (row.indexes.before ?? -1);
    const passed = gone.filter(({ indexes }) => (indexes.before ?? 0) < reached).length;
    aligned.push(...gone.splice(0, passed), row);
  }
  return [...aligned, ...gone].map(({ indexes: _at, ...row }) => row);
}
