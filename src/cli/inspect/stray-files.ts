import { readdirSync } from "node:fs";
import { join } from "node:path";
import { targetName } from "../../files/places.ts";
import { baselineRoots } from "../baseline-files.ts";
import type { Finding } from "./finding.ts";

const ADVICE = "Move it out, or delete it";

/** What lies among the baselines where no baseline is looked for. Names that begin with a dot are left alone. */
export function* strayFiles(root: string): Generator<Finding, void, undefined> {
  for (const baselines of baselineRoots(root)) {
    for (const entry of entriesOf(baselines)) {
      const path = join(baselines, entry.name);
      if (!entry.isDirectory())
        yield stray(
          root,
          path,
          entry.isSymbolicLink() ? "it is a link, which no run follows" : "it lies beside the directories of steps",
        );
      else yield* strayInGroup(root, path);
    }
  }
}

function* strayInGroup(root: string, directory: string): Generator<Finding, void, undefined> {
  for (const entry of entriesOf(directory)) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) yield stray(root, path, "no run looks so deep");
    else if (!entry.isFile()) yield stray(root, path, "it is a link, which no run follows");
    else if (!entry.name.endsWith(".json")) yield stray(root, path, "its name does not end in .json");
  }
}

function entriesOf(directory: string): Entry[] {
  return readdirSync(directory, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith("."))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** What a directory's listing says of one name. */
interface Entry {
  readonly name: string;
  isDirectory(): boolean;
  isFile(): boolean;
  isSymbolicLink(): boolean;
}

function stray(root: string, path: string, because: string): Finding {
  return { kind: "stray", file: targetName(root, path), message: `no baseline: ${because}. ${ADVICE}` };
}
