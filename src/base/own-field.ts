/** Writes an own enumerable field, also under the name `__proto__`, which assignment would turn into the prototype. */
export function setOwnField(target: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== "__proto__") {
    target[name] = value;
    return;
  }
  Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
}
