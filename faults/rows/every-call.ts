import type { Row } from "../row.ts";
import type { FaultAction } from "../shim/fault-plan.ts";
import { aftermath } from "../world/aftermath.ts";
import { attemptCommit, callsOfCommit, freshWorld } from "../world/attempt-commit.ts";
import { seeded, under } from "../world/random.ts";
import { DISK, MEMORY, scratch } from "../world/scratch.ts";
import type { Tally } from "../world/tally.ts";
import { NO_FAULT } from "../world/under-fault.ts";
import { type World, build, discardWorld, worldAt } from "../world/world.ts";

interface Fault {
  readonly action: FaultAction;
  readonly code: string;
  readonly sticky: boolean;
  readonly poor?: boolean;
}

/** What faults are put into. */
interface Ground {
  readonly counts?: "writes" | "reads";
  readonly make?: () => World;
}

const kill = (action: FaultAction): Fault => ({ action, code: "", sticky: false });
const fail = (code: string, sticky: boolean): Fault => ({ action: "fail", code, sticky });

/** A commit of four files dies before, after or in the middle of every call it makes. */
export const killAtEveryCall: Row = {
  name: "kill at every call",
  run(tally) {
    for (const fault of [kill("kill before"), kill("kill after"), kill("tear")]) everyCall(tally, fault);
  },
};

/** Every call that changes something fails, once or from then on, with every code a system gives. */
export const errorAtEveryCall: Row = {
  name: "error at every call",
  run(tally, { full }) {
    const codes = full ? ["EIO", "ENOSPC", "EACCES", "EROFS", "EMFILE"] : ["EIO", "ENOSPC"];
    for (const code of codes) for (const sticky of [false, true]) everyCall(tally, fail(code, sticky));
    if (!full) for (const code of ["EACCES", "EROFS", "EMFILE"]) everyCall(tally, fail(code, false));
  },
};

/** Every call fails after it had its effect, as on a network's file system. */
export const errorAfterEveryCall: Row = {
  name: "error after its effect",
  run: (tally) => everyCall(tally, { action: "fail after", code: "EIO", sticky: false }),
};

/** A call fails, and while the program takes back what it did it dies. */
export const errorThenKill: Row = {
  name: "error, then a kill",
  run(tally, { full }) {
    const random = seeded(17);
    const names = callsOfCommit();
    for (const [index] of names.entries()) {
      for (let killAt = index + 2; killAt < index + 40; killAt += full ? 1 : 1 + under(random, 12)) {
        const context = freshWorld();
        const { result, fired } = attemptCommit(context, { ...NO_FAULT, ...fail("EIO", false), at: index + 1, killAt });
        if (fired) tally.add(aftermath(`fail EIO at ${index + 1}, kill at ${killAt}`, context, result));
        discardWorld(context);
        // It came to its end before: later deaths are none.
        if (result !== undefined) break;
      }
    }
  },
};

/** Every call that only looks fails. */
export const errorAtEveryRead: Row = {
  name: "error at every read",
  run(tally, { full }) {
    for (const sticky of full ? [false, true] : [false])
      for (const code of full ? ["EIO", "EMFILE"] : ["EIO"]) everyCall(tally, fail(code, sticky), { counts: "reads" });
  },
};

/** The state directory lies on another disk than the project, where neither links nor renames lead. */
export const otherDisk: Row = {
  name: "state directory on another disk",
  run(tally, { full }) {
    if (MEMORY === DISK) return tally.notice("not tried: there is no second disk here.");
    const actions = full
      ? [kill("kill before"), kill("kill after"), kill("tear"), fail("EIO", false), fail("EIO", true)]
      : [kill("kill before")];
    for (const fault of actions) everyCall(tally, fault, { make: () => build(worldAt(scratch(), scratch(DISK))) });
  },
};

/** The file system has no hard links and does not sync directories. */
export const poorFileSystem: Row = {
  name: "no links, no directory sync",
  run(tally, { full }) {
    for (const fault of [
      kill("kill before"),
      ...(full ? [kill("kill after"), kill("tear"), fail("EIO", false), fail("EIO", true)] : [fail("EIO", false)]),
    ])
      everyCall(tally, { ...fault, poor: true });
  },
};

function everyCall(tally: Tally, fault: Fault, { counts = "writes", make = freshWorld }: Ground = {}): void {
  const names = callsOfCommit({ ...NO_FAULT, counts, poor: fault.poor ?? false }, make);
  for (const [index, name] of names.entries()) {
    if (fault.action === "tear" && !name.startsWith("write")) continue;
    const context = make();
    const { result, fired } = attemptCommit(context, { ...fault, counts, at: index + 1 });
    const told = `${fault.action} ${fault.code}${fault.sticky ? " sticky" : ""} at ${index + 1} of ${names.length} (${name})`;
    const trial = aftermath(told, context, result);
    if (fired) tally.add(trial);
    discardWorld(context);
  }
}
