import { cpSync, existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type ProjectPaths, projectPaths } from "../../src/kernel/files/project-paths.ts";
import { readStaged } from "../../src/updates/pending/stage-changes.ts";
import { readPending } from "../../src/updates/pending/pending-store.ts";
import { recover } from "../../src/updates/commit/recover.ts";
import { adoptDeadRuns } from "../../src/updates/pending/tidy-pending.ts";
import { litterIn, textOf, walk } from "./examine.ts";
import type { Trial } from "./tally.ts";
import { type FaultRunner, type Layout, makeRunnerProject } from "./runner-project.ts";
import { type RunSettings, type StartedRun, startRun } from "./start-run.ts";

/** The value all baselines of a ground hold at first. */
export const FIRST = "first";

/** A project of a real runner with all its baselines captured, to be put back as often as one likes. */
export interface Ground {
  readonly project: string;
  readonly runner: FaultRunner;
  readonly places: ProjectPaths;
  /** How long the run took that captured everything, in milliseconds. */
  readonly duration: number;
  start(settings: RunSettings): StartedRun;
  /** Puts the first baselines back and forgets everything else. */
  reset(): void;
  remove(): void;
}

/** Makes a ground. Throws with the run's output when its first run fails. */
export async function makeGround(runner: FaultRunner, layout: Layout): Promise<Ground> {
  const project = makeRunnerProject(runner, layout);
  const start = (settings: RunSettings): StartedRun => startRun(project, runner, settings);
  const started = performance.now();
  const { code, output } = await start({ value: FIRST, args: ["-u"] }).ended;
  const duration = performance.now() - started;
  if (code !== 0) throw new Error(`The first run of ${runner.name}, ${layout.name}, ended with ${code}:\n${output}`);
  const first = `${project}-first`;
  cpSync(join(project, "__baselines__"), first, { recursive: true });
  const reset = (): void => {
    for (const name of [".veritest", ".home", "__baselines__"])
      rmSync(join(project, name), { recursive: true, force: true });
    cpSync(first, join(project, "__baselines__"), { recursive: true });
  };
  const remove = (): void => {
    for (const directory of [project, first]) rmSync(directory, { recursive: true, force: true });
  };
  return {
    project,
    runner,
    places: projectPaths(project, { XDG_STATE_HOME: join(project, ".home") }),
    duration,
    start,
    reset,
    remove,
  };
}

/** Every value the baselines hold, and every baseline that cannot be read. */
function valuesIn({ project }: Ground): {
  readonly values: ReadonlySet<string>;
  readonly damaged: readonly string[];
  readonly count: number;
} {
  const paths = walk(join(project, "__baselines__")).filter((path) => path.endsWith(".json"));
  const read = paths.map((path) => ({
    path,
    value: /"value": "([^"]*)"/.exec(textOf(path) ?? "")?.[1],
    whole: (textOf(path) ?? "").endsWith("}\n"),
  }));
  return {
    values: new Set(read.flatMap(({ value }) => value ?? [])),
    damaged: read.filter(({ value, whole }) => value === undefined || !whole).map(({ path }) => path),
    count: paths.length,
  };
}

/** What tests had told their runs, when nobody of them lives any more. */
function stagedTexts({ places: paths }: Ground): readonly (string | undefined)[] {
  const stages = join(paths.state, "stage");
  const runs = existsSync(stages) ? readdirSync(stages) : [];
  return runs.flatMap((run) => readStaged(paths, run).changes.map(({ text }) => text));
}

/** What the next process meets: all baselines of one value, and what was captured is written or waits for review. */
export function judgeGround(
  name: string,
  ground: Ground,
  { count, wanted }: { readonly count: number; readonly wanted: readonly string[] },
): Trial & { readonly value: string } {
  const staged = stagedTexts(ground);
  const recovery = recover(ground.places);
  const wrong = typeof recovery === "string" ? [recovery] : [...recovery.stuck];
  adoptDeadRuns(ground.places);
  const { values, damaged, count: found } = valuesIn(ground);
  const [value = ""] = values;
  const pending = new Set(readPending(ground.places.state).changes.map(({ text }) => text));
  const gone = value === FIRST ? staged.filter((text) => !pending.has(text)) : [];
  if (gone.length > 0)
    wrong.push(`${gone.length} of ${staged.length} captured changes are neither written nor pending`);
  const whole = values.size === 1 && (value === FIRST || wanted.includes(value));
  const outcome = value === FIRST ? "old" : "new";
  const litter = litterOf(ground);
  if (damaged.length > 0) return { name, outcome: "corrupt", litter, wrong, value };
  if (found !== count)
    return { name, outcome: "lost", litter, wrong: [...wrong, `${found} baselines instead of ${count}`], value };
  return { name, outcome: whole ? outcome : "mixed", litter, wrong, value };
}

/** Temporary files that the next commit takes away are none: they may be of somebody at work. */
function litterOf({ project, places: paths }: Ground): string[] {
  const baselines = new Map(
    walk(join(project, "__baselines__"))
      .filter((path) => path.endsWith(".json"))
      .map((path) => [path, ""] as const),
  );
  const left = litterIn({ project, places: paths, proposals: [], before: baselines, after: baselines });
  return left.filter(
    (name) =>
      !/^(?:node_modules|\.home|package\.json|vitest\.config\.js|jest\.config\.json|test-\d+\.test\.js)/.test(name) &&
      !/^\.veritest\/(?:lock|pending|stage)\/\.[^/]*\.tmp(?:\/|$)/.test(name),
  );
}
