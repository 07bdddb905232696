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
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [least = 0, leastMinor = 0] = oldest.split(".").map(Number);
  if (major < least || (major === least && minor < leastMinor))
    throw new Error(`veritest needs ${name} ${oldest} or newer; this is ${version}. ${fix}`);
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
