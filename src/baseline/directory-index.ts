import { statSync } from "node:fs";
import { listNames } from "../kernel/files/read.ts";
import { isBaselineFileName, isRedactedName } from "./baseline-paths.ts";

/** Names of the baselines in a directory, in order, and those that a search for a case needs. */
export interface DirectoryIndex {
  readonly names: readonly string[];
  /** Names of the baselines, by the first eight digits of the hash in the name. */
  readonly byHash: ReadonlyMap<string, readonly string[]>;
  /** Names of the files whose stored input hides more secrets than the input alone reveals. */
  readonly redacted: readonly string[];
}

interface Listed {
  readonly index: DirectoryIndex;
  /** Inode and times of the directory when it was listed. */
  readonly state: string;
}

/** Directories that are remembered: a test file has a few, a project has thousands. */
const MAX_DIRECTORIES = 8;
/** Age in milliseconds from which a change of a directory has another time: file systems count up to two seconds. */
const MIN_AGE = 2000;

const listed = new Map<string, Listed>();

/**
 * Returns the names of the baselines in a directory, which is listed again only if it changed. Listing 20,000 files for
 * each new case took ten times as long as capturing it.
 */
export function directoryIndex(directory: string): DirectoryIndex {
  const stat = statSync(directory, { throwIfNoEntry: false });
  const state = stat === undefined ? "" : `${stat.ino} ${stat.mtimeMs} ${stat.ctimeMs}`;
  const known = listed.get(directory);
  if (known !== undefined && known.state === state) return known.index;
  const index = new GrowingIndex(listNames(directory).filter(isBaselineFileName));
  listed.delete(directory);
  if (stat === undefined || Date.now() - stat.mtimeMs < MIN_AGE) return index;
  const [oldest = ""] = listed.size < MAX_DIRECTORIES ? [] : listed.keys();
  listed.delete(oldest);
  listed.set(directory, { index, state });
  return index;
}

/** Index that names are added to, in the order of adding. Names are sorted by hash when a search needs it. */
export class GrowingIndex implements DirectoryIndex {
  readonly names: string[];
  readonly #byHash = new Map<string, string[]>();
  readonly #redacted: string[] = [];
  /** Number of names that are sorted. */
  #sorted = 0;

  constructor(names: string[] = []) {
    this.names = names;
  }

  get byHash(): ReadonlyMap<string, readonly string[]> {
    this.#sort();
    return this.#byHash;
  }

  get redacted(): readonly string[] {
    this.#sort();
    return this.#redacted;
  }

  add(name: string): void {
    this.names.push(name);
  }

  #sort(): void {
    for (; this.#sorted < this.names.length; this.#sorted += 1) {
      const name = this.names[this.#sorted] ?? "";
      const hash = /-([0-9a-f]{8})(?:[0-9a-f]{8})?\.json$/.exec(name)?.[1] ?? "";
      const alike = this.#byHash.get(hash);
      if (alike === undefined) this.#byHash.set(hash, [name]);
      else alike.push(name);
      if (isRedactedName(name)) this.#redacted.push(name);
    }
  }
}
