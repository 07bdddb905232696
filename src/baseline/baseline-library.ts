import { basename, join, relative, sep } from "node:path";
import { type Result, err } from "../kernel/result.ts";
import { type Baseline, type CaseIdentity, type BaselineUpdate, groupOf, identityOf } from "./baseline.ts";
import {
  caseFileName,
  matchesCaseFile,
  caseHash,
  casePath,
  groupDirectory,
  isBaselineFileName,
} from "./baseline-paths.ts";
import { parseBaseline } from "./parse-baseline.ts";
import { listNames, readText } from "../kernel/files/read.ts";

/** A baseline file as it is now: its raw text, and what it reads as or why it cannot be read. */
export interface StoredCase {
  readonly path: string;
  /** The path for people, relative to the working directory, with forward slashes. */
  readonly file: string;
  readonly text: string;
  readonly baseline: Result<Baseline, string>;
}

/** Path of one case, stored or new. */
export interface CaseLookup {
  /** Where to write the case when it is captured. */
  readonly path: string;
  readonly stored: StoredCase | undefined;
}

/** The files of a group's baselines, found and read one by one. */
export interface GroupFiles {
  /** In order; those that are wanted, or all. */
  readonly names: (wanted?: (name: string) => boolean) => readonly string[];
  /** Undefined where there is no such file any more. */
  readonly read: (name: string) => StoredCase | undefined;
}

/** The baselines beside a test file, with what the running test staged laid over them. */
export interface BaselineLibrary {
  readonly root: string;
  /** Every baseline of a group, by file name. */
  all(group: string): readonly StoredCase[];
  /**
   * The same one after another: each file is read when it is asked for, so that memory does not grow with their number.
   */
  each(group: string): Iterable<StoredCase>;
  /** The names of their files, in order, and a way to read one of them. */
  files(group: string): GroupFiles;
  /** The baseline of one case, whatever label it was captured under; `label` names a new file. */
  find(group: string, identity: CaseIdentity, label: string): CaseLookup;
}

/** Opens the baselines under `root`. `staged` are the running test's own proposals, which it must see like files. */
export function openLibrary(root: string, staged: ReadonlyMap<string, BaselineUpdate>): BaselineLibrary {
  const textOf = (path: string): string | undefined => {
    const update = staged.get(path);
    return update === undefined ? readText(path) : update.after;
  };
  const read = (place: CaseLocation): StoredCase | undefined => {
    const text = textOf(place.path);
    return text === undefined ? undefined : storedCase(text, place);
  };
  // Filtered before it is sorted: a file may stage thousands of cases, and each new one asks here for the few that
  // may be its own.
  const names = (directory: string, wanted: (name: string) => boolean = () => true): readonly string[] => {
    const fits = (name: string): boolean => isBaselineFileName(name) && wanted(name);
    const listed = listNames(directory).filter(fits);
    const start = directory + sep;
    const added = [...staged.keys()].filter((path) => path.startsWith(start) && fits(path.slice(start.length)));
    // What is listed is in order.
    return added.length === 0
      ? listed
      : [...new Set([...listed, ...added.map((path) => path.slice(start.length))])].toSorted();
  };
  const directoryOf = (group: string): string => join(root, groupDirectory(group));
  const files = (group: string): GroupFiles => {
    const directory = directoryOf(group);
    const shown = shownIn(directory);
    return {
      names: (wanted) => names(directory, wanted),
      read: (name) => read({ group, path: `${directory}${sep}${name}`, file: shown(name) }),
    };
  };
  const each = function* (group: string): Generator<StoredCase, void> {
    const found = files(group);
    for (const name of found.names()) {
      const stored = found.read(name);
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
      const others = names(directoryOf(group), matchesCaseFile(identity));
      const found = others
        .map((name) => read({ group, path: join(directoryOf(group), name) }))
        .find((stored) => stored !== undefined && isOf(stored, identity));
      if (found !== undefined) return { path: found.path, stored: found };
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
function storedCase(text: string, place: CaseLocation): StoredCase {
  const { path, file = displayPath(path) } = place;
  const parsed = parseBaseline(text, file);
  const problem = parsed.ok ? misplacedMessage(parsed.value, place) : undefined;
  return { path, file, text, baseline: problem === undefined ? parsed : err(`Cannot use ${file}: ${problem}`) };
}

/**
 * Returns the reason why a baseline can't be at its path: `find` would miss it there and capture its case a second
 * time.
 */
function misplacedMessage(baseline: Baseline, { group, path, expected }: CaseLocation): string | undefined {
  const own = groupOf(baseline);
  if (own !== group) {
    const todo = `Move it to ${groupDirectory(own)}/ or delete it.`;
    return `it is a baseline of "${own}", found among those of "${group}". ${todo}`;
  }
  const identity = identityOf(baseline);
  // The identity that made the path fits it: hashing its name again was a seventh of finding a case.
  if (expected !== undefined && sameIdentity(identity, expected)) return undefined;
  // Eight digits are enough for nearly all, and cost a third of the whole test.
  if (path.endsWith(`-${caseHash(identity)}.json`) || matchesCaseFile(identity)(basename(path))) return undefined;
  const [field] = Object.keys(identity);
  const todo = "Restore both from git, or delete it and capture it again.";
  return `its name must end in -${caseHash(identity)}.json to fit its "${field}". ${todo}`;
}

/** Empty segments, `.` and `..`: what a shown path does without. */
const UNTIDY = /(?:^|[\\/])\.{0,2}(?:[\\/]|$)/;

/** A path for people: relative to the working directory where that is shorter, with forward slashes. */
export function displayPath(path: string): string {
  const here = `${process.cwd()}${sep}`;
  const inside = path.startsWith(here) ? path.slice(here.length) : "";
  // A tidy path below the working directory, as nearly all are, needs no resolving: that was a tenth of a passing
  // check.
  const short = inside === "" || UNTIDY.test(inside) ? relative(process.cwd(), path) : inside;
  return (short.startsWith("..") ? path : short).split(sep).join("/");
}

/**
 * Shows the files of a directory as `displayPath` does. The way to it is looked at once: that was a fifteenth of
 * reading a case.
 */
function shownIn(directory: string): (name: string) => string {
  const shown = displayPath(directory);
  const start = shown === "" || shown.endsWith("/") ? shown : `${shown}/`;
  return (name) => start + (sep === "/" ? name : name.split(sep).join("/"));
}

/** A file that cannot be read keeps its place: what it is of can only be told by its name. */
function isOf({ baseline }: StoredCase, identity: CaseIdentity): boolean {
  return !baseline.ok || sameIdentity(identityOf(baseline.value), identity);
}

function sameIdentity(left: CaseIdentity, right: CaseIdentity): boolean {
  if ("name" in left) return "name" in right && left.name === right.name;
  return "inputHash" in right && left.inputHash === right.inputHash;
}
