import { lstatSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { BaselineUpdate } from "../../src/baseline/baseline.ts";
import { commitUpdates } from "../../src/updates/commit/commit-updates.ts";
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
    const context = freshWorld();
    const tree = new Map(walk(context.project));
    const traced = { world: context, tree, ...traceCommit(context) };
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
    const context = freshWorld();
    const back = {
      ...context,
      before: context.after,
      after: context.before,
      proposals: context.proposals.map(reversed),
    };
    const tree = new Map(walk(context.project));
    const first = traceCommit(context);
    const second = traceCommit(back);
    for (let trial = 0; trial < (full ? 2000 : 200); trial += 1) {
      const disk = new Disk(context.project);
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
    discard(context.project);
  },
};

function reversed({ before, after, ...proposal }: BaselineUpdate): BaselineUpdate {
  const both = after === undefined ? "add" : "update";
  return { ...proposal, kind: before === undefined ? "remove" : both, before: after, after: before };
}

function cutOnce(
  tally: Tally,
  { world: context, tree, events, answer }: Traced,
  { random, trial }: { readonly random: () => number; readonly trial: number },
): void {
  const disk = new Disk(context.project);
  for (const [path, text] of tree) disk.adopt(path, text);
  const at = trial % 10 === 0 ? events.length : under(random, events.length + 1);
  for (const event of events.slice(0, at)) disk.apply(event);
  disk.cutInto(random);
  tally.add(
    aftermath(
      `cut ${trial}, after ${at} of ${events.length} events`,
      context,
      at === events.length ? answer : undefined,
    ),
  );
}

function traceCommit(context: World): Pick<Traced, "events" | "answer"> {
  const armed = armFault(watchOnly(withinOf(context)), { death: "silence", trace: true });
  try {
    const { kind } = commitUpdates(context.proposals, contextOf(context));
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
