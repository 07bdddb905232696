import { lstatSync, readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { readPending } from "../../src/updates/pending/pending-store.ts";
import type { PendingChange } from "../../src/updates/pending/pending-change.ts";
import { recover } from "../../src/updates/commit/recover.ts";
import { adoptDeadRuns, tidyPending } from "../../src/updates/pending/tidy-pending.ts";
import { messageOf } from "../../src/kernel/error-message.ts";
import { goOn } from "./aftermath.ts";
import { bury } from "./bury.ts";
import { age, litterIn, outcomeOf, textOf } from "./examine.ts";
import type { Trial } from "./tally.ts";
import type { World } from "./world.ts";

/**
 * What the next run meets after one that ended anyhow: the baselines are all old or all new, and each change that was
 * captured is either written or waits for review, with the text that was captured.
 */
export function adoption(name: string, context: World, captured: readonly PendingChange[]): Trial {
  const wrong: string[] = [];
  bury(context.places);
  age(context);
  ageStages(context);
  try {
    const recovery = recover(context.places);
    wrong.push(...(typeof recovery === "string" ? [recovery] : recovery.stuck));
    adoptDeadRuns(context.places);
    tidyPending(context.places, { latest: new Map(), pendingDays: 100_000, now: Date.now() });
  } catch (thrown) {
    wrong.push(`the next run: ${messageOf(thrown)}`);
  }
  const { changes, unreadable } = readPending(context.places.state);
  wrong.push(...unreadable);
  const found = outcomeOf(context);
  const gone = captured.filter(
    (change) =>
      !isWritten(context, change) && !changes.some(({ key, text }) => key === change.key && text === change.text),
  );
  const next = goOn(context);
  wrong.push(...next.wrong);
  return {
    name,
    outcome: gone.length > 0 ? "lost" : found,
    litter: litterIn(next.world),
    wrong: [...wrong, ...gone.map(({ target }) => `${target} is neither written nor pending`)],
  };
}

function isWritten({ project }: World, { target, text }: PendingChange): boolean {
  return textOf(join(project, target)) === text;
}

/** What was cut off on its way to a stage, or has no owner's name, is nobody's after a day. */
function ageStages({ places: paths }: World): void {
  const stages = join(paths.state, "stage");
  if (lstatSync(stages, { throwIfNoEntry: false }) === undefined) return;
  const old = new Date(Date.now() - 2 * 86_400_000);
  for (const run of readdirSync(stages)) utimesSync(join(stages, run), old, old);
}
