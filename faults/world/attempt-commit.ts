import { commitUpdates } from "../../src/updates/commit/commit-updates.ts";
import type { Answer } from "./aftermath.ts";
import { scratch } from "./scratch.ts";
import { type Fault, type Faulted, NO_FAULT, underFault } from "./under-fault.ts";
import { type World, build, contextOf, discardWorld, worldAt } from "./world.ts";

/** Commits a world's proposals with a fault in it. */
export function attemptCommit(context: World, fault: Fault): Faulted<NonNullable<Answer>> {
  return underFault(context, fault, () => commitUpdates(context.proposals, contextOf(context)).kind);
}

/** The names of the calls a whole commit makes, in their order. */
export function callsOfCommit(fault: Fault = NO_FAULT, make: () => World = freshWorld): readonly string[] {
  const context = make();
  const { calls, result } = attemptCommit(context, fault);
  discardWorld(context);
  if (result !== "committed") throw new Error(`A commit without a fault was ${result}.`);
  return calls;
}

/** A project of its own in memory. */
export function freshWorld(): World {
  return build(worldAt(scratch()));
}
