import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { isPlainObject } from "../../base/plain-data.ts";
import type { Project } from "./detect-project.ts";

/** What to type next: what is missing first, then the three commands of every day. */
export function nextLines(project: Project, missing: readonly string[]): string[] {
  const { manager, runner } = project;
  const run = runner === "vitest" ? `${manager.exec} vitest run` : `${moduleFlag(project)}${manager.exec} jest`;
  const commands: readonly (readonly [string, string])[] = [
    ...(missing.length === 0
      ? []
      : ([[[...manager.add, ...missing].join(" "), "what is not in package.json yet"]] as const)),
    [run, "captures what has no baseline yet: read it and commit it. With CI=1 it only compares"],
    [`${manager.exec} veritest diff`, "after a change: what it does to each baseline, and why"],
    [`${manager.exec} veritest review`, "shows each change that waits, to accept or to reject"],
  ];
  const width = Math.max(...commands.map(([command]) => command.length));
  return ["Next:", ...commands.map(([command, what]) => `  ${command.padEnd(width)}   ${what}`)];
}

/** Jest loads ES modules as such only with a flag of Node, unless something transforms them. */
function moduleFlag(project: Project): string {
  const { root, esm, typescript, manifest } = project;
  const scripts = isPlainObject(manifest["scripts"]) ? Object.values(manifest["scripts"]).join(" ") : "";
  const transformed =
    typescript ||
    readdirSync(root).some((name) => /^(?:babel\.config\.|\.babelrc)/.test(name)) ||
    Object.hasOwn(manifest, "babel") ||
    mentionsTransform(project);
  return esm && !transformed && !scripts.includes("--experimental-vm-modules")
    ? "NODE_OPTIONS=--experimental-vm-modules "
    : "";
}

function mentionsTransform({ root, configFile }: Project): boolean {
  return (
    configFile !== undefined &&
    existsSync(join(root, configFile)) &&
    /\btransform\b/.test(readFileSync(join(root, configFile), "utf8"))
  );
}
