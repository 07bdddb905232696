import { basename, dirname } from "node:path";
import type { BaselineUpdate } from "../src/baseline/baseline.ts";
import { type DirectoryIndex, GrowingIndex } from "../src/baseline/directory-index.ts";

/** Staged updates that a test can list. */
export class StagedMap extends Map<string, BaselineUpdate> {
  indexesOf(directory: string): readonly DirectoryIndex[] {
    const index = new GrowingIndex();
    for (const path of this.keys()) if (dirname(path) === directory) index.add(basename(path));
    return [index];
  }
}
