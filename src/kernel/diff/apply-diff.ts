import { formatPath } from "../text.ts";
import { isArray, isPlainObject, typeName } from "../json/plain-data.ts";
import type { DiffEntry, DiffResult } from "./entries.ts";

type Path = DiffEntry["path"];
type Container = unknown[] | Record<string, unknown>;

/** The copies made so far. Each path has its own copy, so parts that the base shares between paths are separated. */
type Copies = Set<unknown>;

/** Location of a change: the complete path, and how many of its names lead to the container. */
interface ChangeLocation {
  readonly path: Path;
  readonly depth: number;
}

/**
 * Applies a diff: `applyDiff(a, diff(a, b))` equals `b`. Neither argument is changed; only containers on a changed path
 * are copied. An equal diff returns `base` itself, and a change at the root returns its `after`. Names such as
 * `__proto__` are own properties like any other name; prototypes are neither followed nor written. Throws a TypeError
 * that names the container if the base doesn't match.
 */
export function applyDiff(base: unknown, diff: DiffResult): unknown {
  const copies: Copies = new Set();
  let root = base;
  const edits = diff.entries.filter(({ edit }) => edit === "inserted" || edit === "removed");
  // Outer lists first: the paths below them are those after their elements moved.
  for (const list of listsOf(edits)) root = applyEdits(root, list, copies);
  for (const entry of diff.entries) {
    if (entry.edit !== undefined) continue;
    root = entry.path.length === 0 ? entry.after : applyEntry(root, entry, copies);
  }
  return root;
}

/** The edits of each list, the shortest path first. */
function listsOf(edits: readonly DiffEntry[]): readonly (readonly DiffEntry[])[] {
  const lists = Map.groupBy(edits, ({ path }) => JSON.stringify(path.slice(0, -1)));
  return [...lists.values()].sort((a, b) => (a[0]?.path.length ?? 0) - (b[0]?.path.length ?? 0));
}

/** Removes elements by their indexes before, then inserts those at indexes after. */
function applyEdits(root: unknown, edits: readonly DiffEntry[], copies: Copies): unknown {
  const path = edits[0]?.path ?? [];
  const { top, container } = containerOf(root, path, copies);
  if (!isMutableArray(container)) return top;
  const indexes = edits.map(({ path: own }) => Number(own.at(-1)));
  const removed = new Set(indexes.filter((_index, at) => edits[at]?.edit === "removed"));
  const inserted = new Map(edits.flatMap(({ edit, after }, at) => (edit === "inserted" ? [[indexes[at], after]] : [])));
  const kept = container.filter((_item, index) => !removed.has(index));
  container.length = 0;
  for (const item of kept) {
    while (inserted.has(container.length)) container.push(inserted.get(container.length));
    container.push(item);
  }
  while (inserted.has(container.length)) container.push(inserted.get(container.length));
  return top;
}

function applyEntry(root: unknown, { path, after }: DiffEntry, copies: Copies): Container {
  const { top, container } = containerOf(root, path, copies);
  write(container, path.at(-1), after);
  return top;
}

/** Copies the containers on a path. Returns the copy of the root, and the container that the path ends in. */
function containerOf(
  root: unknown,
  path: Path,
  copies: Copies,
): { readonly top: Container; readonly container: Container } {
  const top = writable(root, copies, { path, depth: 0 });
  let container = top;
  for (let depth = 1; depth < path.length; depth += 1) {
    const segment = path[depth - 1];
    const inner = writable(ownValue(container, segment), copies, { path, depth });
    define(container, segment, inner);
    container = inner;
  }
  return { top, container };
}

/** Returns the container itself when it is a copy already, else a copy; throws when the next name cannot be in it. */
function writable(container: unknown, copies: Copies, location: ChangeLocation): Container {
  const copy = copies.has(container) ? container : copyOf(container);
  const segment = location.path[location.depth];
  const wanted = typeof segment === "number" ? "array" : "object";
  if (typeName(copy) !== wanted || !(isMutableArray(copy) || isPlainObject(copy))) {
    return misfit(location, `expected ${wanted}, got ${typeName(container)}`);
  }
  if (typeof segment === "number" && !isIndex(segment))
    return misfit(location, `expected an array index, got ${segment}`);
  copies.add(copy);
  return copy;
}

function copyOf(container: unknown): unknown {
  if (isArray(container)) return container.slice();
  if (!isPlainObject(container)) return container;
  return Object.getPrototypeOf(container) === null ? { __proto__: null, ...container } : { ...container };
}

function write(container: Container, segment: string | number | undefined, value: unknown): void {
  if (value !== undefined) define(container, segment, value);
  else if (isMutableArray(container)) removeElement(container, segment);
  else if (segment !== undefined) delete container[segment];
}

function removeElement(items: unknown[], index: string | number | undefined): void {
  if (typeof index === "number" && index < items.length) items[index] = undefined;
  // A shrunk array lists each element that went; its length follows once the last of them is gone.
  while (items.length > 0 && items.at(-1) === undefined) items.pop();
}

function define(container: Container, segment: string | number | undefined, value: unknown): void {
  if (segment === undefined) return;
  // Assignment would run the `__proto__` setter, or fail on a frozen Object.prototype.
  Object.defineProperty(container, segment, { value, writable: true, enumerable: true, configurable: true });
}

function ownValue(container: Container, segment: string | number | undefined): unknown {
  if (segment === undefined || !Object.hasOwn(container, segment)) return undefined;
  return isMutableArray(container) ? container[Number(segment)] : container[segment];
}

function isIndex(segment: number): boolean {
  return Number.isInteger(segment) && segment >= 0 && segment < 2 ** 32 - 1;
}

function isMutableArray(value: unknown): value is unknown[] {
  return isArray(value);
}

function misfit({ path, depth }: ChangeLocation, problem: string): never {
  const where = formatPath(path.slice(0, depth));
  throw new TypeError(`applyDiff: can't apply change at "${where}": ${problem}`);
}
