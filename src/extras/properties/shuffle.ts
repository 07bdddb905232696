import { isArray, isPlainObject } from "../../kernel/json/plain-data.ts";

/** Returns a list in another order, chosen by a number: never the original order, if it has two elements. */
export function shuffled(items: readonly unknown[], order: number): unknown[] {
  const copy = [...items];
  let state = order;
  for (let index = copy.length - 1; index > 0; index -= 1) {
    // The generator of the C standard's example: it only has to repeat.
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    const other = (state >>> 16) % (index + 1);
    [copy[index], copy[other]] = [copy[other], copy[index]];
  }
  return copy.every((item, index) => Object.is(item, items[index])) ? copy.toReversed() : copy;
}

/**
 * Returns a value with the lists at a path in another order; elements of lists are passed without being named.
 * Undefined if there are no such lists.
 */
export function shuffledAt(value: unknown, path: readonly string[], order: number): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return isArray(value) && value.length > 1 ? shuffled(value, order) : undefined;
  if (isArray(value)) {
    const items = value.map((item) => shuffledAt(item, path, order));
    return items.every((item) => item === undefined) ? undefined : items.map((item, index) => item ?? value[index]);
  }
  if (!isPlainObject(value) || !Object.hasOwn(value, name)) return undefined;
  const inner = shuffledAt(value[name], rest, order);
  return inner === undefined ? undefined : { ...value, [name]: inner };
}
