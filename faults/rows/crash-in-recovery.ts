import { recover } from "../../src/updates/commit/recover.ts";
import type { Row } from "../row.ts";
import { aftermath } from "../world/aftermath.ts";
import { attemptCommit, callsOfCommit, freshWorld } from "../world/attempt-commit.ts";
import { bury } from "../world/bury.ts";
import { seeded, under } from "../world/random.ts";
import { discard } from "../world/scratch.ts";
import type { Tally } from "../world/tally.ts";
import { type Fault, NO_FAULT, killAt, underFault } from "../world/under-fault.ts";
import type { World } from "../world/world.ts";

/** Recoveries tried for each crash of a commit where not all are. */
const SAMPLES = 2;

/** A commit dies at every call, and the recovery after it dies too. */
export const crashInRecovery: Row = {
  name: "crash inside recovery",
  run: (tally, { full }) => everyCrash(tally, { full, faultAt: killAt }),
};

/** A commit dies at every call, and the recovery after it meets an error; the next one must come to its end. */
export const errorInRecovery: Row = {
  name: "error inside recovery",
  run(tally, { full }) {
    for (const sticky of [false, true])
      everyCrash(tally, { full, faultAt: (at) => ({ ...NO_FAULT, at, action: "fail", code: "EIO", sticky }) });
  },
};

interface Recoveries {
  readonly full: boolean;
  readonly faultAt: (at: number) => Fault;
}

function everyCrash(tally: Tally, { full, faultAt }: Recoveries): void {
  const random = seeded(3);
  for (const [index] of callsOfCommit().entries()) {
    const total = recoveryCalls(index + 1);
    const chosen = full
      ? [...Array(total).keys()]
      : Array.from({ length: Math.min(SAMPLES, total) }, () => under(random, total));
    for (const at of chosen) tryOne(tally, index + 1, faultAt(at + 1));
  }
}

function tryOne(tally: Tally, commitAt: number, fault: Fault): void {
  const context = crashed(commitAt);
  const { fired } = underFault(context, fault, () => recover(context.places));
  if (fired)
    tally.add(aftermath(`commit killed at ${commitAt}, recovery: ${fault.action} at ${fault.at}`, context, undefined));
  discard(context.project);
}

function recoveryCalls(commitAt: number): number {
  const context = crashed(commitAt);
  const { calls } = underFault(context, killAt(0), () => recover(context.places));
  discard(context.project);
  return calls.length;
}

function crashed(at: number): World {
  const context = freshWorld();
  attemptCommit(context, killAt(at));
  bury(context.places);
  return context;
}
