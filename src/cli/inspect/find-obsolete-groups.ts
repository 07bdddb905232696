import { basename, dirname } from "node:path";
import { type Result, ok } from "../../kernel/result.ts";
import { type Baseline, groupOf } from "../../baseline/baseline.ts";
import type { LoadedConfig } from "../../config/load-config.ts";
import { loadSteps } from "../../config/load-steps.ts";
import { type ProjectPaths, targetName } from "../../kernel/files/project-paths.ts";
import { readText } from "../../kernel/files/read.ts";
import { isSourceFileName, sourceFiles } from "../../kernel/files/source-files.ts";
import { baselineFiles, filesOfGroup } from "../../baseline/baseline-files.ts";
import { copiedFiles } from "../../baseline/moved-baselines.ts";
import { type StoredBaseline, readStored } from "./stored-baseline.ts";

/** Obsolete baselines of a step or a test file that the source code no longer names. */
export interface ObsoleteGroup {
  readonly kind: Baseline["kind"];
  /** Name of the step or the test file. */
  readonly group: string;
  /** Directory of the baselines, relative to the project's root, with forward slashes. */
  readonly directory: string;
  readonly baselines: readonly StoredBaseline[];
  /** Directory next to the test that uses the same cases now, relative to the project's root, with forward slashes. */
  readonly movedTo?: string;
}

/**
 * Finds the baselines that no test can use, as far as that shows without running one: those of a step that neither the
 * configuration nor any source file of the git work tree names, those of a test file that doesn't exist, and those that
 * a moved test left behind. A name that is built at run time doesn't show, nor does a baseline whose step is still
 * named but whose case is gone: only a complete run reports those. The error is a sentence on why the configuration's
 * steps can't be loaded.
 */
export async function findObsoleteGroups(
  paths: Pick<ProjectPaths, "root" | "area">,
  config: Pick<LoadedConfig, "file" | "steps">,
): Promise<Result<ObsoleteGroup[], string>> {
  const groups = groupsIn(paths.root);
  // A test file in another language, which a plugin compiles, isn't found.
  const suspects = new Map([...groups].filter(([, { kind, group }]) => kind === "step" || isSourceFileName(group)));
  if (suspects.size > 0) clear(suspects, paths.area);
  // Last, because it runs code of the project.
  if (config.steps !== undefined && [...suspects.values()].some(({ kind }) => kind === "step")) {
    const steps = await loadSteps(config);
    if (!steps.ok) return steps;
    for (const name of steps.value.keys()) suspects.delete(keyOf("step", name));
  }
  const unnamed = [...suspects.values()].flatMap((group) =>
    group.directories.map((directory) => obsoleteIn(directory, group, paths.root)),
  );
  const named = [...groups].filter(([key]) => !suspects.has(key)).map(([, group]) => group);
  return ok([...unnamed, ...named.flatMap((group) => movedIn(group, paths.root))]);
}

/** Finds baselines left behind by a moved test: its new folder has the very same ones. */
function movedIn(group: Group, root: string): ObsoleteGroup[] {
  return group.directories.flatMap((directory) => {
    const owner = group.kind === "value" ? group.group : undefined;
    const moved = copiedFiles(directory, { directories: group.directories, owner });
    if (moved === undefined) return [];
    const obsolete = obsoleteIn(directory, group, root);
    const baselines = obsolete.baselines.filter(({ path }) => moved.names.includes(basename(path)));
    return [{ ...obsolete, baselines, movedTo: targetName(root, moved.to) }];
  });
}

interface Group {
  readonly kind: Baseline["kind"];
  readonly group: string;
  /** Absolute paths. */
  readonly directories: string[];
}

function keyOf(kind: Baseline["kind"], group: string): string {
  return `${kind}:${group}`;
}

/**
 * Returns the groups that have baselines. One file of a directory determines its group, because a directory has only
 * one.
 */
function groupsIn(root: string): Map<string, Group> {
  const groups = new Map<string, Group>();
  let done = "";
  for (const file of baselineFiles(root)) {
    const directory = dirname(file.path);
    const stored = directory === done ? undefined : readStored(root, file);
    if (stored === undefined || !stored.baseline.ok) continue;
    done = directory;
    const { kind } = stored.baseline.value;
    const group = groupOf(stored.baseline.value);
    const known = groups.get(keyOf(kind, group));
    if (known === undefined) groups.set(keyOf(kind, group), { kind, group, directories: [directory] });
    else known.directories.push(directory);
  }
  return groups;
}

/** Removes the groups that the source code names. */
function clear(suspects: Map<string, Group>, area: string): void {
  for (const path of sourceFiles(area)) {
    suspects.delete(keyOf("value", basename(path).normalize("NFC")));
    const steps = [...suspects.values()].filter(({ kind }) => kind === "step");
    const text = steps.length === 0 ? "" : (readText(path) ?? "");
    for (const { group } of steps) if (names(text, group)) suspects.delete(keyOf("step", group));
    if (suspects.size === 0) return;
  }
}

/** Matches the name, or its form with escapes in a literal. */
function names(text: string, step: string): boolean {
  return text.includes(step) || text.includes(JSON.stringify(step).slice(1, -1));
}

function obsoleteIn(directory: string, { kind, group }: Group, root: string): ObsoleteGroup {
  const stored = filesOfGroup(dirname(directory), directory).flatMap((file) => readStored(root, file) ?? []);
  const baselines = stored.filter(
    ({ baseline }) => baseline.ok && baseline.value.kind === kind && groupOf(baseline.value) === group,
  );
  return { kind, group, directory: targetName(root, directory), baselines };
}

/** Returns why baselines are obsolete. Not safe to print. */
export function obsoleteReason({ kind, group, movedTo }: Pick<ObsoleteGroup, "kind" | "group" | "movedTo">): string {
  if (movedTo !== undefined) return `the test was moved, and the same baselines are in ${movedTo}`;
  return kind === "step"
    ? `no source file or configuration names the step ${group}`
    : `the test file ${group} doesn't exist`;
}
