import { readText } from "../../files/read.ts";
import { targetName } from "../../files/places.ts";
import { type BaselineFile, baselineFiles } from "../baseline-files.ts";
import { damageOf } from "./damage-of.ts";

/** A baseline that cannot be used as it is. */
export interface DamagedBaseline extends BaselineFile {
  /** Relative to the project's root, with forward slashes. */
  readonly target: string;
  readonly text: string;
  /** One sentence. */
  readonly problem: string;
}

/** The damaged baselines below a project's root, and how many there are in all. */
export function findDamaged(root: string): { readonly damaged: readonly DamagedBaseline[]; readonly count: number } {
  const damaged: DamagedBaseline[] = [];
  let count = 0;
  for (const file of baselineFiles(root)) {
    count += 1;
    const text = readText(file.path);
    const target = targetName(root, file.path);
    const problem = text === undefined ? undefined : damageOf(text, file.path, target);
    if (text !== undefined && problem !== undefined) damaged.push({ ...file, target, text, problem });
  }
  return { damaged, count };
}
