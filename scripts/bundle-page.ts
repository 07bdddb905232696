import { buildSync } from "esbuild";

/**
 * The script of a report's page as one text: the module and all that it imports, because the page can't load modules.
 * Builds and tests replace `import script from "./main.ts?page"` by it.
 */
export function bundlePage(path: string): string {
  const { outputFiles } = buildSync({
    entryPoints: [path],
    bundle: true,
    write: false,
    format: "iife",
    platform: "browser",
    target: "es2024",
    minify: true,
    legalComments: "inline",
    logLevel: "error",
  });
  return outputFiles.map(({ text }) => text).join("");
}
