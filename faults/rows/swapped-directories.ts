import { cpSync, existsSync, lstatSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { receiptsDirectory } from "../../src/kernel/files/places.ts";
import { commitProposals } from "../../src/updates/commit/commit-proposals.ts";
import { recover } from "../../src/updates/commit/recover.ts";
import type { Row } from "../row.ts";
import { armFault } from "../shim/fault-fs.ts";
import { attemptCommit, callsOfCommit, freshWorld } from "../world/attempt-commit.ts";
import { type Answer, aftermath } from "../world/aftermath.ts";
import { bury } from "../world/bury.ts";
import { textOf, walk } from "../world/examine.ts";
import { discard, scratch } from "../world/scratch.ts";
import type { Tally } from "../world/tally.ts";
import { type Fault, NO_FAULT, killAt, underFault, withinOf } from "../world/under-fault.ts";
import { type World, contextOf } from "../world/world.ts";

/** Directories of a project that somebody may replace by a link, by what they are. */
const VICTIMS: Readonly<Record<string, (world: World) => string>> = {
  "the group's directory": ({ proposals }) => dirname(proposals[0]?.path ?? ""),
  "the baselines' directory": ({ proposals }) => proposals[0]?.root ?? "",
  "a new baselines' directory": ({ proposals }) => proposals[3]?.root ?? "",
  "the directory above it": ({ project }) => join(project, "sub"),
  "the state directory": ({ places }) => places.state,
  "the transactions' directory": ({ places }) => join(places.state, "tx"),
  "the lock's directory": ({ places }) => join(places.state, "lock"),
  "the receipts' directory": ({ places }) => receiptsDirectory(places),
};

/** What stands behind the link: nothing, or the same files. */
const BEHIND = ["nothing", "the same files"] as const;

/** A rename changes two names, and no other call more. */
const NAMES_OF_ONE_CALL = 2;

/**
 * A directory becomes a link to another place before each call of a commit: nothing is changed there. Without Linux's
 * names for what is open, a directory is looked at right before each use of it. What is swapped in that instant is met by
 * the one call after it, and by no other.
 */
export const swappedInCommit: Row = {
  name: "a directory becomes a link during a commit",
  run: (tally, { full }) => everySwap(tally, { full, make: freshWorld, work: commit, named: "" }),
};

/** The same while a commit that died is finished or undone. */
export const swappedInRecovery: Row = {
  name: "a directory becomes a link during recovery",
  run(tally, { full }) {
    const crashes = callsOfCommit().length;
    for (let crash = 2; crash <= crashes; crash += full ? 3 : 16)
      everySwap(tally, {
        full,
        make: () => crashedAt(crash),
        work: recoverOnly,
        named: `killed at ${crash}, `,
      });
  },
};

type Work = (world: World) => Answer;

const commit: Work = (world) => commitProposals(world.proposals, contextOf(world)).kind;

const recoverOnly: Work = (world) => {
  try {
    recover(world.places);
  } catch (thrown) {
    // A link for a state directory is refused, as any error of the disk is told, by the command that recovers.
    if (!(thrown instanceof Error)) throw thrown;
  }
  return undefined;
};

function crashedAt(at: number): World {
  const world = freshWorld();
  attemptCommit(world, killAt(at));
  bury(world.places);
  return world;
}

interface Swaps {
  readonly full: boolean;
  readonly make: () => World;
  readonly work: Work;
  readonly named: string;
}

function everySwap(tally: Tally, { full, make, work, named }: Swaps): void {
  for (const [counts, step] of [
    ["writes", 5],
    ["reads", 101],
  ] as const)
    for (const poor of [false, true]) {
      const fault: Fault = { ...NO_FAULT, counts, poor };
      const world = make();
      const calls = underFault(world, fault, () => work(world)).calls.length;
      discard(world.project);
      for (let at = 1; at <= calls; at += full ? 1 : step) swapEach(tally, named, { make, work, fault, at });
    }
}

function swapEach(tally: Tally, named: string, given: Omit<Swap, "victimOf" | "behind">): void {
  const { counts, poor } = given.fault;
  for (const [what, victimOf] of Object.entries(VICTIMS))
    for (const behind of BEHIND) {
      const when = `before ${counts} ${given.at}${poor === true ? ", poor" : ""}`;
      trySwap(tally, `${named}${what}, ${behind} behind the link, ${when}`, { ...given, victimOf, behind });
    }
}

interface Swap extends Pick<Swaps, "make" | "work"> {
  readonly fault: Fault;
  readonly at: number;
  readonly victimOf: (world: World) => string;
  readonly behind: (typeof BEHIND)[number];
}

function trySwap(tally: Tally, name: string, { make, work, fault, at, victimOf, behind }: Swap): void {
  const world = make();
  const outside = scratch();
  const victim = victimOf(world);
  let count = 0;
  let untouched: ReadonlyMap<string, string | undefined> | undefined;
  const before = (): void => {
    count += 1;
    if (count !== at || !existsSync(dirname(victim))) return;
    if (behind === "the same files" && existsSync(victim)) cpSync(victim, outside, { recursive: true });
    untouched = textsIn(outside);
    swap(victim, outside);
  };
  const armed = armFault({ ...fault, within: withinOf(world) }, { death: "silence", before });
  const answer = work(world);
  armed.disarm();
  if (untouched !== undefined) {
    const touched = namesTouched(untouched, textsIn(outside));
    swapBack(world, victim);
    const trial = aftermath(name, world, answer);
    const wrong =
      touched > (fault.poor === true ? NAMES_OF_ONE_CALL : 0) ? [`${touched} names outside were touched`] : [];
    tally.add({ ...trial, wrong: [...wrong, ...trial.wrong] });
  }
  discard(world.project);
  discard(outside);
}

const AWAY = ".away";

function swap(victim: string, outside: string): void {
  if (existsSync(victim)) renameSync(victim, `${victim}${AWAY}`);
  symlinkSync(outside, victim);
}

/** As it was; a directory of the commit's own that somebody took away is theirs, and nobody's where it is empty. */
function swapBack({ before }: World, victim: string): void {
  const away = `${victim}${AWAY}`;
  if (lstatSync(victim, { throwIfNoEntry: false })?.isSymbolicLink() === true) rmSync(victim);
  if (!existsSync(away)) return;
  const isNew = [...before].every(([path, text]) => text === undefined || !path.startsWith(victim));
  if (isNew && walk(away).every((path) => lstatSync(path).isDirectory())) rmSync(away, { recursive: true });
  else renameSync(away, victim);
}

function textsIn(directory: string): ReadonlyMap<string, string | undefined> {
  return new Map(walk(directory).map((path) => [path, textOf(path)]));
}

function namesTouched(
  before: ReadonlyMap<string, string | undefined>,
  after: ReadonlyMap<string, string | undefined>,
): number {
  const touched = new Set(
    [...before.keys(), ...after.keys()].filter(
      (name) => before.has(name) !== after.has(name) || before.get(name) !== after.get(name),
    ),
  );
  // What goes elsewhere with its directory is not touched itself.
  return [...touched].filter((name) => !touched.has(dirname(name))).length;
}
