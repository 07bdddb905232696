import { basename, join, relative, sep } from "node:path";
import { type Result, err } from "../kernel/result.ts";
import { type Baseline, type CaseIdentity, groupOf, identityOf } from "./baseline.ts";
import {
  caseFileName,
  matchesCaseFile,
  caseHash,
  casePath,
  groupDirectory,
  isBaselineFileName,
  isRedactedName,
} from "./baseline-paths.ts";
import { type DirectoryIndex, directoryIndex } from "./directory-index.ts";
import { parseBaseline } from "./parse-baseline.ts";
import { type StagedFiles, StagedUpdates } from "./staged-updates.ts";
import { readText } from "../kernel/files/read.ts";

/** A baseline file as it is now: its raw text, and what it reads as or why it cannot be read. */
export interface StoredCase {
  readonly path: string;
  /** The path for people, relative to the working directory, with forward slashes. */
  readonly file: string;
  readonly text: string;
  readonly baseline: Result<Baseline, string>;
}

/** Returns the baseline of a stored case; undefined if there is none, or if it can't be read. */
export function storedBaselineOf(stored: StoredCase | undefined): Baseline | undefined {
  return stored?.baseline.ok === true ? stored.baseline.value : undefined;
}

/** Path of one case, stored or new. */
export interface CaseLookup {
  /** Path to which the case is written when it is captured. */
  readonly path: string;
  readonly stored: StoredCase | undefined;
}

/** Files of a group's baselines, read one by one. */
export interface GroupFiles {
  /** Names of the files, in order. */
  readonly names: () => readonly string[];
  /** Names of the files whose stored input hides more secrets than the input alone reveals. */
  readonly redactedNames: () => readonly string[];
  /** Returns the case of a file; undefined if the file no longer exists. */
  readonly read: (name: string) => StoredCase | undefined;
}

/** The baselines next to a test file, overlaid with the pending updates of the running test. */
export interface BaselineLibrary {
  readonly root: string;
  /** Every baseline of a group, by file name. */
  all(group: string): readonly StoredCase[];
  /** Every baseline of a group, read one after another, so that memory doesn't grow with their number. */
  each(group: string): Iterable<StoredCase>;
  /** The files of a group's baselines, and a function that reads one of them. */
  files(group: string): GroupFiles;
  /** The baseline of one case, whatever label it was captured under; `label` names a new file. */
  find(group: string, identity: CaseIdentity, label: string): CaseLookup;
}

/** Search for file names in a directory. */
interface NameSearch {
  /** Names that may fit. */
  readonly of: (index: DirectoryIndex) => readonly string[];
  readonly fits: (name: string) => boolean;
}

const ALL: NameSearch = { of: ({ names }) => names, fits: isBaselineFileName };
const REDACTED: NameSearch = { of: ({ redacted }) => redacted, fits: isRedactedName };

/** Opens the baselines under `root`. `staged` are the running test's own updates, which it must see like files. */
export function openLibrary(root: string, staged: StagedFiles = new StagedUpdates()): BaselineLibrary {
  const textOf = (path: string): string | undefined => {
    const update = staged.get(path);
    return update === undefined ? readText(path) : update.after;
  };
  const read = (location: CaseLocation): StoredCase | undefined => {
    const text = textOf(location.path);
    return text === undefined ? undefined : storedCase(text, location);
  };
  const names = (directory: string, { of, fits }: NameSearch): readonly string[] => {
    const known = of(directoryIndex(directory)).filter(fits);
    const added = staged
      .indexesOf(directory)
      .flatMap(of)
      .filter((name) => fits(name) && staged.has(`${directory}${sep}${name}`));
    // The listing is in order.
    return added.length === 0 ? known : [...new Set([...known, ...added])].toSorted();
  };
  const directoryOf = (group: string): string => join(root, groupDirectory(group));
  const files = (group: string): GroupFiles => {
    const directory = directoryOf(group);
    const fileNameFor = shownIn(directory);
    return {
      names: () => names(directory, ALL),
      redactedNames: () => names(directory, REDACTED),
      read: (name) => read({ group, path: `${directory}${sep}${name}`, file: fileNameFor(name) }),
    };
  };
  const each = function* (group: string): Generator<StoredCase, void> {
    const groupFiles = files(group);
    for (const name of groupFiles.names()) {
      const stored = groupFiles.read(name);
      if (stored !== undefined) yield stored;
    }
  };
  return {
    root,
    all: (group) => [...each(group)],
    each,
    files,
    find(group, identity, label) {
      const path = casePath({ root, group }, label, caseHash(identity));
      // The usual case costs one read: the file is where this label and identity put it.
      const expected = read({ group, path, expected: identity });
      if (expected !== undefined && isOf(expected, identity)) return { path, stored: expected };
      const candidates = names(directoryOf(group), {
        of: ({ byHash }) => byHash.get(caseHash(identity)) ?? [],
        fits: matchesCaseFile(identity),
      });
      const match = candidates
        .map((name) => read({ group, path: join(directoryOf(group), name) }))
        .find((stored) => stored !== undefined && isOf(stored, identity));
      if (match !== undefined) return { path: match.path, stored: match };
      const longer = caseFileName(label, caseHash(identity, 16));
      return { path: expected === undefined ? path : join(directoryOf(group), longer), stored: undefined };
    },
  };
}

/** Path of a file, with the shown path and the identity that led to it if they are known. */
interface CaseLocation {
  readonly group: string;
  readonly path: string;
  readonly file?: string;
  readonly expected?: CaseIdentity;
}

/** Reads one file's text as a baseline of a group. A baseline at the wrong path is a problem like damage. */
function storedCase(text: string, location: CaseLocation): StoredCase {
  const { path, file = displayPath(path) } = location;
  const parsed = parseBaseline(text, file);
  const problem = parsed.ok ? misplacedMessage(parsed.value, location) : undefined;
  return { path, file, text, baseline: problem === undefined ? parsed : err(`Cannot use ${file}: ${problem}`) };
}

/**
 * Returns the reason why a baseline can't be at its path: `find` would not look there, and capture its case a second
 * time.
 */
function misplacedMessage(baseline: Baseline, { group, path, expected }: CaseLocation): string | undefined {
  const own = groupOf(baseline);
  if (own !== group) {
    const todo = `Move it to ${groupDirectory(own)}/ or delete it.`;
    return `it is a baseline of "${own}", in the directory of "${group}". ${todo}`;
  }
  const identity = identityOf(baseline);
  // The identity that made the path fits it: hashing its name again was a seventh of finding a case.
  if (expected !== undefined && sameIdentity(identity, expected)) return undefined;
  // Eight digits are enough for nearly all, and cost a third of the complete test.
  if (path.endsWith(`-${caseHash(identity)}.json`) || matchesCaseFile(identity)(basename(path))) return undefined;
  const [field] = Object.keys(identity);
  const todo = "Restore the file and its name from git, or delete the file and capture the case again.";
  return `its name must end in -${caseHash(identity)}.json to match its "${field}". ${todo}`;
}

/** Empty segments, `.` and `..`: what a shown path does without. */
const DOT_SEGMENT = /(?:^|[\\/])\.{0,2}(?:[\\/]|$)/;

/** A path for people: relative to the working directory if that is shorter, with forward slashes. */
export function displayPath(path: string): string {
  const here = `${process.cwd()}${sep}`;
  const inside = path.startsWith(here) ? path.slice(here.length) : "";
  // Most paths are below the working directory and need no resolving, which took a tenth of the time of a passing
  // check.
  const short = inside === "" || DOT_SEGMENT.test(inside) ? relative(process.cwd(), path) : inside;
  return (short.startsWith("..") ? path : short).split(sep).join("/");
}

/**
 * Shows the files of a directory as `displayPath` does. The way to it is looked at once: that was a fifteenth of
 * reading a case.
 */
function shownIn(directory: string): (name: string) => string {
  const displayed = displayPath(directory);
  const start = displayed === "" || displayed.endsWith("/") ? displayed : `${displayed}/`;
  return (name) => start + (sep === "/" ? name : name.split(sep).join("/"));
}

/** A file that cannot be read stays in the list: only its name shows its case. */
function isOf({ baseline }: StoredCase, identity: CaseIdentity): boolean {
  return !baseline.ok || sameIdentity(identityOf(baseline.value), identity);
}

function sameIdentity(left: CaseIdentity, right: CaseIdentity): boolean {
  if ("name" in left) return "name" in right && left.name === right.name;
  return "inputHash" in right && left.inputHash === right.inputHash;
}
