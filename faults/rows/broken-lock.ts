import { commitUpdates } from "../../src/updates/commit/commit-updates.ts";
import { breakLock } from "../../src/updates/commit/lock.ts";
import { recover } from "../../src/updates/commit/recover.ts";
import type { Row } from "../row.ts";
import { armFault } from "../shim/fault-fs.ts";
import { aftermath } from "../world/aftermath.ts";
import { callsOfCommit, freshWorld } from "../world/attempt-commit.ts";
import { discard } from "../world/scratch.ts";
import { NO_FAULT, withinOf } from "../world/under-fault.ts";
import { contextOf } from "../world/world.ts";

/** Somebody breaks the lock of a living commit before any of its calls, and recovers what it has begun. */
export const brokenLock: Row = {
  name: "unlock and recover during a commit",
  run(tally) {
    for (const [index] of callsOfCommit().entries()) {
      const context = freshWorld();
      const { state } = context.places;
      let count = 0;
      const before = (): void => {
        count += 1;
        if (count !== index + 1) return;
        breakLock(state);
        recover(context.places);
      };
      const armed = armFault({ ...NO_FAULT, within: withinOf(context) }, { death: "silence", before });
      const { kind } = commitUpdates(context.proposals, contextOf(context));
      armed.disarm();
      tally.add(aftermath(`before call ${index + 1}`, context, kind));
      discard(context.project);
    }
  },
};
