import { sharedValue } from "./shared-value.ts";

const ownValues = sharedValue("own-values", isWeakSet, () => new WeakSet());

function isWeakSet(value: unknown): value is WeakSet<object> {
  return value instanceof WeakSet;
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
