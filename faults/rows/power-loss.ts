import { lstatSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Proposal } from "../../src/baseline/baseline.ts";
import { commitUpdates } from "../../src/updates/commit/commit-proposals.ts";
import type { Row } from "../row.ts";
import { armFault } from "../shim/fault-fs.ts";
import { watchOnly } from "../shim/fault-plan.ts";
import type { DiskEvent } from "../shim/trace-call.ts";
import { type Answer, aftermath, aftermathOf } from "../world/aftermath.ts";
import { freshWorld } from "../world/attempt-commit.ts";
import { Disk } from "../world/disk.ts";
import { seeded, under } from "../world/random.ts";
import { discard } from "../world/scratch.ts";
import type { Tally } from "../world/tally.ts";
import { withinOf } from "../world/under-fault.ts";
import { type World, contextOf } from "../world/world.ts";

interface Traced {
  readonly world: World;
  readonly tree: ReadonlyMap<string, string | undefined>;
  readonly events: readonly DiskEvent[];
  readonly answer: Answer;
}

/** The power goes at any moment of a commit, and with it any part of what no fsync asked for. */
export const powerLoss: Row = {
  name: "power loss",
  run(tally, { full }) {
    const random = seeded(11);
    const world = freshWorld();
    const tree = new Map(walk(world.project));
    const traced = { world, tree, ...traceCommit(world) };
    // Each cut is rebuilt in the same place: records hold absolute paths.
    for (let trial = 0; trial < (full ? 2000 : 200); trial += 1) cutOnce(tally, traced, { random, trial });
    discard(traced.world.project);
  },
};

/** The power goes after one commit ended and another over the same files began: nothing of the first comes back. */
export const powerLossAfterAnother: Row = {
  name: "power loss in a second commit",
  run(tally, { full }) {
    const random = seeded(12);
    const world = freshWorld();
    const back = { ...world, before: world.after, after: world.before, proposals: world.proposals.map(reversed) };
    const tree = new Map(walk(world.project));
    const first = traceCommit(world);
    const second = traceCommit(back);
    for (let trial = 0; trial < (full ? 2000 : 200); trial += 1) {
      const disk = new Disk(world.project);
      for (const [path, text] of tree) disk.adopt(path, text);
      const at = trial % 10 === 0 ? second.events.length : under(random, second.events.length + 1);
      for (const event of [...first.events, ...second.events.slice(0, at)]) disk.apply(event);
      disk.cutInto(random);
      tally.add(
        aftermathOf(`cut ${trial}, after ${at} of ${second.events.length} events`, back, {
          answer: at === second.events.length ? second.answer : undefined,
          receipts: 1,
        }),
      );
    }
    discard(world.project);
  },
};

function reversed({ before, after, ...proposal }: Proposal): Proposal {
  const both = after === undefined ? "add" : "update";
  return { ...proposal, kind: before === undefined ? "remove" : both, before: after, after: before };
}

function cutOnce(
  tally: Tally,
  { world, tree, events, answer }: Traced,
  { random, trial }: { readonly random: () => number; readonly trial: number },
): void {
  const disk = new Disk(world.project);
  for (const [path, text] of tree) disk.adopt(path, text);
  const at = trial % 10 === 0 ? events.length : under(random, events.length + 1);
  for (const event of events.slice(0, at)) disk.apply(event);
  disk.cutInto(random);
  tally.add(
    aftermath(`cut ${trial}, after ${at} of ${events.length} events`, world, at === events.length ? answer : undefined),
  );
}

function traceCommit(world: World): Pick<Traced, "events" | "answer"> {
  const armed = armFault(watchOnly(withinOf(world)), { death: "silence", trace: true });
  try {
    const { kind } = commitUpdates(world.proposals, contextOf(world));
    return { events: armed.events, answer: kind };
  } finally {
    armed.disarm();
  }
}

function walk(directory: string): [string, string | undefined][] {
  return readdirSync(directory)
    .map((name) => join(directory, name))
    .flatMap((path): [string, string | undefined][] =>
      lstatSync(path).isDirectory() ? [[path, undefined], ...walk(path)] : [[path, readFileSync(path, "utf8")]],
    );
}
