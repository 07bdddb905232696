/** The key that marks what JSON lacks: `{ "$t": "date", "v": "…" }`. */
export const TAG = "$t";

/**
 * The tags of the encoding. `escaped` holds an ordinary object that has a `$t` key of its own; `instance` the fields of
 * an object of a class, with its getters (names, or what they gave) and the names of its methods; `promise` what one
 * resolved to.
 */
export type Tag =
  | "-0"
  | "-infinity"
  | "bigint"
  | "bytes"
  | "date"
  | "error"
  | "escaped"
  | "infinity"
  | "instance"
  | "map"
  | "nan"
  | "omitted"
  | "promise"
  | "regexp"
  | "set"
  | "undefined"
  | "url";

/** A value JSON lacks, as JSON: which kind it is, and its content where the kind alone does not say it all. */
export interface Tagged {
  readonly $t: Tag;
  readonly v?: unknown;
}

/**
 * How deep containers may nest in what is encoded or decoded; beyond it, both refuse rather than overflow the stack.
 */
export const MAX_DEPTH = 500;

/** Makes a {@link Tagged} value; an absent content leaves no key behind. */
export function tagged(tag: Tag, content?: unknown): Tagged {
  return content === undefined ? { $t: tag } : { $t: tag, v: content };
}
