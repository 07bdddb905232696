import { createServer } from "node:http";
import axe from "axe-core";
import { type Page, chromium } from "playwright-core";
import { z } from "zod";
import { findBrowser } from "../../test-support/find-browser.ts";
import type { SiteFiles } from "./check-site.ts";

const TYPES: ReadonlyMap<string, string> = new Map([
  ["css", "text/css"],
  ["html", "text/html"],
  ["js", "text/javascript"],
  ["svg", "image/svg+xml"],
]);
const violations = z.array(z.object({ id: z.string(), nodes: z.array(z.object({ html: z.string() })) }));

/** Returns what axe finds on pages, in light and dark, a line each. Without a Chromium it checks none and prints that. */
export async function inaccessiblePages(files: SiteFiles, pages: readonly string[]): Promise<readonly string[]> {
  const executablePath = findBrowser();
  if (executablePath === undefined) {
    process.stdout.write("axe wasn't run: no Chromium on the PATH or in CHROMIUM_PATH.\n");
    return [];
  }
  const server = createServer(({ url = "/" }, response) => {
    const path = decodeURI(url.slice(1));
    const type = TYPES.get(path.split(".").at(-1) ?? "") ?? "application/octet-stream";
    response.writeHead(files.has(path) ? 200 : 404, { "content-type": type }).end(files.get(path));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  const problems: string[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    const page = await browser.newPage({ colorScheme });
    for (const path of pages) {
      await page.goto(`http://127.0.0.1:${String(port)}/${path}`, { waitUntil: "networkidle" });
      problems.push(...(await violationsOf(page)).map((problem) => `${path} (${colorScheme}): ${problem}`));
    }
  }
  await browser.close();
  server.close();
  return problems;
}

async function violationsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const found: unknown = await page.evaluate("axe.run().then(({ violations }) => violations)");
  return violations.parse(found).map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ""}`);
}
