import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** Where an optional package is, as a URL for `import()`; undefined where it is not installed. */
export function findPackage(name: string): string | undefined {
  // Beside this package first, as import would; then in the project that runs, where a bundle has lost its place.
  for (const base of [import.meta.url, join(process.cwd(), "package.json")]) {
    try {
      return pathToFileURL(createRequire(base).resolve(name)).href;
    } catch {
      // Not there: the next place, and in the end `undefined`, which the caller words.
    }
  }
  return undefined;
}
