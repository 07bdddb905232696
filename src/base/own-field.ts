/**
 * Writes an own enumerable field, also under a name that objects inherit: assignment would turn `__proto__` into the
 * prototype, and fail on `toString` where `Object.prototype` is frozen.
 */
export function setOwnField(target: Record<string, unknown>, name: string, value: unknown): void {
  if (!(name in target)) {
    target[name] = value;
    return;
  }
  Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
}
