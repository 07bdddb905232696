import { createRequire } from "node:module";
import { join } from "node:path";

/** SDKs that fetch by `node-fetch` in their older versions: openai 4, and Anthropic's of that time. */
const SDKS = ["openai", "@anthropic-ai/sdk"] as const;

/**
 * Has older SDKs of OpenAI and Anthropic use the global `fetch`, by the module that they have for it: requests by
 * `node-fetch` aren't recorded. Newer versions don't have the module, and use the global `fetch`. Call it before a
 * client's module is loaded.
 */
export function useFetchInOlderSdks(root: string = process.cwd()): void {
  const { resolve } = createRequire(join(root, "package.json"));
  for (const sdk of SDKS) {
    const path = attempt(() => resolve(`${sdk}/shims/web`))?.replace(/\.m?js$/, "");
    // A program may load either of the two, or both. From there, because Node warns of `require` of an ES module
    // outside of node_modules.
    for (const extension of path === undefined ? [] : [".mjs", ".js"])
      attempt(() => void createRequire(`${path}.js`)(`${path}${extension}`));
  }
}

/** Returns undefined for a module that isn't there, or that comes too late: its SDK was loaded before. */
function attempt<T>(load: () => T): T | undefined {
  try {
    return load();
  } catch {
    return undefined;
  }
}
