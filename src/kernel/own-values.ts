const OWN = Symbol.for("veritest.own-values");

/** Shared by all copies of this module: a set-up file and a test may load the package in two formats. */
function ownValues(): WeakSet<object> {
  const known: unknown = Reflect.get(globalThis, OWN);
  if (known instanceof WeakSet) return known;
  const fresh = new WeakSet<object>();
  Reflect.set(globalThis, OWN, fresh);
  return fresh;
}

/**
 * Marks a value as one that veritest made, and returns it. Snapshots print only marked values in a form of their own:
 * a user's plain data may have the same properties.
 */
export function markOwn<T extends object>(value: T): T {
  ownValues().add(value);
  return value;
}

/** True if veritest made the value. A copy of it is plain data. */
export function isOwn(value: unknown): value is object {
  return typeof value === "object" && value !== null && ownValues().has(value);
}
