/** Key of an array element: the name of a field, or a function that returns the key. */
export type KeyFn = string | ((item: unknown) => string | number);

/**
 * Key of array elements, with an option for their order. With `ordered: true`, a moved element is a change, as in a
 * ranking.
 */
export interface OrderedKey {
  readonly by: KeyFn;
  /** True if a new order is a change: an entry for each element that moved. Default: false. */
  readonly ordered?: boolean;
}

/**
 * Keys that identify array elements, by dot path. With `{ "results.claims": "id" }`, reordering the claims isn't a
 * change. Paths skip array elements, so `"sections.items"` covers the items of every section. To name one element, use
 * its key, or its index if the array has no key. `*` matches any name: `{ "*": "id" }` covers all arrays of a record.
 */
export type KeyBy = Readonly<Record<string, KeyFn | OrderedKey>>;

/** Returns true to ignore a difference. A missing value is `undefined`. */
export type ToleranceFn = (before: unknown, after: unknown) => boolean;

/** Rule that decides which differences to ignore. Reports show its `label`, for example `within 0.05`. */
export interface Tolerance {
  readonly label: string;
  readonly tolerates: ToleranceFn;
}

/** Tolerances by dot path, written as in `keyBy`. `**` matches any number of names: `{ "**": within(1e-3) }`. */
export type CompareBy = Readonly<Record<string, Tolerance | ToleranceFn>>;
