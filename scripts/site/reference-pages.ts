import { posix } from "node:path";
import { headingSlugs } from "./heading-slugs.ts";
import { type Entry, entryPage } from "./list-entries.ts";
import type { SitePage } from "./site-page.ts";

/**
 * Converts TypeDoc's pages to those of the site: each has the import path of its entry as its title and its own file name,
 * and links to both. `readRaw` returns TypeDoc's page of a source file.
 */
export function referencePages(entries: readonly Entry[], readRaw: (entry: Entry) => string): readonly SitePage[] {
  const nameOf = new Map(entries.map((entry) => [rawPage(entry), entryPage(entry)]));
  const pages = entries.map((entry) => ({
    path: entryPage(entry),
    text: readRaw(entry).replace(/^# .*$/m, `# ${entry.name}`),
  }));
  const slugs = new Map(pages.map(({ path, text }) => [path, headingSlugs(text)]));
  return pages.map(({ path, text }) => ({
    path: posix.join("api", path),
    text: text.replaceAll(/\]\(([\w-]*(?:\.md)?)#([\w-]+)\)/g, (_link, file: string, anchor: string) => {
      const target = file === "" ? path : (nameOf.get(file) ?? file);
      return `](${file === "" ? "" : `./${target}`}#${existingSlug(anchor, slugs.get(target))})`;
    }),
  }));
}

/** Returns the name of TypeDoc's page of an entry. */
export function rawPage({ source }: Entry): string {
  return source.replace(/^src\/(.*)\.ts$/, "$1.md");
}

/** TypeDoc counts some headings twice that the page has once. */
function existingSlug(anchor: string, slugs: ReadonlySet<string> | undefined): string {
  const [plain = anchor] = anchor.split(/-\d+$/);
  return slugs?.has(anchor) === true || slugs?.has(plain) !== true ? anchor : plain;
}
