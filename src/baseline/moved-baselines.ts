import { basename, dirname, join } from "node:path";
import { listNames, readRegularFile } from "../kernel/files/read.ts";
import { isTestFileName } from "./baseline-paths.ts";
import { baselineRoots, filesOfGroup } from "./baseline-files.ts";

/** Baselines of a step or test file whose test went to another folder, or got another name, and left them. */
export interface MovedGroup {
  /** The directory they lie in, absolute. */
  readonly from: string;
  /** The directory in which tests look for them now, absolute; it need not be there yet. */
  readonly to: string;
  /** The names of the files that both have, or are looked for. */
  readonly names: readonly string[];
}

/** Baselines by their use in a run. All paths are absolute. */
export interface RunBaselines {
  /** Files of baselines that are missing or were captured. */
  readonly wanted: readonly string[];
  /** Directories of baselines that tests of today use. */
  readonly used: ReadonlySet<string>;
  /** Files of baselines that no test uses. */
  readonly unused: ReadonlySet<string>;
}

/**
 * Finds baselines that were left behind, by the case that they are of: those of the same step or test file in another
 * folder, and those of another name in the same folder, which no test uses now. Reads directories below `root`, but no
 * files.
 */
export function movedGroups(root: string, { wanted, used, unused }: RunBaselines): readonly MovedGroup[] {
  const groups = Map.groupBy(
    wanted.filter((path) => hasTests(folderOf(path))),
    (path) => dirname(path),
  );
  if (groups.size === 0) return [];
  const all = [...baselineRoots(root)];
  return [...groups].flatMap(([to, paths]) => {
    const cases = new Set(paths.map(caseOf));
    return all.flatMap((roots): MovedGroup[] => {
      const isOwn = roots === dirname(to);
      const isLeft = !isOwn && !used.has(roots) && !hasTests(dirname(roots));
      const names = isOwn ? listNames(roots) : listNames(roots).filter((name) => name === basename(to));
      return names.flatMap((name): MovedGroup[] => {
        const from = join(roots, name);
        if (from === to) return [];
        const isAbandoned = isLeft || (isOwn && isOfMissingTest(name, dirname(roots)));
        const same = filesOfGroup(roots, from)
          .filter(({ path }) => cases.has(caseOf(path)) && (isAbandoned || unused.has(path)))
          .map(({ path }) => basename(path));
        return same.length === 0 ? [] : [{ from, to, names: same }];
      });
    });
  });
}

function isOfMissingTest(directory: string, folder: string): boolean {
  return isTestFileName(directory) && !listNames(folder).includes(directory);
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
