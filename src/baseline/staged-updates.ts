import { basename, dirname } from "node:path";
import type { BaselineUpdate } from "./baseline.ts";
import { type DirectoryIndex, GrowingIndex } from "./directory-index.ts";

/** Updates of a running test, which it sees like files. */
export type StagedFiles = Pick<StagedUpdates, "get" | "has" | "indexesOf">;

/**
 * Updates by path, indexed by directory as files are: a file may capture thousands of cases, and each new one is
 * searched among the others. With `earlier`, they are those of one test on top of those that passing tests of its file
 * staged. Those aren't copied, and may keep growing. A path keeps the result of its first look-up: an update that a
 * concurrent test stages meanwhile doesn't change a finished check.
 */
export class StagedUpdates {
  readonly #earlier: StagedUpdates | undefined;
  /** Updates that it got by `set`, and earlier ones that were looked up. */
  readonly #updates = new Map<string, BaselineUpdate>();
  readonly #absent = new Set<string>();
  /** Names of the updates that it got by `set`, by directory. */
  readonly #indexes = new Map<string, GrowingIndex>();

  constructor(earlier?: StagedUpdates) {
    this.#earlier = earlier;
  }

  get(path: string): BaselineUpdate | undefined {
    const known = this.#updates.get(path);
    if (known !== undefined || this.#earlier === undefined || this.#absent.has(path)) return known;
    const update = this.#earlier.get(path);
    if (update === undefined) this.#absent.add(path);
    else this.#updates.set(path, update);
    return update;
  }

  has(path: string): boolean {
    return this.get(path) !== undefined;
  }

  set(path: string, update: BaselineUpdate): void {
    const isKnown = this.#updates.has(path);
    this.#absent.delete(path);
    this.#updates.set(path, update);
    if (isKnown) return;
    const directory = dirname(path);
    const index = this.#indexes.get(directory) ?? new GrowingIndex();
    this.#indexes.set(directory, index);
    index.add(basename(path));
  }

  /** Indexes of a directory's updates. A name in them may not be visible to the test: `has` decides. */
  indexesOf(directory: string): readonly DirectoryIndex[] {
    const own = this.#indexes.get(directory);
    return [...(this.#earlier?.indexesOf(directory) ?? []), ...(own === undefined ? [] : [own])];
  }

  clear(): void {
    this.#updates.clear();
    this.#absent.clear();
    this.#indexes.clear();
  }
}
