import { isArray, isPlainObject } from "../../kernel/json/plain-data.ts";
import { type VerdictClass, isVerdictClass } from "../verdict.ts";

/** Risks in the order of review. */
export const RISKS = [
  // Effects outside of the step: only a reviewer can refuse them.
  "writes",
  "commands",
  // The baseline can't be used.
  "broken",
  "schema",
  "failed",
  "request",
  // An enum value.
  "label",
  "calls",
  "number",
  "prose",
  "events",
  "missing",
  "obsolete",
] as const;

/** Kind of a change's risk. */
export type Risk = (typeof RISKS)[number];

const SIDE_KINDS = ["absent", "hash", "null", "boolean", "number", "string", "list", "object"] as const;

/** One side of a change: the kind of a value, `absent`, or `hash` if only the hash is stored. */
export type SideKind = (typeof SIDE_KINDS)[number];

/** One side of a line of a shape. */
export interface ShapeSide {
  readonly kind: SideKind;
  /** The value as shown, if it's short and the same in all changes of the line. */
  readonly value?: string | undefined;
}

/** Path and form of a group of changes. */
export interface ShapeLine {
  /** A part of a case, or `schema` and `error` for the way it ended. */
  readonly part: string;
  /** Dot path below the part with `*` for keys and indexes: `lines[*].quantity`. Untrusted text. */
  readonly path: string;
  readonly before: ShapeSide;
  readonly after: ShapeSide;
  readonly risk: Risk;
}

/**
 * Shape of a case's changes. Changes of one shape are accepted or rejected together. Values and risks are for display
 * and don't identify a shape.
 */
export interface ChangeShape {
  readonly kind: VerdictClass;
  /** A `CauseKind` or `mixed`; null if unknown. */
  readonly cause: string | null;
  readonly lines: readonly ShapeLine[];
}

/** Returns true if data is a shape: it may come from a file of another machine. */
export function isChangeShape(value: unknown): value is ChangeShape {
  if (!isPlainObject(value)) return false;
  const { kind, cause, lines } = value;
  return isVerdictClass(kind) && (cause === null || typeof cause === "string") && isArray(lines) && lines.every(isLine);
}

function isLine(value: unknown): value is ShapeLine {
  if (!isPlainObject(value)) return false;
  const { part, path, before, after, risk } = value;
  const named = typeof part === "string" && typeof path === "string" && RISKS.some((name) => name === risk);
  return named && isSide(before) && isSide(after);
}

function isSide(value: unknown): value is ShapeSide {
  if (!isPlainObject(value)) return false;
  const { kind, value: kept } = value;
  return SIDE_KINDS.some((name) => name === kind) && (kept === undefined || typeof kept === "string");
}
