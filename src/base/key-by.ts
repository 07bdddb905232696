/** How an array element is identified: the name of a field, or a function of the element. */
export type KeyFn = string | ((item: unknown) => string | number);

/** Identity of array elements by dot path through plain objects, for example `{ "results.claims": "id" }`. */
export type KeyBy = Readonly<Record<string, KeyFn>>;
