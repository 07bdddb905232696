import { posix } from "node:path";

/** A page of the site: its path below the site's root, with `.md`, and its Markdown. */
export interface SitePage {
  readonly path: string;
  readonly text: string;
}

/** A section of the sidebar, as VitePress takes it. */
export interface SidebarSection {
  readonly text: string;
  readonly items: readonly { readonly text: string; readonly link: string }[];
}

const WORDS = "((?:`[^`]*`|[^\\][`]|\\[[^\\]]*\\])*)";
/** A link: its mark, words and target. */
const LINK = new RegExp(`(!?)\\[${WORDS}\\]\\(([^)\\s]+)\\)`, "g");
/** A block of code, a piece of code, or a link. */
const CODE_OR_LINK = new RegExp(`^ *\`\`\`[^]*?^ *\`\`\`$|\`[^\`]+\`|${LINK.source}`, "gm");

/** Returns the path of a page of docs/ on the site: a README is the index of its directory. */
export function sitePath(path: string): string {
  return path.replace(/(^|\/)README\.md$/, "$1index.md");
}

/**
 * Converts a page of docs/ for the site. Links to files that the site doesn't have, such as sources, become plain text;
 * `hasFile` tells which paths below docs/ it has.
 */
export function toSitePage(page: SitePage, hasFile: (path: string) => boolean): SitePage {
  const text = page.text
    .replaceAll(/^<!--.*-->\n+/gm, "")
    .replaceAll(CODE_OR_LINK, (match, mark: string | undefined, words: string, target: string) =>
      mark === undefined || /^(?:[a-z]+:|#)/.test(target)
        ? match
        : siteLink({ mark, words, target, from: page.path }, hasFile),
    );
  return { path: sitePath(page.path), text };
}

interface PageLink {
  readonly mark: string;
  readonly words: string;
  readonly target: string;
  readonly from: string;
}

function siteLink({ mark, words, target, from }: PageLink, hasFile: (path: string) => boolean): string {
  const [path = "", anchor] = target.split("#");
  const file = posix.join(posix.dirname(from), path);
  if (file.startsWith("../") || !hasFile(file)) return words;
  const relative = posix.relative(posix.dirname(from), sitePath(file));
  const prefix = relative.startsWith(".") ? "" : "./";
  return `${mark}[${words}](${prefix}${relative}${anchor === undefined ? "" : `#${anchor}`})`;
}

/** Makes the sidebar of the tables of links on the index page: a section for each heading. */
export function sidebarOf(index: string): readonly SidebarSection[] {
  return index
    .split(/^## /m)
    .slice(1)
    .map((section) => ({
      text: section.split("\n")[0] ?? "",
      items: [...section.matchAll(LINK)]
        .map(([, , text = "", target = ""]) => ({ text, path: sitePath(target) }))
        .filter(({ path }) => path.endsWith(".md"))
        .map(({ text, path }) => ({ text, link: `/${path.replace(/(?:index)?\.md$/, "")}` })),
    }));
}
