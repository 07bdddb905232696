import type { PendingChange } from "../../src/settle/pending/pending-change.ts";
import { keepPending } from "../../src/settle/pending/pending.ts";
import { beginRun } from "../../src/settle/run-identity.ts";
import { acceptPending } from "../../src/settle/pending/settle-pending.ts";
import { settleRun } from "../../src/settle/settle-run.ts";
import type { Row } from "../row.ts";
import { adoption } from "../world/adoption.ts";
import { freshWorld } from "../world/attempt-commit.ts";
import { discard } from "../world/scratch.ts";
import { changesOf, endedRun, stageAll, settlerOf } from "../world/staged-run.ts";
import type { Tally } from "../world/tally.ts";
import { type Fault, NO_FAULT, underFault, underFaultAsync } from "../world/under-fault.ts";
import type { World } from "../world/world.ts";

/** What was done to a world under a fault. */
interface Done {
  readonly fired: boolean;
  readonly calls: readonly string[];
  /** What had been captured before the fault. */
  readonly captured: readonly PendingChange[];
  /** What the program says it came to; undefined where it was killed or failed. */
  readonly exit: "written" | undefined;
}

type Deed = (world: World, fault: Fault) => Promise<Done>;

const SMALL: readonly Pick<Fault, "action" | "code" | "sticky">[] = [
  { action: "kill before", code: "", sticky: false },
  { action: "tear", code: "", sticky: false },
  { action: "fail", code: "ENOSPC", sticky: true },
];

const FULL: readonly Pick<Fault, "action" | "code" | "sticky">[] = [
  ...SMALL,
  { action: "kill after", code: "", sticky: false },
  { action: "fail", code: "ENOSPC", sticky: false },
  { action: "fail", code: "EIO", sticky: false },
  { action: "fail", code: "EIO", sticky: true },
  { action: "fail after", code: "EIO", sticky: false },
  { action: "fail", code: "EROFS", sticky: true },
];

/** Tests stage their changes and die at any call: what they had told the run is not lost. */
export const faultWhileStaging: Row = {
  name: "fault while staging",
  run: (tally, { full }) =>
    everyFault(tally, { full }, async (world, fault) => {
      const run = beginRun(world.places);
      const captured: PendingChange[] = [];
      const { fired, calls } = underFault(world, fault, () =>
        stageAll(world, run, (change) => void captured.push(change)),
      );
      return Promise.resolve({ fired, calls, captured, exit: undefined });
    }),
};

/** A run settles by a commit, and meets a fault at any call. */
export const faultWhileCommitting: Row = {
  name: "fault while a run commits",
  run: (tally, { full }) => everyFault(tally, { full }, settling([])),
};

/** A run holds everything for review, and meets a fault at any call. */
export const faultWhileHolding: Row = {
  name: "fault while a run holds",
  run: (tally, { full }) => everyFault(tally, { full }, settling(["The run was interrupted."])),
};

/** Somebody accepts what was held, and meets a fault at any call. */
export const faultWhileAccepting: Row = {
  name: "fault while accepting",
  run: (tally, { full }) =>
    everyFault(tally, { full }, async (world, fault) => {
      const captured = changesOf(world, "run");
      keepPending(world.places, captured);
      const settler = settlerOf(world.places, "person");
      const { fired, calls, result } = await underFaultAsync(world, fault, async () =>
        acceptPending(captured, settler),
      );
      return {
        fired,
        calls,
        captured,
        exit: result !== undefined && result.accepted.length > 0 ? "written" : undefined,
      };
    }),
};

function settling(problems: readonly string[]): Deed {
  return async (world, fault) => {
    const ended = endedRun(world, problems);
    const { fired, calls, result } = await underFaultAsync(world, fault, async () => settleRun(ended));
    return {
      fired,
      calls,
      captured: changesOf(world, ended.run.id),
      exit: result?.failed === false ? "written" : undefined,
    };
  };
}

async function everyFault(tally: Tally, { full }: { readonly full: boolean }, deed: Deed): Promise<void> {
  const names = await callsOf(deed);
  for (const fault of full ? FULL : SMALL) {
    for (const [index, name] of names.entries()) {
      if (fault.action === "tear" && !name.startsWith("write")) continue;
      const world = freshWorld();
      const { fired, captured, exit } = await deed(world, { ...NO_FAULT, ...fault, at: index + 1 });
      const trial = adoption(`${fault.action} ${fault.code} at ${index + 1} (${name})`, world, captured);
      const untrue = exit === "written" && trial.outcome !== "new" ? [`said written, is ${trial.outcome}`] : [];
      if (fired) tally.add({ ...trial, wrong: [...trial.wrong, ...untrue] });
      discard(world.project);
    }
  }
}

async function callsOf(deed: Deed): Promise<readonly string[]> {
  const world = freshWorld();
  const { calls } = await deed(world, NO_FAULT);
  discard(world.project);
  return calls;
}
