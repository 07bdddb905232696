import { rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { commitUpdates } from "../../src/updates/commit/commit-updates.ts";
import { recover } from "../../src/updates/commit/recover.ts";
import type { Row } from "../row.ts";
import { armFault } from "../shim/fault-fs.ts";
import { attemptCommit, callsOfCommit, freshWorld } from "../world/attempt-commit.ts";
import { goOn } from "../world/aftermath.ts";
import { bury } from "../world/bury.ts";
import { type Outcome, age, litterIn, outcomeOf, textOf } from "../world/examine.ts";
import { discard } from "../world/scratch.ts";
import type { Tally } from "../world/tally.ts";
import { NO_FAULT, killAt, withinOf } from "../world/under-fault.ts";
import { type World, contextOf } from "../world/world.ts";

const EDIT = "edited by hand\n";

/** How somebody changes a file: in place, by putting another in its place, or by removing it. */
const EDITS: Readonly<Record<string, (path: string) => void>> = {
  "in place": (path) => writeFileSync(path, EDIT),
  replaced: (path) => {
    rmSync(path, { force: true });
    writeFileSync(path, EDIT);
  },
  removed: (path) => rmSync(path, { force: true }),
};

/** Somebody edits a baseline before any call of the commit: their bytes stay, and the rest is all old or all new. */
export const editDuringCommit: Row = {
  name: "human edit during a commit",
  run(tally, { full }) {
    for (const poor of [false, true])
      for (const [how, edit] of Object.entries(EDITS)) editAll(tally, { how, edit, poor }, full);
  },
};

function editAll(tally: Tally, edit: Omit<Edit, "target" | "at">, full: boolean): void {
  const calls = callsOfCommit({ ...NO_FAULT, poor: edit.poor ?? false }).length;
  for (const [target, instant] of replacingCalls(edit.poor ?? false)
    .slice(0, 3)
    .entries())
    for (const at of callsFor(edit.how, { instant, calls, step: full ? 1 : 5 })) editAt(tally, { ...edit, target, at });
}

/**
 * What was read right before its name is given away may be edited in that instant. Written in place, that is seen right
 * after; put in its place, or removed, it is gone: no system renames a file only if another one is as it was.
 */
function callsFor(
  how: string,
  { instant, calls, step }: { readonly instant: number; readonly calls: number; readonly step: number },
): ReadonlySet<number> {
  const all = new Set(Array.from({ length: Math.ceil(calls / step) }, (_, index) => 1 + index * step));
  if (how === "in place") all.add(instant);
  else all.delete(instant);
  return all;
}

/** The call of a commit that puts each target's new text in its place, counted from 1. */
function replacingCalls(poor: boolean): readonly number[] {
  const context = freshWorld();
  const seen: number[] = [];
  const armed = armFault(
    { ...NO_FAULT, poor, within: withinOf(context) },
    { death: "silence", trace: true, before: () => seen.push(armed.events.length) },
  );
  commitUpdates(context.proposals, contextOf(context));
  armed.disarm();
  discard(context.project);
  return context.proposals.map(({ path }) => {
    const event = armed.events.findIndex(
      (each) => (each.kind === "rename" && each.to === path) || (each.kind === "unlink" && each.path === path),
    );
    return seen.findLastIndex((events) => events <= event) + 1;
  });
}

/** Somebody edits a baseline after a crash: nothing is touched until it is restored, and then all ends well. */
export const editAfterCrash: Row = {
  name: "human edit before recovery",
  run(tally, { full }) {
    const calls = callsOfCommit().length;
    for (const [how, edit] of Object.entries(EDITS)) {
      for (let target = 0; target < 3; target += 1)
        for (let at = 1; at <= calls; at += full ? 1 : 4) editThenRecover(tally, { how, edit, target, at });
    }
  },
};

/** Somebody takes all baselines back by git after a crash, or removes what git does not know. */
export const gitAfterCrash: Row = {
  name: "git restore, git clean before recovery",
  run(tally) {
    const calls = callsOfCommit().length;
    for (let at = 1; at <= calls; at += 1) {
      restoreThenRecover(tally, at, "restore");
      restoreThenRecover(tally, at, "clean");
    }
  },
};

interface Edit {
  readonly how: string;
  readonly edit: (path: string) => void;
  readonly target: number;
  readonly at: number;
  /** A file system without hard links, where the old text is kept as a copy. */
  readonly poor?: boolean;
}

function editAt(tally: Tally, { how, edit, target, at, poor = false }: Edit): void {
  const context = freshWorld();
  const path = context.proposals[target]?.path ?? "";
  let count = 0;
  let edited: string | undefined;
  const armed = armFault(
    { ...NO_FAULT, poor, within: withinOf(context) },
    {
      death: "silence",
      before: () => {
        count += 1;
        if (count !== at) return;
        edit(path);
        edited = textOf(path);
      },
    },
  );
  const end = commitUpdates(context.proposals, contextOf(context));
  armed.disarm();
  const name = `${how} of ${target} before call ${at}${poor ? ", without links" : ""}`;
  const kept = textOf(path) === edited;
  // An edit that came after the new text was in place is made to the new text: then all the others are new.
  tally.add(
    judgeEdited(name, context, { path, wrong: kept ? [] : [`the edit is gone (${end.kind})`], kind: end.kind }),
  );
  discard(context.project);
}

function judgeEdited(
  name: string,
  context: World,
  {
    path,
    wrong,
    kind,
  }: { readonly path: string; readonly wrong: readonly string[]; readonly kind: string | undefined },
): { name: string; outcome: Outcome; litter: string[]; wrong: string[] } {
  age(context);
  const recovery = recover(context.places);
  const stuck = typeof recovery === "string" ? [recovery] : recovery.stuck;
  const others = <T>(of: ReadonlyMap<string, T>): Map<string, T> => new Map([...of].filter(([each]) => each !== path));
  const outcome = outcomeOf({ before: others(context.before), after: others(context.after) });
  const untrue =
    (kind === "committed" && outcome !== "new") || (kind === "refused" && outcome !== "old")
      ? [`said ${kind}, the others are ${outcome}`]
      : [];
  const next = goOn(context);
  return { name, outcome, litter: litterIn(next.world), wrong: [...wrong, ...stuck, ...untrue, ...next.wrong] };
}

function editThenRecover(tally: Tally, { how, edit, target, at }: Edit): void {
  const context = freshWorld();
  attemptCommit(context, killAt(at));
  bury(context.places);
  const path = context.proposals[target]?.path ?? "";
  const original = context.before.get(path) ?? "";
  edit(path);
  const edited = textOf(path);
  const before = snapshot(context);
  const recovery = recover(context.places);
  const wrong: string[] = [];
  if (typeof recovery === "string") wrong.push(recovery);
  else if (recovery.stuck.length > 0) {
    if (JSON.stringify(snapshot(context)) !== JSON.stringify(before)) wrong.push("stuck, and touched something");
    writeFileSync(path, original);
    const name = `${how} of ${target}, crash at ${at}, then restored`;
    tally.add(judgeEdited(name, context, { path: "", wrong, kind: undefined }));
    discard(context.project);
    return;
  }
  // Not stuck: the edit may have been one to the text this commit was to put there, else it must still be there.
  if (textOf(path) !== edited && !(edited === undefined && context.after.get(path) === undefined))
    wrong.push("the edit is gone");
  tally.add(judgeEdited(`${how} of ${target}, crash at ${at}`, context, { path, wrong, kind: undefined }));
  discard(context.project);
}

function restoreThenRecover(tally: Tally, at: number, how: "restore" | "clean"): void {
  const context = freshWorld();
  attemptCommit(context, killAt(at));
  bury(context.places);
  if (how === "restore") restoreAll(context);
  if (how === "clean")
    for (const name of litterIn(context).filter((left) => left.includes(".tx-")))
      rmSync(`${context.project}/${name}`, { recursive: true, force: true });
  tally.add(judgeEdited(`git ${how} after a crash at ${at}`, context, { path: "", wrong: [], kind: undefined }));
  discard(context.project);
}

/**
 * What git restores. Where all had been applied the added file goes too: else the mixture would be of this row's own
 * making.
 */
function restoreAll(context: World): void {
  const applied = outcomeOf(context) === "new";
  for (const [path, text] of context.before) {
    if (text !== undefined) writeFileSync(path, text);
    else if (applied) rmSync(dirname(dirname(path)), { recursive: true });
  }
}

function snapshot(context: World): (string | undefined)[] {
  return [...context.before.keys()].map((path) => textOf(path));
}
