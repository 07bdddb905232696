import { readVariable } from "../../kernel/environment.ts";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import { detect } from "package-manager-detector/detect";
import { isPlainObject } from "../../kernel/json/plain-data.ts";
import { type Result, err, ok } from "../../kernel/result.ts";
import { messageOf } from "../../kernel/error-message.ts";
import { sourceFiles } from "../../kernel/files/source-files.ts";
import { type ProjectPaths, targetName } from "../../kernel/files/project-paths.ts";
import { type DetectedClients, detectClients } from "./detect-clients.ts";

/** A package manager and its commands. */
export interface PackageManager {
  readonly name: "npm" | "pnpm" | "yarn" | "bun";
  /** Adds packages for development. */
  readonly add: readonly string[];
  /** Runs a program of an installed package. */
  readonly exec: string;
}

const NPM: PackageManager = { name: "npm", add: ["npm", "install", "--save-dev"], exec: "npx" };
const MANAGERS: readonly PackageManager[] = [
  NPM,
  { name: "pnpm", add: ["pnpm", "add", "--save-dev"], exec: "pnpm exec" },
  { name: "yarn", add: ["yarn", "add", "--dev"], exec: "yarn" },
  { name: "bun", add: ["bun", "add", "--dev"], exec: "bunx" },
];

/** A runner that `init` sets up. */
export type RunnerName = "vitest" | "jest";

/** Facts about a project that its set-up needs. */
export interface DetectedProject {
  readonly root: string;
  readonly runner: RunnerName;
  /**
   * Path of the runner's configuration file from the root, with forward slashes; undefined if there isn't one. It's
   * above the root if a workspace runs the tests of all its packages by one.
   */
  readonly configFile: string | undefined;
  /** package.json, parsed. */
  readonly manifest: Readonly<Record<string, unknown>>;
  readonly manager: PackageManager;
  /** True if Node treats `.js` files as ES modules. */
  readonly esm: boolean;
  /** True if tests may be written in TypeScript. */
  readonly typescript: boolean;
  /** True if Next.js transforms the files of Jest's tests. */
  readonly usesNext: boolean;
  /** TypeScript transform for a new Jest configuration; undefined if it needs none. */
  readonly transform: string | undefined;
  /** Text of tsconfig.json and of those that it extends; empty if there is none. */
  readonly tsconfig: string;
  /** True if the runner's configuration of a package below the root names veritest. */
  readonly isSetUpBelow: boolean;
  /** Required packages that neither package.json nor one above it lists, nor a package below that is set up. */
  readonly missing: readonly string[];
  readonly clients: DetectedClients;
}

const CODE = ["ts", "mts", "cts", "js", "mjs", "cjs"];
const CONFIGS: Readonly<Record<RunnerName, readonly string[]>> = {
  // In the order that Vitest uses: its own first.
  vitest: ["vitest", "vite"].flatMap((name) => CODE.map((extension) => `${name}.config.${extension}`)),
  jest: [...CODE, "json"].map((extension) => `jest.config.${extension}`),
};
const WORKSPACES = [...CODE, "json"].map((extension) => `vitest.workspace.${extension}`);
/** TypeScript transforms of Jest: the value of `transform`, or undefined if Jest finds it. */
const JEST_TRANSFORMS: Readonly<Record<string, string | undefined>> = {
  "ts-jest": "ts-jest",
  "@swc/jest": "@swc/jest",
  "esbuild-jest": "esbuild-jest",
  "@babel/preset-typescript": undefined,
  "@sucrase/jest-plugin": "@sucrase/jest-plugin",
  "jest-esbuild": "jest-esbuild",
  "jest-expo": undefined,
  "jest-preset-angular": undefined,
  "@react-native/babel-preset": undefined,
};
/** Transform of Next.js, by its function for Jest's configuration or its preset for Babel. */
const NEXT_TRANSFORM = /["']next\/(?:jest(?:\.js)?|babel)["']/;

/** Inspects the files of a project's root and package.json. The error is one sentence on what to do. */
export async function detectProject(
  { root, area }: Pick<ProjectPaths, "root" | "area">,
  requested: RunnerName | undefined,
  environment: NodeJS.ProcessEnv,
): Promise<Result<DetectedProject, string>> {
  const manifest = readManifest(root);
  if (!manifest.ok) return manifest;
  const above = directoriesAbove(root, area);
  const hoisted = new Map(above.flatMap((directory) => [...packagesAt(directory)]));
  const own = packagesOf(manifest.value);
  const packages = new Map([...hoisted, ...own]);
  const runner = requested === undefined ? runnerOf(root, manifest.value, { own, hoisted }) : ok(requested);
  if (!runner.ok) return runner;
  const tsconfig = join(root, "tsconfig.json");
  const isRunHere = /\b(?:vitest|jest)\b/.test(JSON.stringify(manifest.value["scripts"] ?? ""));
  const configFile =
    configAt(root, runner.value) ?? (isRunHere ? undefined : sharedConfig({ root, above }, runner.value));
  const sources = [...sourceFiles(root, { skipsUnreadable: true })];
  const isSetUp = isSetUpBelow(root, runner.value, sources);
  const transforms = Object.keys(JEST_TRANSFORMS).filter((name) => runner.value === "jest" && packages.has(name));
  const usesNext = runner.value === "jest" && isNext(root, configFile);
  const hasTypes =
    existsSync(tsconfig) ||
    own.has("typescript") ||
    TYPESCRIPT.test(configFile ?? "") ||
    (hoisted.has("typescript") && !isJavaScript(sources));
  return ok({
    root,
    runner: runner.value,
    configFile,
    manifest: manifest.value,
    manager: await packageManager(root, area, environment),
    esm: manifest.value["type"] === "module",
    typescript: hasTypes && (runner.value === "vitest" || transforms.length > 0 || usesNext),
    usesNext,
    transform: hasTypes ? JEST_TRANSFORMS[transforms[0] ?? ""] : undefined,
    tsconfig: configText(tsconfig),
    isSetUpBelow: isSetUp,
    missing: [...(isSetUp ? [] : ["veritest", "zod"]), runner.value].filter((name) => !packages.has(name)),
    clients: detectClients(own, root),
  });
}

/** Returns whether Next.js transforms the files of Jest's tests. */
function isNext(root: string, configFile: string | undefined): boolean {
  const names = [
    "package.json",
    ".babelrc",
    ...readdirSync(root).filter((name) => /^(?:babel\.config|\.babelrc)\./.test(name)),
  ];
  return [...names, ...(configFile === undefined ? [] : [configFile])]
    .map((name) => join(root, name))
    .some((path) => existsSync(path) && NEXT_TRANSFORM.test(readFileSync(path, "utf8")));
}

const TYPESCRIPT = /(?<!\.d)\.[cm]?tsx?$/;
const JAVASCRIPT = /\.[cm]?jsx?$/;
/** Names of configuration files: `eslint.config.js`, `.eslintrc.cjs`. */
const CONFIGURATION = /\.config\.\w+$|[\\/]\.[^\\/]+$/;

/** Returns true for a package with code in JavaScript only: its monorepo may have TypeScript for other packages. */
function isJavaScript(sources: readonly string[]): boolean {
  const code = sources.filter((path) => !CONFIGURATION.test(path));
  return code.some((path) => JAVASCRIPT.test(path)) && !code.some((path) => TYPESCRIPT.test(path));
}

function isSetUpBelow(root: string, runner: RunnerName, sources: readonly string[]): boolean {
  return sources.some(
    (path) =>
      dirname(path) !== root &&
      CONFIGS[runner].includes(basename(path)) &&
      /["']veritest\//.test(readFileSync(path, "utf8")),
  );
}

/** Returns the text of a TypeScript configuration, and of the files that it extends by a path. */
function configText(path: string, seen: ReadonlySet<string> = new Set()): string {
  if (seen.has(path) || !existsSync(path)) return "";
  const text = readFileSync(path, "utf8");
  const bases = /"extends"\s*:\s*(\[[^\]]*\]|"[^"]*")/.exec(text)?.[1]?.matchAll(/"(\.[^"]*)"/g) ?? [];
  const above = [...bases].map(([, base = ""]) => {
    const file = resolve(dirname(path), base);
    return configText(file.endsWith(".json") ? file : `${file}.json`, new Set([...seen, path]));
  });
  return [text, ...above].join("\n");
}

/** Returns whether the recorder of `fetch` is needed. Jest and the command line record what the AI SDK fetches. */
export function recordsFetch({ clients: { fetch, aiSdk } }: Pick<DetectedProject, "clients">): boolean {
  return fetch || aiSdk;
}

/** Returns the directories above a package up to the top of its repository, the nearest last. */
function directoriesAbove(root: string, area: string): string[] {
  const isBelow = root.startsWith(area.endsWith(sep) ? area : `${area}${sep}`);
  return isBelow ? [...directoriesAbove(dirname(root), area), dirname(root)] : [];
}

function configAt(directory: string, runner: RunnerName): string | undefined {
  return CONFIGS[runner].find((name) => existsSync(join(directory, name)));
}

/**
 * Returns the nearest configuration above a package that runs the package's tests: with projects, each package has its
 * own.
 */
function sharedConfig(
  { root, above }: { readonly root: string; readonly above: readonly string[] },
  runner: RunnerName,
): string | undefined {
  const directory = above.findLast((each) => configAt(each, runner) !== undefined);
  const name = directory === undefined ? undefined : configAt(directory, runner);
  if (directory === undefined || name === undefined || workspaceFile(directory) !== undefined) return undefined;
  const path = join(directory, name);
  if (/\b(?:projects|workspace)\b/.test(readFileSync(path, "utf8"))) return undefined;
  return targetName(root, path);
}

function packagesAt(directory: string): ReadonlyMap<string, string> {
  const manifest = existsSync(join(directory, "package.json")) ? readManifest(directory) : undefined;
  return manifest?.ok === true ? packagesOf(manifest.value) : new Map();
}

/** Returns the name of a file that defines the projects of a Vitest workspace; undefined if there is none. */
export function workspaceFile(root: string): string | undefined {
  return WORKSPACES.find((name) => existsSync(join(root, name)));
}

function readManifest(root: string): Result<Readonly<Record<string, unknown>>, string> {
  const path = join(root, "package.json");
  if (!existsSync(path)) return err(`${root} doesn't have a package.json. To create one, run: npm init -y`);
  try {
    const manifest: unknown = JSON.parse(readFileSync(path, "utf8"));
    return isPlainObject(manifest) ? ok(manifest) : err(`${path} doesn't contain a JSON object.`);
  } catch (thrown) {
    return err(`Cannot read ${path}: ${messageOf(thrown)}. Fix the file, then run: npx veritest init`);
  }
}

/** Returns the packages that package.json lists, with their ranges. */
function packagesOf(manifest: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> {
  const fields = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];
  const lists = fields.map((field) => manifest[field]).filter((field) => isPlainObject(field));
  return new Map(lists.flatMap((field) => Object.entries(field)).map(([name, range]) => [name, String(range)]));
}

interface Packages {
  readonly own: ReadonlyMap<string, string>;
  /** Those of package.json files above. */
  readonly hoisted: ReadonlyMap<string, string>;
}

function runnerOf(
  root: string,
  manifest: Readonly<Record<string, unknown>>,
  { own, hoisted }: Packages,
): Result<RunnerName, string> {
  const vitest =
    CONFIGS.vitest.filter((name) => name.startsWith("vitest")).some((name) => existsSync(join(root, name))) ||
    workspaceFile(root) !== undefined;
  const jest = CONFIGS.jest.some((name) => existsSync(join(root, name))) || Object.hasOwn(manifest, "jest");
  if (vitest !== jest) return ok(vitest ? "vitest" : "jest");
  for (const packages of [own, hoisted])
    if (packages.has("vitest") !== packages.has("jest")) return ok(packages.has("vitest") ? "vitest" : "jest");
  const hasBoth = vitest || [own, hoisted].some((packages) => packages.has("vitest"));
  if (hasBoth) return err("This project has Vitest and Jest. Choose one: --runner vitest or --runner jest.");
  const isWorkspace = Object.hasOwn(manifest, "workspaces") || existsSync(join(root, "pnpm-workspace.yaml"));
  return isWorkspace
    ? err(`${root} is a workspace, and its package.json has no test runner. Run init in the package with your steps.`)
    : ok("vitest");
}

/**
 * Returns the package manager of a project: package.json's, or that of the lock file next to it, and so on up to the
 * top of the repository; or the one that started this process.
 */
async function packageManager(root: string, area: string, environment: NodeJS.ProcessEnv): Promise<PackageManager> {
  const strategies = ["packageManager-field", "devEngines-field", "lockfile"] as const;
  const detected = await detect({ cwd: root, stopDir: area, strategies: [...strategies] });
  const agent = readVariable(environment, "npm_config_user_agent")?.split("/")[0];
  const named = (name: string | undefined): PackageManager | undefined => MANAGERS.find((each) => each.name === name);
  return named(detected?.name) ?? named(agent) ?? NPM;
}
