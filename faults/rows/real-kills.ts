import type { Row } from "../row.ts";
import { aftermath } from "../world/aftermath.ts";
import { updatesOf } from "../world/commit-order.ts";
import { seeded, under } from "../world/random.ts";
import { runCommit } from "../world/run-commit.ts";
import { discard, scratch } from "../world/scratch.ts";
import { NO_FAULT, underFault, withinOf } from "../world/under-fault.ts";
import { type World, build, contextOf, worldAt, worldOf } from "../world/world.ts";
import { commitUpdates } from "../../src/updates/commit/commit-updates.ts";

const NAMES = ["one", "two", "three", "four"];

/** A process of its own is ended by a real SIGKILL: what dies "by silence" elsewhere must come to the same. */
export const realKills: Row = {
  name: "real SIGKILL of a process",
  async run(tally, { full }) {
    const random = seeded(5);
    const total = callCount();
    const at = full ? [...Array(total).keys()] : Array.from({ length: 8 }, () => under(random, total));
    for (const index of at) {
      const context = fresh();
      const fault = {
        ...NO_FAULT,
        action: random() < 0.5 ? "kill before" : "kill after",
        at: index + 1,
        within: withinOf(context),
      } as const;
      const { kind, signal } = await runCommit(
        { project: context.project, names: NAMES, value: "new", at: 0 },
        { fault },
      );
      const trial = aftermath(`${fault.action} ${fault.at} of ${total}`, context, undefined);
      tally.add({ ...trial, wrong: [...trial.wrong, ...(signal === "SIGKILL" ? [] : [`was not killed: ${kind}`])] });
      discard(context.project);
    }
  },
};

function fresh(): World {
  const project = scratch();
  return build(worldOf(project, worldAt(project).places, updatesOf({ project, names: NAMES, value: "new" })));
}

function callCount(): number {
  const context = fresh();
  const { calls } = underFault(context, NO_FAULT, () => commitUpdates(context.proposals, contextOf(context)));
  discard(context.project);
  return calls.length;
}
