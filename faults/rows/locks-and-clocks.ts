import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commitUpdates } from "../../src/updates/commit/commit-updates.ts";
import { type ProcessIdentity, ownIdentity } from "../../src/kernel/files/processes.ts";
import type { Row } from "../row.ts";
import { armFault } from "../shim/fault-fs.ts";
import { aftermath } from "../world/aftermath.ts";
import { attemptCommit, callsOfCommit, freshWorld } from "../world/attempt-commit.ts";
import { seeded } from "../world/random.ts";
import { discard } from "../world/scratch.ts";
import type { Tally } from "../world/tally.ts";
import { NO_FAULT, killAt, withinOf } from "../world/under-fault.ts";
import { withClock } from "../world/with-clock.ts";
import { type World, contextOf } from "../world/world.ts";

const HOUR = 3_600_000;

/**
 * A lock that somebody left or holds: who is dead loses it at once, who cannot be asked after a minute, who lives
 * keeps it.
 */
export const leftLocks: Row = {
  name: "locks of dead, living and foreign owners",
  async run(tally) {
    const own = ownIdentity();
    lockedBy(tally, "a number nobody has", { owner: JSON.stringify({ ...own, pid: 4_194_303 }), kind: "committed" });
    lockedBy(tally, "a number that is another process now", {
      owner: JSON.stringify({ ...own, pid: 1, startTicks: "7" }),
      kind: "committed",
    });
    lockedBy(tally, "an earlier start of the system", {
      owner: JSON.stringify({ ...own, bootId: "another" }),
      kind: "committed",
    });
    lockedBy(tally, "another host, just now", {
      owner: JSON.stringify({ ...own, host: "elsewhere" }),
      kind: "refused",
    });
    lockedBy(tally, "another host, long ago", {
      owner: JSON.stringify({ ...own, host: "elsewhere" }),
      age: 2 * HOUR,
      kind: "committed",
    });
    lockedBy(tally, "another container, just now", {
      owner: JSON.stringify({ ...own, pidNamespace: "pid:[1]" }),
      kind: "refused",
    });
    lockedBy(tally, "nobody readable, just now", { owner: "{ half", kind: "refused" });
    lockedBy(tally, "nobody readable, long ago", { owner: "{ half", age: 2 * HOUR, kind: "committed" });
    lockedBy(tally, "an empty file, long ago", { owner: "", age: 2 * HOUR, kind: "committed" });
    lockedBy(tally, "this very process", { owner: JSON.stringify(own), kind: "refused" });
    takenOver(tally);
    await heldByChildren(tally);
  },
};

/** The clock jumps before and during a commit, and between a crash and its recovery. */
export const clockJumps: Row = {
  name: "clock jumps",
  run(tally, { full }) {
    const random = seeded(13);
    const clocks: Readonly<Record<string, () => number>> = {
      "a day back": () => Date.UTC(2020, 0, 1),
      "years on": () => Date.UTC(2090, 0, 1),
      "the beginning of time": () => 0,
      "anything at each look": () => Math.floor(random() * 4e12),
    };
    const calls = callsOfCommit().length;
    for (const [name, clock] of Object.entries(clocks)) {
      const context = freshWorld();
      const { kind } = withClock(clock, () => commitUpdates(context.proposals, contextOf(context)));
      const trial = aftermath(`${name}, whole`, context, kind);
      tally.add({ ...trial, wrong: [...trial.wrong, ...(kind === "committed" ? [] : [`was ${kind}`])] });
      discard(context.project);
      for (let at = 1; at <= calls; at += full ? 1 : 9) crashUnder(tally, { name, clock, at });
    }
  },
};

function crashUnder(
  tally: Tally,
  { name, clock, at }: { readonly name: string; readonly clock: () => number; readonly at: number },
): void {
  const context = freshWorld();
  withClock(clock, () => attemptCommit(context, killAt(at)));
  tally.add(aftermath(`${name}, crash at ${at}`, context, undefined));
  discard(context.project);
}

interface LeftLock {
  readonly owner: string;
  /** Milliseconds since it was made. */
  readonly age?: number;
  readonly kind: "committed" | "refused";
}

function lockedBy(tally: Tally, name: string, { owner, age = 0, kind }: LeftLock): void {
  const context = freshWorld();
  const path = putLock(context, owner);
  const made = new Date(Date.now() - age);
  utimesSync(path, made, made);
  const end = commitUpdates(context.proposals, contextOf(context, 100));
  const wrong = end.kind === kind ? [] : [`${end.kind} instead of ${kind}: ${end.problem}`];
  if (end.kind === "refused" && !end.problem.includes("npx veritest doctor")) wrong.push(`says: ${end.problem}`);
  const old = new Date(Date.now() - 2 * HOUR);
  if (end.kind === "refused") utimesSync(path, old, old);
  const trial = aftermath(name, context, end.kind);
  tally.add({ ...trial, wrong: [...wrong, ...trial.wrong] });
  discard(context.project);
}

function putLock({ places: paths }: World, owner: string): string {
  const path = join(paths.state, "lock", "7.lock");
  mkdirSync(join(paths.state, "lock"), { recursive: true });
  writeFileSync(join(paths.state, ".gitignore"), "*\n");
  writeFileSync(path, owner);
  return path;
}

/** Another host takes the lock over while this process prepares: it must not pass its point of no return. */
function takenOver(tally: Tally): void {
  const names = callsOfCommit();
  // The rename of COMMIT is the second one that is not a receipt's or an operation's.
  const commit = names.indexOf("renameSync", names.indexOf("renameSync") + 1) - 3;
  for (let at = 12; at < commit; at += 4) {
    const context = freshWorld();
    let count = 0;
    const before = (): void => {
      count += 1;
      if (count === at)
        writeFileSync(
          join(context.places.state, "lock", "2.lock"),
          JSON.stringify({ ...ownIdentity(), host: "elsewhere" }),
        );
    };
    const armed = armFault({ ...NO_FAULT, within: withinOf(context) }, { death: "silence", before });
    const { kind } = commitUpdates(context.proposals, contextOf(context));
    armed.disarm();
    const wrong = kind === "refused" ? [] : [`was ${kind}`];
    const path = join(context.places.state, "lock", "2.lock");
    const old = new Date(Date.now() - 2 * HOUR);
    utimesSync(path, old, old);
    const trial = aftermath(`taken over before call ${at} of ${commit}`, context, kind);
    tally.add({ ...trial, wrong: [...wrong, ...trial.wrong] });
    discard(context.project);
  }
}

async function heldByChildren(tally: Tally): Promise<void> {
  if (process.platform !== "linux")
    return tally.notice("a living owner and a dead one nobody asked about are tried on Linux only.");
  // The shell becomes `sleep`, which never asks how its child ended.
  const parent = spawn("sh", ["-c", "sleep 0.1 & echo $!; exec sleep 60"], { stdio: ["ignore", "pipe", "ignore"] });
  try {
    const zombie = Number(await firstLine(parent));
    await new Promise((resolve) => setTimeout(resolve, 400));
    lockedBy(tally, "a living process", { owner: JSON.stringify(identityOf(parent.pid ?? 0)), kind: "refused" });
    lockedBy(tally, "a process that ended and nobody asked about", {
      owner: JSON.stringify(identityOf(zombie)),
      kind: "committed",
    });
  } finally {
    parent.kill("SIGKILL");
  }
}

function identityOf(pid: number): ProcessIdentity {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const startTicks = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  return { ...ownIdentity(), pid, startTicks };
}

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  for await (const chunk of stdout ?? []) return String(chunk);
  return "";
}
