/** Identity of an array element: the name of a field, or a function of the element. */
export type KeyFn = string | ((item: unknown) => string | number);

/** Identity of array elements whose order counts too, as in a ranking. */
export interface OrderedKey {
  readonly by: KeyFn;
  /** True if a new order is a change: an entry for each element that moved. Default: false. */
  readonly ordered?: boolean;
}

/**
 * Identity of array elements by dot path: `{ "results.claims": "id" }`. Paths skip the elements of lists: `{ sections:
 * "name", "sections.items": "id" }`; one is named by its key, else by its index. `*` is any name: `{ "*": "id" }` is
 * the arrays of a record.
 */
export type KeyBy = Readonly<Record<string, KeyFn | OrderedKey>>;

/** Returns true if the difference isn't a change. `undefined` is an absent value. */
export type ToleranceFn = (before: unknown, after: unknown) => boolean;

/** A rule for differences that aren't changes, with a short name for reports: `within 0.05`. */
export interface Tolerance {
  readonly label: string;
  readonly tolerates: ToleranceFn;
}

/** Tolerated differences, by dot path as in `keyBy`; `**` is any number of names: `{ "**": within(1e-3) }`. */
export type CompareBy = Readonly<Record<string, Tolerance | ToleranceFn>>;
