import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** Returns the URL of an optional package for `import()`, or undefined if it isn't installed. */
export function findPackage(name: string): string | undefined {
  // Resolve from this package first, as import would. Then from the running project, since a bundle has lost its
  // location.
  for (const base of [import.meta.url, join(process.cwd(), "package.json")]) {
    try {
      return pathToFileURL(createRequire(base).resolve(name)).href;
    } catch {
      // Try the next location. The caller reports `undefined`.
    }
  }
  return undefined;
}
