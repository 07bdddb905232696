import { serializeBaseline } from "../../src/baseline/serialize-baseline.ts";
import { createValueBaseline } from "../../src/baseline/create-baseline.ts";
import { recover } from "../../src/updates/commit/recover.ts";
import type { Row } from "../row.ts";
import { goOn } from "../world/aftermath.ts";
import { updatesOf } from "../world/commit-order.ts";
import { age, litterIn, textOf } from "../world/examine.ts";
import { seeded, under } from "../world/random.ts";
import { type CommitEnd, runCommit } from "../world/run-commit.ts";
import { discard, scratch } from "../world/scratch.ts";
import type { Tally } from "../world/tally.ts";
import { NO_FAULT, withinOf } from "../world/under-fault.ts";
import { type World, build, worldAt, worldOf } from "../world/world.ts";

const SHARED = ["one", "two", "three", "four", "five", "six"];

/** Several processes update the same baselines at once, each with a value of its own: one wins whole. */
export const sameTargets: Row = {
  name: "two and four commits, same files",
  run: async (tally, { full }) => rounds(tally, { full, namesOf: () => SHARED, deaths: false }),
};

/** Several processes update baselines of their own at once: all of them succeed. */
export const otherTargets: Row = {
  name: "two and four commits, other files",
  run: async (tally, { full }) =>
    rounds(tally, { full, namesOf: (index) => SHARED.map((name) => `${name} ${index}`), deaths: false }),
};

/** The same, and one of them is killed at any call. */
export const sameTargetsAndDeath: Row = {
  name: "several commits, one is killed",
  run: async (tally, { full }) => rounds(tally, { full, namesOf: () => SHARED, deaths: true }),
};

interface Race {
  readonly full: boolean;
  readonly namesOf: (index: number) => readonly string[];
  readonly deaths: boolean;
}

async function rounds(tally: Tally, race: Race): Promise<void> {
  const random = seeded(7);
  for (let round = 0; round < (race.full ? 40 : 3); round += 1) await oneRound(tally, race, { round, random });
}

async function oneRound(
  tally: Tally,
  { namesOf, deaths }: Race,
  { round, random }: { readonly round: number; readonly random: () => number },
): Promise<void> {
  const count = round % 2 === 0 ? 2 : 4;
  const project = scratch();
  const names = [...new Set(Array.from({ length: count }, (_, index) => namesOf(index)).flat())];
  const context = build(worldOf(project, worldAt(project).places, updatesOf({ project, names, value: "unused" })));
  const at = Date.now() + 700 + count * 200;
  const fault = { ...NO_FAULT, action: "kill before", at: 1 + under(random, 80), within: withinOf(context) } as const;
  const children = Array.from({ length: count }, async (_, index) =>
    runCommit({ project, names: namesOf(index), value: `new ${index}`, at }, deaths && index === 0 ? { fault } : {}),
  );
  judge(tally, context, { name: `round ${round} with ${count}`, ends: await Promise.all(children), namesOf });
  discard(project);
}

function judge(
  tally: Tally,
  context: World,
  {
    name,
    ends,
    namesOf,
  }: { readonly name: string; readonly ends: readonly CommitEnd[]; readonly namesOf: Race["namesOf"] },
): void {
  age(context);
  const recovery = recover(context.places);
  const wrong = typeof recovery === "string" ? [recovery] : [...recovery.stuck];
  const holds = (index: number, value: string): boolean =>
    namesOf(index).every(
      (of) => textOf(updatesOf({ project: context.project, names: [of], value })[0]?.path ?? "") === textFor(of, value),
    );
  const untouched = ends.every((_, index) => holds(index, "old"));
  const whole = ends.map((_, index) => holds(index, `new ${index}`));
  for (const [index, { kind, signal, problem }] of ends.entries()) {
    if (kind === "committed" && whole[index] !== true) wrong.push(`${index} said committed and is not`);
    if (kind === "refused" && whole[index] === true) wrong.push(`${index} said refused and is written`);
    if (kind === undefined && signal === null) wrong.push(`${index} failed: ${problem}`);
  }
  const same = namesOf(0)[0] === namesOf(1)[0];
  if (same && ends.filter(({ kind }) => kind === "committed").length > 1) wrong.push("more than one said committed");
  if (!same && !ends.every(({ kind }) => kind === "committed"))
    wrong.push(`not all committed: ${ends.map(({ problem }) => problem).join("; ")}`);
  const any = same ? whole.some(Boolean) : whole.every(Boolean);
  const next = goOn(context);
  wrong.push(...next.wrong);
  const changed = any ? "new" : "mixed";
  tally.add({ name, outcome: untouched ? "old" : changed, litter: litterIn(next.world), wrong });
}

function textFor(name: string, value: string): string {
  return serializeBaseline(createValueBaseline(value, { test: "a.test.ts", name }));
}
