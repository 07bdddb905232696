import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { ReportCase } from "../../explain/report-case.ts";
import type { ProjectPaths } from "../../kernel/files/project-paths.ts";
import { type PendingChange, contradictedBy } from "../../updates/pending/pending-change.ts";
import { type DroppedChange, droppedText, latestReason } from "../../updates/pending/tidy-pending.ts";
import { removePending, pendingDirectory, readPending } from "../../updates/pending/pending-store.ts";

/**
 * Pending changes that a run contradicts: it found their baseline clean, sent other requests, or had a result that it
 * can't accept.
 */
export class ContradictedPending {
  readonly #paths: ProjectPaths;
  readonly #pending: ReadonlyMap<string, readonly PendingChange[]>;
  readonly #dropped = new Map<PendingChange, DroppedChange["reason"]>();

  /** Reads the pending changes. Costs one directory look-up if there are none. */
  constructor(paths: ProjectPaths) {
    this.#paths = paths;
    const changes = existsSync(pendingDirectory(paths.state)) ? readPending(paths.state).changes : [];
    this.#pending = Map.groupBy(changes, ({ target }) => resolve(paths.root, target));
  }

  /** Records the result of a check. */
  take(
    path: string,
    { kind, source, findings }: Pick<ReportCase, "kind" | "source" | "findings">,
    isRefused: boolean,
  ): void {
    const reason = latestReason({
      kind,
      source: source ?? undefined,
      code: findings?.error?.code,
      hasCause: Boolean(findings?.cause),
      isRefused,
    });
    if (reason === undefined) return;
    for (const change of this.#pending.get(path) ?? [])
      if (contradictedBy(change, { source: source ?? undefined, reason })) this.#dropped.set(change, reason);
  }

  /** Removes the contradicted changes. Returns a sentence for each reason. */
  drop(): readonly string[] {
    removePending(this.#paths, [...this.#dropped.keys()]);
    const byReason = [...Map.groupBy(this.#dropped.values(), (reason) => reason)];
    return byReason.map(([reason, { length }]) => droppedText(length, reason));
  }
}
