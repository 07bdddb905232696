import { existsSync, lstatSync, readFileSync, readdirSync, statSync, utimesSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import type { World } from "./world.ts";

/** How a project's baselines stand after a fault and a recovery. Only the first two are well. */
export type Outcome = "old" | "new" | "mixed" | "corrupt" | "lost";

/** Compares every baseline of a project with what it was and what it is to be. */
export function outcomeOf({ before, after }: Pick<World, "before" | "after">): Outcome {
  const now = new Map([...before.keys()].map((path) => [path, textOf(path)] as const));
  const paths = [...now.keys()];
  if (paths.every((path) => now.get(path) === before.get(path))) return "old";
  if (paths.every((path) => now.get(path) === after.get(path))) return "new";
  const strange = paths.filter((path) => ![before.get(path), after.get(path)].includes(now.get(path)));
  if (strange.some((path) => now.get(path) !== undefined)) return "corrupt";
  return strange.length > 0 ? "lost" : "mixed";
}

/** The text of a file; undefined where there is none. */
export function textOf(path: string): string | undefined {
  return existsSync(path) && statSync(path).isFile() ? readFileSync(path, "utf8") : undefined;
}

/** Names everything in a project that no commit may leave behind. */
export function litterIn(context: World): string[] {
  const expected = new Set([...context.before.keys()].filter((path) => existsSync(path)));
  // A directory whose last baseline was removed stays: git knows none.
  const older = [...context.before].flatMap(([path, text]) => (text === undefined ? [] : [path]));
  const directories = new Set([...expected, ...older].flatMap((path) => parentsOf(context.project, path)));
  const { state } = context.places;
  const kept = (path: string): boolean =>
    expected.has(path) || directories.has(path) || isRecord(relative(state, path).split(sep).join("/"));
  const { notes } = context.places;
  const strangeNotes = walk(notes).filter((path) => !/^(?:receipts|notes)\.ndjson$/.test(relative(notes, path)));
  const places = [...new Set([context.project, state])].flatMap(walk);
  const strange = places.filter(
    (path) => !kept(path) && path !== state && !path.startsWith(join(context.project, ".home")),
  );
  return [...strange, ...strangeNotes]
    .filter((path) => !["package.json", "sub"].includes(relative(context.project, path)))
    .map((path) => relative(context.project, path));
}

/** What a state directory holds between runs. */
function isRecord(name: string): boolean {
  return /^(?:\.gitignore|tx|lock|stage|pending|lock\/\d+\.(?:lock|rel)|pending\/[0-9a-f]{12}\.json)$/.test(name);
}

/**
 * Makes temporary files look hours old: a process that runs takes those away, and leaves young ones to their makers.
 */
export function age(context: World): void {
  const hours = new Date(Date.now() - 3 * 3_600_000);
  for (const path of walk(context.places.state)) if (path.endsWith(".tmp")) utimesSync(path, hours, hours);
}

function parentsOf(project: string, path: string): string[] {
  const parent = dirname(path);
  return parent === project ? [] : [parent, ...parentsOf(project, parent)];
}

/** Every path below a directory, the directory itself left out; links are not followed. */
export function walk(directory: string): string[] {
  if (!existsSync(directory) || !lstatSync(directory).isDirectory()) return [];
  return readdirSync(directory)
    .map((name) => join(directory, name))
    .flatMap((path) => (lstatSync(path).isDirectory() ? [path, ...walk(path)] : [path]));
}
