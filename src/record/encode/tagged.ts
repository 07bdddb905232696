/**
 * The tags of the encoding. `escaped` contains an ordinary object that has its own `$t` key. `form`, `headers` and
 * `params` contain the pairs of a FormData, Headers or URLSearchParams. `instance` contains the fields of an object of
 * a class, with its getters (names or values) and the names of its methods. `list` contains a list that has properties,
 * as `text.match()` returns it. `promise` contains the resolved value, `value` what a codec made of an instance.
 */
export type Tag =
  | "-0"
  | "-infinity"
  | "bigint"
  | "bytes"
  | "date"
  | "error"
  | "escaped"
  | "form"
  | "headers"
  | "infinity"
  | "instance"
  | "list"
  | "map"
  | "nan"
  | "omitted"
  | "params"
  | "promise"
  | "regexp"
  | "set"
  | "undefined"
  | "url"
  | "value";

/** A value JSON lacks, as JSON: its kind, and its content if the kind alone isn't enough. */
export interface Tagged {
  readonly $t: Tag;
  readonly v?: unknown;
}

/** Maximum depth of nested containers. Encoding and decoding refuse deeper values rather than overflow the stack. */
export const MAX_DEPTH = 500;

/** Creates a {@link Tagged} value; an absent content has no key. */
export function tagged(tag: Tag, content?: unknown): Tagged {
  return content === undefined ? { $t: tag } : { $t: tag, v: content };
}
