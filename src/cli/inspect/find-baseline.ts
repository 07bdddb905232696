import { basename, resolve } from "node:path";
import { type BaselineFile, baselineFiles } from "../baseline-files.ts";
import { targetName } from "../../files/places.ts";

/** Where names are looked up. */
export interface FindScope {
  /** The project's root. */
  readonly root: string;
  /** Where the command was started. */
  readonly cwd: string;
}

/** A baseline that a name may mean. */
export interface FoundBaseline extends BaselineFile {
  readonly target: string;
}

/**
 * The baselines that a name may mean: a file from where the command was started, a target as receipts write it, the
 * name of a file with or without its ending, or the words or the digits of it. A path or a target means one; the
 * others may mean several.
 */
export function findBaselines(name: string, { root, cwd }: FindScope): readonly FoundBaseline[] {
  const path = resolve(cwd, name);
  const found: FoundBaseline[] = [];
  for (const file of baselineFiles(root)) {
    const target = targetName(root, file.path);
    if (file.path === path || target === name) return [{ ...file, target }];
    if (means(name, basename(file.path, ".json"))) found.push({ ...file, target });
  }
  return found;
}

function means(name: string, label: string): boolean {
  const asked = name.replace(/\.json$/, "");
  const [, words, digits] = /^(.+)-([0-9a-f]{8}|[0-9a-f]{16})$/.exec(label) ?? [];
  return asked === label || asked === words || asked === digits;
}
