import { isArray, isPlainObject } from "../../kernel/json/plain-data.ts";

/** A list in another order, told by a number: never the order it is in, where it has two elements. */
export function shuffled(items: readonly unknown[], order: number): unknown[] {
  const found = [...items];
  let state = order;
  for (let index = found.length - 1; index > 0; index -= 1) {
    // The generator of the C standard's example: all that is asked of it is that it repeats.
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    const other = (state >>> 16) % (index + 1);
    [found[index], found[other]] = [found[other], found[index]];
  }
  return found.every((item, index) => Object.is(item, items[index])) ? found.toReversed() : found;
}

/**
 * A value with the lists at a path in another order; elements of lists are passed without being named. Undefined where
 * nothing is there that could be.
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
