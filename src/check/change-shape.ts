import { isArray, isPlainObject } from "../kernel/json/plain-data.ts";
import { SEVERITY, type VerdictKind } from "./verdict.ts";

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

const SIDE_KINDS = ["absent", "hash", "null", "boolean", "number", "string", "list", "object"] as const;

/** What stands on one side of a change: the kind of a value, `absent`, or `hash` where only that is stored. */
export type SideKind = (typeof SIDE_KINDS)[number];

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

/** Tells whether data is a shape: it may come from a file of another machine. */
export function isChangeShape(value: unknown): value is ChangeShape {
  if (!isPlainObject(value)) return false;
  const { kind, cause, lines } = value;
  const known = typeof kind === "string" && Object.hasOwn(SEVERITY, kind);
  return known && (cause === null || typeof cause === "string") && isArray(lines) && lines.every(isLine);
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
