/**
 * Tells whether a value is plain data with named fields: prototype `null`, `Object.prototype`, or the
 * `Object.prototype` of another realm. Arrays, functions and class instances are not plain. Never throws.
 */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return isPlainPrototype(Object.getPrototypeOf(value));
}

function isPlainPrototype(prototype: unknown): boolean {
  if (prototype === Object.prototype || prototype === null) return true;
  // Jest runs tests in a vm context, whose literals inherit from that context's own Object.prototype.
  return (
    typeof prototype === "object" &&
    Object.getPrototypeOf(prototype) === null &&
    Object.hasOwn(prototype, "isPrototypeOf")
  );
}
