import { gzipSync } from "node:zlib";
import { posix } from "node:path";

/** A file of the built site, by its path below the site's root. */
export type SiteFiles = ReadonlyMap<string, Buffer>;

/** Limits of a page: bytes of its HTML, and gzipped bytes of everything that it loads at first. */
const MAX_HTML = 600_000;
const MAX_LOADED = 400_000;

/** Returns the links of the built pages to files or headings that don't exist, a line each. */
export function brokenLinks(files: SiteFiles): readonly string[] {
  const pages = [...files].filter(([path]) => path.endsWith(".html"));
  const idsOf = new Map(pages.map(([path, html]) => [path, readIds(html.toString("utf8"))]));
  return pages.flatMap(([path, html]) =>
    hrefsOf(html.toString("utf8")).flatMap((href) => {
      const [target = "", anchor] = href.split("#");
      const file = fileOf(path, decodeURI(target), files);
      if (file === undefined) return [`${path}: ${href}`];
      const isMissing = anchor !== undefined && anchor !== "" && file.endsWith(".html");
      return isMissing && idsOf.get(file)?.has(decodeURIComponent(anchor)) !== true ? [`${path}: ${href}`] : [];
    }),
  );
}

/** Returns the pages that exceed the budget, a line each. */
export function heavyPages(files: SiteFiles): readonly string[] {
  return [...files].flatMap(([path, content]) => {
    if (!path.endsWith(".html")) return [];
    const html = content.toString("utf8");
    const assets = hrefsOf(html, /(?:href|src)="([^"]+\.(?:js|css|woff2))"/g);
    const loaded = assets.flatMap((asset) => files.get(fileOf(path, asset, files) ?? "") ?? []);
    const bytes = [content, ...loaded].reduce((sum, file) => sum + gzipSync(file).length, 0);
    return content.length > MAX_HTML || bytes > MAX_LOADED
      ? [`${path}: ${String(content.length)} bytes of HTML, ${String(bytes)} gzipped with all that it loads`]
      : [];
  });
}

function readIds(html: string): ReadonlySet<string> {
  return new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id = ""]) => id));
}

/** Returns the links of a page that stay on the site. */
function hrefsOf(html: string, pattern: RegExp = /<a\s[^>]*?href="([^"]+)"/g): readonly string[] {
  return [...html.matchAll(pattern)]
    .map(([, href = ""]) => href.replaceAll("&amp;", "&"))
    .filter((href) => !/^(?:[a-z]+:|\/\/)/.test(href));
}

function fileOf(page: string, target: string, files: SiteFiles): string | undefined {
  if (target === "") return page;
  const path = target.startsWith("/") ? target.slice(1) : posix.join(posix.dirname(page), target);
  const names = [path, `${path}.html`, posix.join(path, "index.html")];
  return names.map((name) => name.replace(/^\//, "")).find((name) => files.has(name));
}
