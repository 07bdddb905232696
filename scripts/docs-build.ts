/**
 * Builds the documentation site into site/dist, `npm run docs:build`: the pages of docs/, an API reference of each entry,
 * search, llms.txt and llms-full.txt. It fails on a broken link and on a page that's too heavy. The first build installs
 * the packages of site/; later ones need no network.
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import manifest from "../package.json" with { type: "json" };
import { inaccessiblePages } from "./site/check-access.ts";
import { brokenLinks, heavyPages } from "./site/check-site.ts";
import { type Entry, entryPage, listEntries } from "./site/list-entries.ts";
import { rawPage, referencePages } from "./site/reference-pages.ts";
import { renderLlms, renderLlmsFull } from "./site/render-llms.ts";
import { type SitePage, sidebarOf, toSitePage } from "./site/site-page.ts";
import { REPOSITORY } from "./trial/repository.ts";

const SITE = join(REPOSITORY, "site");
const PAGES = join(SITE, "pages");
const DIST = join(SITE, "dist");
const DOCS = join(REPOSITORY, "docs");
/** Pages whose accessibility is checked: one of each kind. */
const SAMPLES = ["index.html", "getting-started.html", "matchers.html", "reports.html", "api/fetch.html"];

function run(program: string, args: readonly string[]): void {
  const { status } = spawnSync(program, args, { cwd: SITE, stdio: "inherit", shell: process.platform === "win32" });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} failed.`);
}

const tool = (name: string, args: readonly string[]): void =>
  run(process.execPath, [join("node_modules", name), ...args]);

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function readDocs(): readonly SitePage[] {
  const paths = globSync("**/*.md", { cwd: DOCS })
    .map((path) => path.replaceAll("\\", "/"))
    .toSorted();
  const read = paths.map((path) => ({ path, text: readFileSync(join(DOCS, path), "utf8") }));
  return read.map((page) => toSitePage(page, (path) => existsSync(join(DOCS, path)) && /\.\w+$/.test(path)));
}

/** Writes a page for each entry. */
function writeReference(entries: readonly Entry[]): void {
  const raw = join(SITE, "api");
  const sources = entries.flatMap(({ source }) => ["--entryPoints", join(REPOSITORY, source)]);
  const plugin = ["--plugin", "typedoc-plugin-markdown", "--outputFileStrategy", "modules", "--readme", "none"];
  const style = ["--hideBreadcrumbs", "--hidePageHeader", "--disableSources", "--excludeInternal", "--excludePrivate"];
  const base = ["--tsconfig", join(REPOSITORY, "tsconfig.json"), "--basePath", join(REPOSITORY, "src"), "--out", raw];
  tool("typedoc/bin/typedoc", [...base, "--skipErrorChecking", "--logLevel", "Error", ...plugin, ...style, ...sources]);
  for (const { path, text } of referencePages(entries, (entry) => readFileSync(join(raw, rawPage(entry)), "utf8")))
    write(join(PAGES, path), text);
}

function readSite(): ReadonlyMap<string, Buffer> {
  const paths = globSync("**/*.{html,js,css,woff2,md,txt,png,svg}", { cwd: DIST });
  return new Map(paths.map((path) => [path.replaceAll("\\", "/"), readFileSync(join(DIST, path))]));
}

if (!existsSync(join(SITE, "node_modules"))) run("npm", ["ci", "--no-audit", "--no-fund"]);
for (const directory of [PAGES, DIST]) rmSync(directory, { recursive: true, force: true });
const pages = readDocs();
for (const { path, text } of pages) write(join(PAGES, path), text);
cpSync(join(DOCS, "images"), join(PAGES, "images"), { recursive: true });
const entries = listEntries(manifest);
writeReference(entries);
const reference = {
  text: "API",
  items: entries.map((entry) => ({
    text: entry.name,
    link: `/api/${entryPage(entry).replace(/(?:index)?\.md$/, "")}`,
  })),
};
const index = readFileSync(join(DOCS, "README.md"), "utf8");
write(join(PAGES, "sidebar.json"), JSON.stringify([...sidebarOf(index), reference]));
tool("vitepress/bin/vitepress.js", ["build"]);
for (const { path, text } of pages) write(join(DIST, path), text);
const guide = pages.filter(({ path }) => !path.startsWith("decisions/"));
write(join(DIST, "llms.txt"), renderLlms(manifest.description, guide));
write(join(DIST, "llms-full.txt"), renderLlmsFull(guide));
const site = readSite();
const problems = [...brokenLinks(site), ...heavyPages(site), ...(await inaccessiblePages(site, SAMPLES))];
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.stdout.write(`docs:build: ${String(site.size)} files in site/dist, ${String(problems.length)} problems\n`);
process.exitCode = problems.length > 0 ? 1 : 0;
