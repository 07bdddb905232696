import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { isPlainObject } from "../../kernel/json/plain-data.ts";

/**
 * Loads what is wanted of a package as the code of a project beside it does, so that classes are the same ones: from
 * the folder that is nearest to a place, which this package may not see itself (pnpm). Undefined where it is not there.
 */
export async function userPackage<T>(
  name: string,
  from: string,
  isWanted: (value: unknown) => value is T,
): Promise<T | undefined> {
  const require = createRequire(join(from, "package.json"));
  const ways = ["import beside", "import", "require"] as const;
  for (const way of ways) {
    try {
      const place = way === "import beside" ? entryBeside(name, from, require) : name;
      const loaded: unknown = way === "require" ? require(name) : await import(place);
      const found = [loaded, Reflect.get(Object(loaded), "default")].find(isWanted);
      if (found !== undefined) return found;
    } catch {
      // Not there, or not in this way: the next one, and in the end nothing.
    }
  }
  return undefined;
}

/** Where `import` would find it, as a URL; its name where it is nowhere above. */
function entryBeside(name: string, from: string, require: NodeJS.Require): string {
  const [owner = name, ...path] = name.split(/(?<!^@[^/]*)\//);
  const folder = join(from, "node_modules", owner);
  try {
    const manifest: unknown = require(join(folder, "package.json"));
    const entry = isPlainObject(manifest) ? entryOf(manifest, ["."].concat(path).join("/")) : undefined;
    if (entry !== undefined) return pathToFileURL(join(folder, entry)).href;
  } catch {
    // Not in this folder: the one above is asked.
  }
  return dirname(from) === from ? name : entryBeside(name, dirname(from), require);
}

function entryOf({ exports, main }: Record<string, unknown>, path: string): string | undefined {
  if (exports === undefined) return path === "." && typeof main === "string" ? main : undefined;
  // Where there is one entry only, it may stand by itself.
  return imported(isPlainObject(exports) && path in exports ? exports[path] : path === "." && exports);
}

function imported(entry: unknown): string | undefined {
  if (typeof entry === "string") return entry;
  if (!isPlainObject(entry)) return undefined;
  const conditions = ["node", "import", "module-sync", "default"];
  return Object.entries(entry).flatMap(([name, one]) => (conditions.includes(name) ? (imported(one) ?? []) : []))[0];
}
