import { globSync, readFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import type { Chunk } from "../../src/grounding/ingest/document.ts";
import { createMemoryIndex } from "../../src/grounding/retrieve/memory-index.ts";

/** How often the section that a query names is among the best five. */
export interface Recall {
  readonly passages: number;
  readonly queries: number;
  readonly at5: number;
  readonly at1: number;
}

interface Section {
  readonly query: string;
  readonly chunk: Chunk;
}

/**
 * Builds a set from the documentation of installed packages: a passage is the body of a README section without its
 * heading, its query the package's name and that heading. Ranks by words alone, as without an embedder.
 */
export async function measureRecall(): Promise<Recall> {
  const sections = globSync("node_modules/{*,@*/*}/README.md").toSorted().flatMap((path) => sectionsOf(path));
  const index = await createMemoryIndex(sections.map(({ chunk }) => chunk));
  if (!index.ok) throw new Error(index.error.message);
  const asked = sections.filter((_, at) => at % 4 === 0);
  let [first, firstFive] = [0, 0];
  for (const { query, chunk } of asked) {
    const found = await index.value.search(query);
    const rank = found.ok ? found.value.hits.findIndex((hit) => hit.chunk.id === chunk.id) : -1;
    if (rank === 0) first += 1;
    if (rank >= 0) firstFive += 1;
  }
  return { passages: sections.length, queries: asked.length, at5: firstFive / asked.length, at1: first / asked.length };
}

function sectionsOf(path: string): Section[] {
  const name = basename(dirname(path));
  return readFileSync(path, "utf8").split(/^#{2,4}\s+/m).slice(1).flatMap((section, at) => {
    const [heading = "", ...lines] = section.split("\n");
    const text = lines.join("\n").trim();
    // A heading of one word, such as "Usage", names no section of its own; a body of a line has nothing to find.
    if (heading.trim().split(/\s+/).length < 2 || text.length < 200) return [];
    const chunk = { id: `${path}#${at}`, document: path, text: text.slice(0, 2000), start: 0, end: Math.min(2000, text.length), tokens: 0 };
    return [{ query: `${name} ${heading.trim()}`, chunk }];
  });
}
