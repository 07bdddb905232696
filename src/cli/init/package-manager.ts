import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** A package manager, and how it is told things. */
export interface PackageManager {
  readonly name: "npm" | "pnpm" | "yarn" | "bun";
  /** Adds packages for development. */
  readonly add: readonly string[];
  /** Runs a program of an installed package. */
  readonly exec: string;
}

const MANAGERS: readonly PackageManager[] = [
  { name: "npm", add: ["npm", "install", "--save-dev"], exec: "npx" },
  { name: "pnpm", add: ["pnpm", "add", "--save-dev"], exec: "pnpm exec" },
  { name: "yarn", add: ["yarn", "add", "--dev"], exec: "yarn" },
  { name: "bun", add: ["bun", "add", "--dev"], exec: "bunx" },
];

const LOCK_FILES: readonly (readonly [file: string, name: PackageManager["name"]])[] = [
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
  ["package-lock.json", "npm"],
  ["npm-shrinkwrap.json", "npm"],
];

/** What tells the package manager of a project. */
export interface ManagerSigns {
  readonly root: string;
  /** The top of the git work tree, or the root: lock files of a whole repository lie there. */
  readonly area: string;
  /** The field `packageManager` of package.json. */
  readonly field: unknown;
  readonly environment: NodeJS.ProcessEnv;
}

/**
 * The package manager of a project: what package.json says, else the nearest lock file, else what started this process.
 */
export function packageManager({ root, area, field, environment }: ManagerSigns): PackageManager {
  const named = typeof field === "string" ? managerOf(field.split("@")[0]) : undefined;
  const [npm] = MANAGERS;
  const found = named ?? lockedBy(root, area) ?? managerOf(environment["npm_config_user_agent"]?.split("/")[0]) ?? npm;
  if (found === undefined) throw new Error("there is no package manager to fall back to");
  return found;
}

function lockedBy(root: string, area: string): PackageManager | undefined {
  for (let folder = root; ; folder = dirname(folder)) {
    const lock = LOCK_FILES.find(([file]) => existsSync(join(folder, file)));
    if (lock !== undefined) return managerOf(lock[1]);
    if (folder === area || folder === dirname(folder)) return undefined;
  }
}

function managerOf(name: string | undefined): PackageManager | undefined {
  return MANAGERS.find((manager) => manager.name === name);
}
