import type { KeyBy } from "../diff/compare-rules.ts";
import { diff } from "../diff/diff.ts";
import type { DiffResult } from "../diff/entries.ts";
import { type Schema, type SchemaIssue, formatIssues, issuePath, parseWith } from "./schema.ts";

/** State in two layers: `computed` has the values that steps return, and `overlay` has the values that people set. */
export interface LayeredState<State extends object> {
  readonly computed: Partial<State>;
  readonly overlay: Partial<State>;
}

/** Overlay field that the current schema refuses. It stays in effect until a person resolves it. */
export interface OverlayConflict {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/**
 * Returns the effective state, `{ ...computed, ...overlay }`: the values of steps with the values of people over them.
 * A key of the overlay wins even if its value is `undefined`. veritest never stores the effective state.
 */
export function effectiveState<State extends object>(snapshot: LayeredState<State>): Partial<State> {
  return { ...snapshot.computed, ...snapshot.overlay };
}

/**
 * Returns the differences between two effective states. A field that an overlay sets in both states doesn't differ.
 * Arrays are compared by index, or by `keyBy` as in `diff`.
 *
 * @example
 * const before = { computed: { total: 1 }, overlay: {} };
 * diffEffectiveState(before, { computed: { total: 2 }, overlay: { total: 1 } }).equal; // true
 */
export function diffEffectiveState<State extends object>(
  before: LayeredState<State>,
  after: LayeredState<State>,
  keyBy?: KeyBy,
): DiffResult {
  return diff(effectiveState(before), effectiveState(after), keyBy);
}

/**
 * Checks an overlay with the current schema, which you pass as the partial schema of a step
 * (`step.partialOutputSchema`). Returns every conflict. Fields that the schema no longer has are reported once all
 * others match. An empty list means that the overlay is still valid.
 */
export async function overlayConflicts(schema: Schema<unknown, object>, overlay: object): Promise<OverlayConflict[]> {
  const parsed = await parseWith(schema, overlay);
  const issues = parsed.ok ? strippedFields(overlay, parsed.value) : parsed.error.issues;
  return issues.map((issue) => ({ path: issuePath(issue), message: formatIssues([issue]) }));
}

/**
 * A schema that strips unknown keys doesn't report them; in an overlay each is a person's decision that would be lost.
 */
function strippedFields(overlay: object, parsed: object): SchemaIssue[] {
  return Object.keys(overlay)
    .filter((key) => !Object.hasOwn(parsed, key))
    .map((key) => ({ path: [key], message: "This field isn't in the schema" }));
}
