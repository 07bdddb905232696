import type { Proposal } from "../baseline/baseline.ts";

/**
 * What a test sees as staged, by path: what passing tests of its file staged, with its own laid over it. Nothing is
 * copied beforehand, because a file may capture thousands of cases. A path keeps the answer of its first look: what a
 * concurrent test stages meanwhile does not change what a check has already gone by.
 */
export class StagedProposals implements ReadonlyMap<string, Proposal> {
  readonly #others: ReadonlyMap<string, Proposal>;
  /** The test's own, and those of others that it has seen. */
  readonly #seen = new Map<string, Proposal>();
  readonly #absent = new Set<string>();

  /** `others` is read when it is asked, so it may go on growing. */
  constructor(others: ReadonlyMap<string, Proposal>) {
    this.#others = others;
  }

  get size(): number {
    return [...this.keys()].length;
  }

  get(path: string): Proposal | undefined {
    const seen = this.#seen.get(path);
    if (seen !== undefined || this.#absent.has(path)) return seen;
    const found = this.#others.get(path);
    if (found === undefined) this.#absent.add(path);
    else this.#seen.set(path, found);
    return found;
  }

  has(path: string): boolean {
    return this.get(path) !== undefined;
  }

  /** Adds one of the test's own. */
  set(path: string, proposal: Proposal): void {
    this.#absent.delete(path);
    this.#seen.set(path, proposal);
  }

  *keys(): MapIterator<string> {
    for (const path of this.#others.keys()) if (!this.#absent.has(path)) yield path;
    for (const path of this.#seen.keys()) if (!this.#others.has(path)) yield path;
  }

  *entries(): MapIterator<[string, Proposal]> {
    for (const path of this.keys()) {
      const proposal = this.get(path);
      if (proposal !== undefined) yield [path, proposal];
    }
  }

  *values(): MapIterator<Proposal> {
    for (const [, proposal] of this.entries()) yield proposal;
  }

  [Symbol.iterator](): MapIterator<[string, Proposal]> {
    return this.entries();
  }

  forEach(visit: (proposal: Proposal, path: string, map: ReadonlyMap<string, Proposal>) => void): void {
    for (const [path, proposal] of this.entries()) visit(proposal, path, this);
  }
}
