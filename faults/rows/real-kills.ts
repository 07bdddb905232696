import type { Row } from "../row.ts";
import { aftermath } from "../world/aftermath.ts";
import { updatesOf } from "../world/commit-order.ts";
import { seeded, under } from "../world/random.ts";
import { runCommit } from "../world/run-commit.ts";
import { discard, scratch } from "../world/scratch.ts";
import { NO_FAULT, underFault, withinOf } from "../world/under-fault.ts";
import { type World, build, contextOf, worldAt, worldOf } from "../world/world.ts";
import { commitUpdates } from "../../src/updates/commit/commit-proposals.ts";

const NAMES = ["one", "two", "three", "four"];

/** A process of its own is ended by a real SIGKILL: what dies "by silence" elsewhere must come to the same. */
export const realKills: Row = {
  name: "real SIGKILL of a process",
  async run(tally, { full }) {
    const random = seeded(5);
    const total = callCount();
    const at = full ? [...Array(total).keys()] : Array.from({ length: 8 }, () => under(random, total));
    for (const index of at) {
      const world = fresh();
      const fault = {
        ...NO_FAULT,
        action: random() < 0.5 ? "kill before" : "kill after",
        at: index + 1,
        within: withinOf(world),
      } as const;
      const { kind, signal } = await runCommit(
        { project: world.project, names: NAMES, value: "new", at: 0 },
        { fault },
      );
      const trial = aftermath(`${fault.action} ${fault.at} of ${total}`, world, undefined);
      tally.add({ ...trial, wrong: [...trial.wrong, ...(signal === "SIGKILL" ? [] : [`was not killed: ${kind}`])] });
      discard(world.project);
    }
  },
};

function fresh(): World {
  const project = scratch();
  return build(worldOf(project, worldAt(project).places, updatesOf({ project, names: NAMES, value: "new" })));
}

function callCount(): number {
  const world = fresh();
  const { calls } = underFault(world, NO_FAULT, () => commitUpdates(world.proposals, contextOf(world)));
  discard(world.project);
  return calls.length;
}
