/**
 * Removes what the test files before this one left in the worker: the hooks that they installed, the newest first, the
 * runs that they abandoned, to which a request could belong, and the tracers of OpenTelemetry.
 */
for (const key of Object.getOwnPropertySymbols(globalThis).toReversed()) {
  const value: unknown = Reflect.get(globalThis, key);
  if (key.description?.startsWith("opentelemetry.js.api.") === true) Reflect.deleteProperty(globalThis, key);
  if (key.description?.startsWith("veritest.") !== true) continue;
  if (value instanceof Set) value.clear();
  const restore: unknown = typeof value === "object" && value !== null ? Reflect.get(value, "restore") : undefined;
  if (typeof restore !== "function") continue;
  Reflect.deleteProperty(globalThis, key);
  Reflect.apply(restore, undefined, []);
}
