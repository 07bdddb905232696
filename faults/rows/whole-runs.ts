import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensureBuilt } from "../../scripts/trial/ensure-built.ts";
import type { Row, RowOptions } from "../row.ts";
import { walk } from "../world/examine.ts";
import { seeded } from "../world/random.ts";
import { FIRST, type Ground, judgeGround, makeGround } from "../world/runner-ground.ts";
import { type FaultRunner, JEST, LAYOUTS, type Layout, SMALL_LAYOUTS, VITEST } from "../world/runner-project.ts";
import type { StartedRun } from "../world/start-run.ts";
import type { Tally } from "../world/tally.ts";

/** Kills of one layout of one runner: with two runners and three layouts, full counts are 204. */
const KILLS = { small: 1, full: 34 };

/** Whole `vitest run -u` and `jest -u`, with all their workers, die at any moment. */
export const killedRuns: readonly Row[] = [VITEST, JEST].map((runner) => ({
  name: `kill -9 of ${runner.name} -u`,
  run: async (tally, { full }) =>
    onGrounds(runner, full ? LAYOUTS : SMALL_LAYOUTS, async (ground, layout) =>
      killRuns(tally, ground, { full, layout }),
    ),
}));

/** Two and four whole runs at once; and somebody edits, a worker dies, a test fails, Ctrl-C comes during one. */
export const disturbedRuns: readonly Row[] = [VITEST, JEST].map((runner) => ({
  name: `disturbed ${runner.name} -u`,
  run: async (tally, { full }) =>
    onGrounds(runner, (full ? LAYOUTS : SMALL_LAYOUTS).slice(1, 2), async (ground, layout) => {
      for (const count of full ? [2, 2, 2, 2, 2, 4, 4, 4] : [2]) await raceRuns(tally, ground, { count, layout });
      for (let round = 0; round < (full ? 5 : 1); round += 1)
        for (const disturb of [editDuring, failDuring, workerDeath, interrupt]) await disturb(tally, ground, layout);
    }),
}));

async function onGrounds(
  runner: FaultRunner,
  layouts: readonly Layout[],
  work: (ground: Ground, layout: Layout) => Promise<void>,
): Promise<void> {
  ensureBuilt("vitest.js", "build:js");
  for (const layout of layouts) {
    const ground = await makeGround(runner, layout);
    try {
      await work(ground, layout);
    } finally {
      ground.remove();
    }
  }
}

async function killRuns(
  tally: Tally,
  ground: Ground,
  { full, layout }: RowOptions & { readonly layout: Layout },
): Promise<void> {
  const random = seeded(layout.files);
  for (let round = 0; round < (full ? KILLS.full : KILLS.small); round += 1) {
    ground.reset();
    const value = `value ${round}`;
    const run = ground.start({ value, args: ["-u"] });
    await killMoment(run, ground, { kind: tally.counts.tried % 3, luck: random() });
    run.signal("SIGKILL");
    const { code } = await run.ended;
    const trial = judgeGround(`${layout.name}, round ${round}`, ground, {
      count: layout.files * layout.perFile,
      wanted: [value],
    });
    const wrong = code === 0 && trial.outcome !== "new" ? ["ended with 0, and is not written"] : [];
    const next = tally.counts.tried % 5 === 0 ? await nextRun(ground, trial.value) : [];
    tally.add({ ...trial, wrong: [...trial.wrong, ...wrong, ...next] });
  }
}

/** The next run compares with what is there, and finds nothing amiss. */
async function nextRun(ground: Ground, value: string): Promise<string[]> {
  const { code, output } = await ground.start({ value }).ended;
  return code === 0 ? [] : [`the next run ended with ${code}: ${output.slice(-600)}`];
}

async function raceRuns(
  tally: Tally,
  ground: Ground,
  { count, layout }: { readonly count: number; readonly layout: Layout },
): Promise<void> {
  ground.reset();
  const values = Array.from({ length: count }, (_, index) => `racer ${index}`);
  const ends = await Promise.all(values.map(async (value) => ground.start({ value, args: ["-u"] }).ended));
  const trial = judgeGround(`${count} at once`, ground, { count: layout.files * layout.perFile, wanted: values });
  const winners = values.filter((_, index) => ends[index]?.code === 0);
  const wrong = winners.includes(trial.value)
    ? []
    : [
        `${trial.value} is there, ${winners.join(", ") || "nobody"} ended with 0: ${ends.map(({ output }) => output.slice(-300)).join("\n")}`,
      ];
  tally.add({ ...trial, wrong: [...trial.wrong, ...wrong] });
}

async function editDuring(tally: Tally, ground: Ground, layout: Layout): Promise<void> {
  ground.reset();
  const run = ground.start({ value: "edited", args: ["-u"], pause: 50 });
  await until(run, () => existsSync(join(ground.places.state, "stage")));
  const [path = ""] = walk(join(ground.project, "__baselines__")).filter((each) => each.endsWith(".json"));
  const original = readFileSync(path, "utf8");
  writeFileSync(path, "edited by hand\n");
  const { code } = await run.ended;
  const kept = readFileSync(path, "utf8") === "edited by hand\n";
  writeFileSync(path, original);
  addDisturbed(tally, ground, { name: "a human edit", layout, code, wrong: kept ? [] : ["the edit is gone"] });
}

async function failDuring(tally: Tally, ground: Ground, layout: Layout): Promise<void> {
  ground.reset();
  const { code } = await ground.start({ value: "beside a failure", args: ["-u"], death: "3 fails" }).ended;
  addDisturbed(tally, ground, { name: "a failing test", layout, code, wrong: [] });
}

async function workerDeath(tally: Tally, ground: Ground, layout: Layout): Promise<void> {
  ground.reset();
  const { code } = await ground.start({ value: "beside a death", args: ["-u"], death: "5" }).ended;
  addDisturbed(tally, ground, { name: "a worker's death", layout, code, wrong: [] });
}

async function interrupt(tally: Tally, ground: Ground, layout: Layout): Promise<void> {
  ground.reset();
  const run = ground.start({ value: "interrupted", args: ["-u"], pause: 100 });
  await until(run, () => existsSync(join(ground.places.state, "stage")));
  run.signal("SIGINT");
  const { code } = await run.ended;
  addDisturbed(tally, ground, { name: "SIGINT", layout, code, wrong: [] });
}

function addDisturbed(
  tally: Tally,
  ground: Ground,
  {
    name,
    layout,
    code,
    wrong,
  }: {
    readonly name: string;
    readonly layout: Layout;
    readonly code: number | null;
    readonly wrong: readonly string[];
  },
): void {
  const trial = judgeGround(name, ground, { count: layout.files * layout.perFile, wanted: [] });
  const untrue = code === 0 ? ["ended with 0"] : [];
  const written = trial.value === FIRST ? [] : [`${trial.value} was written`];
  tally.add({ ...trial, wrong: [...trial.wrong, ...wrong, ...untrue, ...written] });
}

/**
 * Most of a run is before its commit: of three kills one comes at any time, one while it prepares, one while it
 * renames.
 */
async function killMoment(
  run: StartedRun,
  { places: paths, duration }: Ground,
  { kind, luck }: { readonly kind: number; readonly luck: number },
): Promise<void> {
  if (kind === 2) return wait(duration * luck);
  const transactions = join(paths.state, "tx");
  const begun = (): string[] => (existsSync(transactions) ? readdirSync(transactions) : []);
  if (kind === 0) await until(run, () => begun().some((name) => existsSync(join(transactions, name, "COMMIT"))));
  else await until(run, () => begun().length > 0);
  await wait((kind === 0 ? 20 : 300) * luck);
}

async function until(run: StartedRun, holds: () => boolean): Promise<void> {
  while (!run.isOver() && !holds()) await wait(2);
}

async function wait(milliseconds: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
}
