import { existsSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { type Result, err, ok } from "../kernel/result.ts";
import { quote } from "../kernel/text.ts";
import { type Baseline, groupOf } from "../baseline/baseline.ts";
import { displayPath } from "../baseline/baseline-library.ts";
import { BASELINES_DIRECTORY, groupDirectory } from "../baseline/baseline-paths.ts";
import { parseBaseline } from "../baseline/parse-baseline.ts";
import type { ConfiguredStep } from "../config/load-steps.ts";
import { readText } from "../kernel/files/read.ts";
import { matchesName } from "../kernel/matches-name.ts";
import { baselineRoots, directoriesIn, someBaseline } from "../baseline/baseline-files.ts";
import { nearestSentence } from "./nearest-words.ts";
import type { ProjectPaths } from "../kernel/files/project-paths.ts";

/** Stored baselines of one step to check: those of a directory, or one file of it. */
export interface BaselineTarget {
  readonly configured: ConfiguredStep;
  /** Directory named `__baselines__`. */
  readonly root: string;
  /** The step's own directory below it. */
  readonly directory: string;
  /** Absolute path of a single file; undefined for all files. */
  readonly only: string | undefined;
}

/** Baselines to check, and those that can't be checked. */
interface BaselineTargets {
  readonly targets: readonly BaselineTarget[];
  /** Steps that have baselines and are not named in the configuration. */
  readonly strangers: readonly string[];
  /** A sentence for each directory with baselines of a configured step to which another directory belongs. */
  readonly misplaced: readonly string[];
}

/** A directory with baselines to which no chosen step belongs. */
interface OtherDirectory {
  readonly directory: string;
  /** The step of its baselines. */
  readonly step: string;
}

interface FoundDirectories {
  readonly targets: readonly BaselineTarget[];
  readonly others: readonly OtherDirectory[];
}

/** Project whose baselines are checked. */
interface TargetProject {
  readonly paths: Pick<ProjectPaths, "root">;
  /** Steps by name. */
  readonly steps: ReadonlyMap<string, ConfiguredStep>;
}

/** Requested steps and baselines. */
interface TargetRequest {
  /** Names of steps, `*` matches any characters; empty for all. */
  readonly steps: readonly string[];
  /** Files or directories of baselines; empty for the entire project. */
  readonly baselines: readonly string[];
  /** Base directory of `baselines`. */
  readonly cwd: string;
}

/** Finds the baselines to check by reading directories only. The error is one sentence on an unknown name or path. */
export function findTargets(project: TargetProject, request: TargetRequest): Result<BaselineTargets, string> {
  const directories = directoriesOf(project, request);
  if (!directories.ok) return directories;
  const { targets, others } = directories.value;
  const isConfigured = ({ step }: OtherDirectory): boolean => project.steps.has(step);
  return ok({
    targets,
    strangers: [...new Set(others.filter((other) => !isConfigured(other)).map(({ step }) => step))],
    // A step that is configured but not requested has its own directory.
    misplaced: [
      ...new Set(
        others
          .filter((other) => isConfigured(other) && basename(other.directory) !== groupDirectory(other.step))
          .map(misplacedSentence),
      ),
    ],
  });
}

function misplacedSentence({ directory, step }: OtherDirectory): string {
  const own = join(dirname(directory), groupDirectory(step));
  return (
    `Not checked: ${displayPath(directory)} has baselines of the step ${quote(step)}. ` +
    `Move them to ${displayPath(own)}, or delete them.`
  );
}

function directoriesOf({ paths, steps }: TargetProject, request: TargetRequest): Result<FoundDirectories, string> {
  const chosen = chooseSteps(steps, request.steps);
  if (!chosen.ok) return chosen;
  if (request.baselines.length === 0)
    return ok(inRoots([...new Set([...baselineRoots(paths.root), ...configuredRoots(chosen.value)])], chosen.value));
  const lists: FoundDirectories[] = [];
  for (const name of request.baselines) {
    const named = namedTargets(resolve(request.cwd, name), chosen.value);
    if (!named.ok) return named;
    lists.push(named.value);
  }
  return ok({
    targets: lists.flatMap(({ targets }) => targets),
    others: lists.flatMap(({ others }) => others),
  });
}

/** Returns configured directories, which may be outside of the project's root. */
function configuredRoots(chosen: readonly ConfiguredStep[]): readonly string[] {
  return chosen.flatMap(({ baselines }) => (baselines !== undefined && existsSync(baselines) ? [baselines] : []));
}

function namedTargets(path: string, chosen: readonly ConfiguredStep[]): Result<FoundDirectories, string> {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined)
    return err(
      `${quote(displayPath(path))} doesn't exist. Pass a baseline or a directory of baselines. To list them, run: ` +
        `npx veritest list`,
    );
  if (!stats.isDirectory()) return fileTarget(path, chosen);
  if (basename(path) === BASELINES_DIRECTORY) return ok(inRoots([path], chosen));
  if (basename(dirname(path)) === BASELINES_DIRECTORY) return ok(ofGroup(dirname(path), basename(path), chosen));
  return ok(inRoots([...baselineRoots(path)], chosen));
}

function fileTarget(path: string, chosen: readonly ConfiguredStep[]): Result<FoundDirectories, string> {
  const directory = dirname(path);
  const group = groupOfFile(path) ?? basename(directory);
  const configured = chosen.find(
    ({ step }) => step.name === group || groupDirectory(step.name) === basename(directory),
  );
  if (configured === undefined)
    return err(
      `${displayPath(path)}: ${unknownStep(
        group,
        chosen.map(({ step }) => step.name),
      )}`,
    );
  return ok({ targets: [{ configured, root: dirname(directory), directory, only: path }], others: [] });
}

function inRoots(roots: readonly string[], chosen: readonly ConfiguredStep[]): FoundDirectories {
  const groups = roots.flatMap((root) => directoriesIn(root).map((group) => ofGroup(root, group, chosen)));
  const targets = groups.flatMap((each) => each.targets);
  return {
    // Sorted by step, across all directories.
    targets: chosen.flatMap((configured) => targets.filter((target) => target.configured === configured)),
    others: groups.flatMap(({ others }) => others),
  };
}

function ofGroup(root: string, group: string, chosen: readonly ConfiguredStep[]): FoundDirectories {
  const directory = join(root, group);
  const configured = chosen.find(({ step }) => groupDirectory(step.name) === group);
  if (configured !== undefined) return { targets: [{ configured, root, directory, only: undefined }], others: [] };
  return { targets: [], others: otherDirectory(directory) };
}

/** Returns a directory with its step; empty for a directory of values. */
function otherDirectory(directory: string): readonly OtherDirectory[] {
  const some = someBaseline(directory);
  const parsed = some === undefined ? undefined : readBaseline(join(directory, some));
  return parsed?.kind === "step" ? [{ directory, step: parsed.step }] : [];
}

function groupOfFile(path: string): string | undefined {
  const baseline = readBaseline(path);
  return baseline === undefined ? undefined : groupOf(baseline);
}

/** Reads a baseline if possible. Its problems are reported when it's checked. */
function readBaseline(path: string): Baseline | undefined {
  const parsed = parseBaseline(readText(path) ?? "", path);
  return parsed.ok ? parsed.value : undefined;
}

/**
 * Selects steps by name (`*` matches any characters), or all without names, sorted by name. The error is one sentence
 * on the first name without a match.
 */
export function chooseSteps(
  steps: ReadonlyMap<string, ConfiguredStep>,
  patterns: readonly string[],
): Result<readonly ConfiguredStep[], string> {
  const names = [...steps.keys()].toSorted();
  const unknown = patterns.find((pattern) => !names.some((name) => matchesName(pattern, name)));
  if (unknown !== undefined) return err(unknownStep(unknown, names));
  const chosen = names.filter(
    (name) => patterns.length === 0 || patterns.some((pattern) => matchesName(pattern, name)),
  );
  return ok(chosen.flatMap((name) => steps.get(name) ?? []));
}

/** Returns one sentence on a step that isn't configured. */
export function unknownStep(name: string, known: Iterable<string>): string {
  const near = nearestSentence(name, known, "It doesn't list any steps. Add the step's module to steps.");
  return `The configuration doesn't have a step named ${quote(name)}. ${near}`;
}
