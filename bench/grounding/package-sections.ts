import { globSync, readFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import type { Chunk } from "../../src/extras/grounding/ingest/document.ts";

/** A passage of some package's documentation, and the query that asks for it. */
export interface PackageSection {
  readonly query: string;
  readonly chunk: Chunk;
}

/** Characters of a section that are searched. */
const MAX_TEXT = 2000;

/**
 * The sections of the READMEs of installed packages: a passage is a section's body without its heading, its query the
 * package's name and that heading.
 */
export function packageSections(): PackageSection[] {
  return globSync("node_modules/{*,@*/*}/README.md")
    .toSorted()
    .flatMap((path) => sectionsOf(path));
}

function sectionsOf(path: string): PackageSection[] {
  const name = basename(dirname(path));
  return readFileSync(path, "utf8")
    .split(/^#{2,4}\s+/m)
    .slice(1)
    .flatMap((section, at) => {
      const [heading = "", ...lines] = section.split("\n");
      const text = lines.join("\n").trim().slice(0, MAX_TEXT);
      // A heading of one word, such as "Usage", names no section of its own; a body of a line has nothing to find.
      if (heading.trim().split(/\s+/).length < 2 || text.length < 200) return [];
      return [
        {
          query: `${name} ${heading.trim()}`,
          chunk: { id: `${path}#${at}`, document: path, text, start: 0, end: text.length, tokens: 0 },
        },
      ];
    });
}
