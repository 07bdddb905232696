import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { isPlainObject, parsedJson } from "../json/plain-data.ts";

/**
 * Throws if a project has a version of a package before `oldest`, with `fix` as the last sentence. A package that can't
 * be resolved from `root` is left to the code that uses it.
 */
export function requirePackage(
  name: string,
  oldest: string,
  { root, fix = `Update it: npm install --save-dev ${name}@latest` }: { readonly root: string; readonly fix?: string },
): void {
  const version = installedVersion(name, root);
  if (version === undefined) return;
  if (isOlder(version, oldest))
    throw new Error(`veritest needs ${name} ${oldest} or newer; this is ${version}. ${fix}`);
}

/**
 * Throws if the zod that veritest resolves is older than its peer dependency in package.json: without the paths that
 * later ones have, an import fails with an error of Node's. `root` is the directory of the calling file.
 */
export function requireZod(root: string): void {
  requirePackage("zod", "3.25.76", { root, fix: "Update it: npm install zod@latest" });
}

function isOlder(version: string, oldest: string): boolean {
  const parts = version
    .replace(/[-+].*$/, "")
    .split(".")
    .map(Number);
  for (const [index, least] of oldest.split(".").map(Number).entries()) {
    const part = parts[index] ?? 0;
    if (part !== least) return part < least;
  }
  return false;
}

/** Returns the version of a package that a project resolves; undefined if it resolves none. */
export function installedVersion(name: string, root: string): string | undefined {
  try {
    const path = createRequire(join(root, "package.json")).resolve(`${name}/package.json`);
    const manifest = parsedJson(readFileSync(path, "utf8"));
    const version = isPlainObject(manifest) ? manifest["version"] : undefined;
    return typeof version === "string" ? version : undefined;
  } catch {
    return undefined;
  }
}
