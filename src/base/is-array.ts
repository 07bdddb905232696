/** Narrows to an array of unknown elements; `Array.isArray` alone would hand out `any`. Works across realms. */
export function isArray(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}
