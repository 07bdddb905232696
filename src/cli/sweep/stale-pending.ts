import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { ReportCase } from "../../explain/report-case.ts";
import type { ProjectPaths } from "../../kernel/files/project-paths.ts";
import { type PendingChange, contradictedBy } from "../../updates/pending/pending-change.ts";
import { latestReason } from "../../updates/pending/tidy-pending.ts";
import { removePending, pendingDirectory, readPending } from "../../updates/pending/pending-changes.ts";

/** Pending changes that are obsolete because this run found their baseline clean, or had a result it can't accept. */
export class StalePending {
  readonly #paths: ProjectPaths;
  readonly #pending: ReadonlyMap<string, readonly PendingChange[]>;
  readonly #dropped = { "clean again": new Set<PendingChange>(), "refused later": new Set<PendingChange>() };

  /** Reads the pending changes. Costs one directory look-up if there are none. */
  constructor(paths: ProjectPaths) {
    this.#paths = paths;
    const changes = existsSync(pendingDirectory(paths.state)) ? readPending(paths.state).changes : [];
    this.#pending = Map.groupBy(changes, ({ target }) => resolve(paths.root, target));
  }

  /** Records the result of a check. */
  take(path: string, { kind, source, findings }: Pick<ReportCase, "kind" | "source" | "findings">): void {
    const reason = latestReason({ kind, source: source ?? undefined, code: findings?.error?.code });
    if (reason === undefined) return;
    for (const change of this.#pending.get(path) ?? [])
      if (contradictedBy(change, source ?? undefined)) this.#dropped[reason].add(change);
  }

  /** Removes the obsolete changes. Returns a sentence for each reason. */
  drop(): readonly string[] {
    removePending(
      this.#paths,
      Object.values(this.#dropped).flatMap((changes) => [...changes]),
    );
    return Object.entries(this.#dropped).flatMap(([reason, { size }]) => {
      return size === 0 ? [] : [`${size} pending ${size === 1 ? "change" : "changes"} dropped: ${reason}`];
    });
  }
}
