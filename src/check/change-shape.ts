import type { VerdictKind } from "./verdict.ts";

/**
 * What somebody should look at first, in this order: what nothing is known of, what breaks a contract, what failed,
 * what a step does, then what it says: values out of a set before numbers before prose.
 */
export const RISKS = [
  "broken",
  "schema",
  "failed",
  "request",
  "writes",
  "commands",
  "label",
  "calls",
  "number",
  "prose",
  "events",
  "missing",
  "obsolete",
] as const;

/** What kind of risk a change is. */
export type Risk = (typeof RISKS)[number];

/** What stands on one side of a change: the kind of a value, `absent`, or `hash` where only that is stored. */
export type SideKind = "absent" | "hash" | "null" | "boolean" | "number" | "string" | "list" | "object";

/** One side of a line of a shape. */
export interface ShapeSide {
  readonly kind: SideKind;
  /** The value as it is written for people, where it is short and the same in all that the line stands for. */
  readonly value?: string | undefined;
}

/** Where and how a kind of change differs. */
export interface ShapeLine {
  /** A part of a case, or `schema` and `error` for how it ended. */
  readonly part: string;
  /** Dot path below the part with `*` for keys and indexes: `lines[*].quantity`. Untrusted text. */
  readonly path: string;
  readonly before: ShapeSide;
  readonly after: ShapeSide;
  readonly risk: Risk;
}

/**
 * What kind of change a case has: changes of one shape are decided on together. Kept values and risks are for people:
 * they are no part of what tells shapes apart.
 */
export interface ChangeShape {
  readonly kind: VerdictKind;
  /** `code`, `prompt`, `model`, `schema` or `mixed`; null where it is not known. */
  readonly cause: string | null;
  readonly lines: readonly ShapeLine[];
}
