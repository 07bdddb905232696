import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Check } from "../../check/check.ts";
import type { Verdict } from "../../check/verdict.ts";
import type { ProjectPaths } from "../../kernel/files/project-paths.ts";
import { type PendingChange, contradictedBy } from "../../updates/pending/pending-change.ts";
import { removePending, pendingDirectory, readPending } from "../../updates/pending/pending-changes.ts";

/** Pending changes that are obsolete because this run found their baseline clean. */
export class StalePending {
  readonly #paths: ProjectPaths;
  readonly #pending: ReadonlyMap<string, readonly PendingChange[]>;
  readonly #clean: PendingChange[] = [];

  /** Reads the pending changes. Costs one directory look-up if there are none. */
  constructor(paths: ProjectPaths) {
    this.#paths = paths;
    const changes = existsSync(pendingDirectory(paths.state)) ? readPending(paths.state).changes : [];
    this.#pending = Map.groupBy(changes, ({ target }) => resolve(paths.root, target));
  }

  /** Records the result of a check. */
  take({ path, kind, source }: Pick<Check, "path" | "source"> & Pick<Verdict, "kind">): void {
    const pending = kind === "clean" ? this.#pending.get(path) : undefined;
    if (pending !== undefined) this.#clean.push(...pending.filter((change) => contradictedBy(change, source)));
  }

  /** Removes the obsolete changes. Returns a sentence if there were any. */
  drop(): readonly string[] {
    const { length } = this.#clean;
    removePending(this.#paths, this.#clean);
    return length === 0 ? [] : [`${length} pending ${length === 1 ? "change" : "changes"} dropped: clean again`];
  }
}
