import { existsSync, globSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";

const TESTS = ["src/**/*.test.ts", "fixtures/**/*.test.ts", "scripts/**/*.test.ts"];
const IMPORT = /^(?:import|export)\s[^;]*?from\s+["']([^"']+)["']/gm;

/** The test files that generate values: those that import fast-check, or a file that does. Sorted, from the root. */
export function listPropertyTests(): readonly string[] {
  const drawing = new Map<string, boolean>();
  const draws = (file: string): boolean => {
    const known = drawing.get(file);
    if (known !== undefined) return known;
    drawing.set(file, false);
    const imports = existsSync(file)
      ? [...readFileSync(file, "utf8").matchAll(IMPORT)].map(([, path = ""]) => path)
      : [];
    const usesFastCheck = imports.some(
      (path) => path === "fast-check" || (/^\..*\.ts$/.test(path) && draws(posix.join(posix.dirname(file), path))),
    );
    drawing.set(file, usesFastCheck);
    return usesFastCheck;
  };
  return globSync(TESTS, {
    exclude: (path) => path.includes("node_modules") || path.includes(join("fixtures", "projects")),
  })
    .map((file) => file.replaceAll("\\", "/"))
    .filter(draws)
    .sort();
}
