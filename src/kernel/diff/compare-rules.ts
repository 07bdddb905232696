/** Identity of an array element: the name of a field, or a function of the element. */
export type KeyFn = string | ((item: unknown) => string | number);

/**
 * Identity of array elements by dot path: `{ "results.claims": "id" }`. Elements on the way are passed, of a list as of
 * a keyed array: `{ sections: "name", "sections.items": "id" }`; one is named by its key, else by its index.
 */
export type KeyBy = Readonly<Record<string, KeyFn>>;

/** Decides whether a value may stand for another one. `undefined` is an absent value. */
export type ToleranceFn = (before: unknown, after: unknown) => boolean;

/** A rule for differences that aren't changes, with a short name for reports: `within 0.05`. */
export interface Tolerance {
  readonly label: string;
  readonly tolerates: ToleranceFn;
}

/** Tolerated differences, by dot path as in `keyBy`. */
export type CompareBy = Readonly<Record<string, Tolerance | ToleranceFn>>;
