import type { Places } from "../../files/places.ts";
import { type PendingChange, pendingChange } from "../../settle/pending/pending-change.ts";
import type { Orphans } from "./find-orphans.ts";
import { orphanWords } from "./orphan-words.ts";

/** The removal of each orphan, to be settled like a change that somebody accepts. */
export function removals(orphans: readonly Orphans[], { root }: Pick<Places, "root">): PendingChange[] {
  const origin = {
    projectRoot: root,
    testPath: root,
    test: "veritest prune",
    passed: true,
    run: "cli",
    at: new Date().toISOString(),
  };
  return orphans.flatMap((orphan) =>
    orphan.baselines.map((stored) =>
      pendingChange(
        {
          proposal: {
            kind: "remove",
            root: stored.root,
            path: stored.path,
            group: orphan.group,
            before: stored.text,
            after: undefined,
          },
          intent: "review",
          verdict: "obsolete",
          shown: [`    ${orphanWords(orphan)}`],
        },
        origin,
      ),
    ),
  );
}
