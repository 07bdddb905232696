import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { isPlainObject } from "../../../kernel/json/plain-data.ts";

/**
 * Loads a package as the code of a project next to it does, so that classes are the same ones: from the folder nearest
 * to a path, which this package may not resolve itself (pnpm). Undefined if it isn't installed.
 */
export async function userPackage<T>(
  name: string,
  from: string,
  isWanted: (value: unknown) => value is T,
): Promise<T | undefined> {
  const require = createRequire(join(from, "package.json"));
  const ways = ["sibling import", "import", "require"] as const;
  for (const way of ways) {
    try {
      const specifier = way === "sibling import" ? siblingEntry(name, from, require) : name;
      const loaded: unknown = way === "require" ? require(name) : await import(specifier);
      const module = [loaded, Reflect.get(Object(loaded), "default")].find(isWanted);
      if (module !== undefined) return module;
    } catch {
      // Not installed, or not loadable this way: try the next one.
    }
  }
  return undefined;
}

/** Returns the URL that `import` would resolve to; the name if no folder above has it. */
function siblingEntry(name: string, from: string, require: NodeJS.Require): string {
  const [owner = name, ...path] = name.split(/(?<!^@[^/]*)\//);
  const folder = join(from, "node_modules", owner);
  try {
    const manifest: unknown = require(join(folder, "package.json"));
    const entry = isPlainObject(manifest) ? entryOf(manifest, ["."].concat(path).join("/")) : undefined;
    if (entry !== undefined) return pathToFileURL(join(folder, entry)).href;
  } catch {
    // Not in this folder: try the one above.
  }
  return dirname(from) === from ? name : siblingEntry(name, dirname(from), require);
}

function entryOf({ exports, main }: Record<string, unknown>, path: string): string | undefined {
  if (exports === undefined) return path === "." && typeof main === "string" ? main : undefined;
  // A package with only one entry may give it without a map.
  return imported(isPlainObject(exports) && path in exports ? exports[path] : path === "." && exports);
}

function imported(entry: unknown): string | undefined {
  if (typeof entry === "string") return entry;
  if (!isPlainObject(entry)) return undefined;
  const conditions = ["node", "import", "module-sync", "default"];
  return Object.entries(entry).flatMap(([name, value]) =>
    conditions.includes(name) ? (imported(value) ?? []) : [],
  )[0];
}
