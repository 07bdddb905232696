import { basename, dirname, join } from "node:path";
import { listNames, readRegularFile } from "../kernel/files/read.ts";
import { isTestFileName } from "./baseline-paths.ts";
import { baselineRoots, filesOfGroup } from "./baseline-files.ts";

/** Baselines of a step or test file whose test went to another folder, and left them. */
export interface MovedGroup {
  /** The directory they lie in, absolute. */
  readonly from: string;
  /** The directory in which tests look for them now, absolute; it need not be there yet. */
  readonly to: string;
  /** The names of the files that both have, or are looked for. */
  readonly names: readonly string[];
}

/**
 * Finds baselines that were left behind: of the same step or test file and the same case, in a folder without a test,
 * while there is a test in the folder that should have them. `wanted` are paths of baseline files that are missing or
 * were captured; `used` are directories of baselines that tests of today use. Reads directories below `root`, no file.
 */
export function movedGroups(
  root: string,
  { wanted, used }: { readonly wanted: readonly string[]; readonly used: ReadonlySet<string> },
): readonly MovedGroup[] {
  const groups = Map.groupBy(
    wanted.filter((path) => hasTests(folderOf(path))),
    (path) => dirname(path),
  );
  if (groups.size === 0) return [];
  const left = [...baselineRoots(root)].filter((roots) => !used.has(roots) && !hasTests(dirname(roots)));
  return [...groups].flatMap(([to, paths]) => {
    const cases = new Set(paths.map(caseOf));
    return left.flatMap((roots): MovedGroup[] => {
      const from = join(roots, basename(to));
      if (from === to || !listNames(roots).includes(basename(to))) return [];
      const names = filesOfGroup(roots, from).map(({ path }) => basename(path));
      const same = names.filter((name) => cases.has(caseOf(name)));
      return same.length === 0 ? [] : [{ from, to, names: same }];
    });
  });
}

/** Files of a directory of baselines that another one also has, byte by byte, if a test uses that one. */
export function copiedFiles(from: string, directories: readonly string[]): MovedGroup | undefined {
  if (hasTests(dirname(dirname(from)))) return undefined;
  const matches = directories
    .filter((to) => to !== from && hasTests(dirname(dirname(to))))
    .map((to) => ({
      from,
      to,
      names: listNames(from).filter((name) => {
        const text = readRegularFile(join(from, name));
        return text !== undefined && text === readRegularFile(join(to, name));
      }),
    }));
  return matches.find(({ names }) => names.length > 0);
}

/** The folder of the tests that a baseline belongs to, unless a resolver of snapshots is configured. */
function folderOf(path: string): string {
  return dirname(dirname(dirname(path)));
}

/** The part of a file name that identifies the case: the label may differ if the test was renamed. */
function caseOf(path: string): string {
  return basename(path).replace(/^.*-(?=[0-9a-f]{8,16}\.json$)/, "");
}

const SOURCE = /\.[cm]?[jt]sx?$/;

function hasTests(folder: string): boolean {
  const isTest = basename(folder) === "__tests__" ? (name: string) => SOURCE.test(name) : isTestFileName;
  return listNames(folder).some(isTest);
}
