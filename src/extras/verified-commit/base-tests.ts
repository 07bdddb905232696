import { readFileSync, readdirSync } from "node:fs";
import { join, posix, relative } from "node:path";
import { isPlainObject, parsedJson } from "../../kernel/json/plain-data.ts";
import { type SyntaxNode, childrenOf, parseSource } from "../../kernel/syntax.ts";
import type { ChangedFile } from "./changes.ts";
import { importsOf, isTestFile } from "./check-diff.ts";
import { grepTree } from "./files-with.ts";
import { git } from "./git.ts";
import { projectIn } from "./run-checks.ts";
import { type RunContext, gitCall } from "./run-options.ts";
import { scriptNamed } from "./runner-results.ts";
import { propertyName } from "./scopes.ts";
import { writeChanges, writeInto } from "./tree-files.ts";

/** Code: everything that a test can notice. */
const CODE = /\.(?:[cm]?[jt]sx?|vue|svelte|json)$/;
/** Code of which the tests aren't measured. It uses data, too. */
const OTHER_CODE = /\.(?:py|go|rs)$/;
const DATA = /\.(?:jsonl?|json5|ya?ml|toml|csv|tsv|txt|xml|html|sql|md)$/;
/** Files of tests: their expectations, and their input data. */
const TEST_SIDE =
  /\.snap$|(?:^|\/)(?:__(?:test|baseline|snapshot|fixture|mock)s_*|test(?:s|ing|data|-.+)?|e2e|spec|fixtures|mocks)\//;
/** Input data of tests, by its directory. */
const FIXTURE = /(?:^|\/)(?:__fixtures__|fixtures|testdata|test-data)\/(?!.*\.[cm]?[jt]sx?$)/;
/** Configuration of tools. The manifest is merged, and lock files belong to its dependencies. */
const CONFIGURATION = [
  /(?:^|\/)(?:(?:[jt]sconfig[^/]*|biome|babel|nx|turbo|deno)\.jsonc?|[^/]*\.(?:config|workspace)\.[^/]*)$/,
  /(?:^|\/)(?:\.[^/]*|\.[^/]+\/.*|(?:GNU)?[Mm]akefile|[^/]*\.mk|justfile|pnpm-workspace\.yaml|bunfig\.toml)$/,
];
/** Settings of the programs that start scripts: one that the base lacks can start other scripts, or none. */
const STARTS = /(?:^|\/)(?:\.npmrc|\.yarnrc(?:\.yml)?|pnpm-workspace\.yaml|bunfig\.toml)$/;
const MANIFEST = /(?:^|\/)package\.json$/;
/** Fields of a manifest that decide how tests run. */
const JUDGING = (
  "scripts config jest vitest mocha ava tap c8 nyc wireit nx babel browserslist postcss prettier " +
  "eslintConfig stylelint"
).split(" ");
/** Fields of a manifest that decide which module a test imports. */
const MAPPING = ["imports", "exports"];
/** Settings of test runners that name files of code, up to the names. */
const SET_UP = new RegExp(
  String.raw`(?:setup\w*|global\w*|environment|testEnvironment|runner|testRunner|sequencer|resolver|transform|preset|` +
    String.raw`reporters|require|import)["']?\s*:\s*(\[[^\]]*\]|\{[^}]*\}|["'\x60][^"'\x60]*["'\x60])`,
  "gi",
);

/** Characters of the longest name of a file. */
const MAX_NAME = 200;
const EXTENSIONS = ["ts", "mts", "cts", "js", "mjs", "cjs", "json"];
/** Keys of configuration whose values are files of the product. */
const OF_PRODUCT = new Set(
  "files include exclude entry entries entryPoints input main module types exports imports bin browser content".split(
    " ",
  ),
);

/** Returns true for a file with tests, their expectations or their input data. */
export function isTestSide(path: string): boolean {
  return isTestFile(path) || TEST_SIDE.test(path);
}

/** Returns true for data that a test reads: of the files that judge code, those that configure nothing. */
export function isTestData(path: string): boolean {
  return DATA.test(path) && !isConfiguration(path) && !MANIFEST.test(path);
}

/** Returns true for a file that configures tools, by its path. */
export function isConfiguration(path: string): boolean {
  return CONFIGURATION.some((kind) => kind.test(path));
}

/** Returns true for the manifest of a package, by its path. */
export function isManifest(path: string): boolean {
  return MANIFEST.test(path);
}

/** Returns true for a file of the product's code. */
export function isProduct(path: string): boolean {
  return CODE.test(path) && !isTestSide(path) && !isConfiguration(path) && !MANIFEST.test(path);
}

function isCodeOfProduct(path: string): boolean {
  return isProduct(path) || (OTHER_CODE.test(path) && !isTestSide(path));
}

/**
 * Puts the code that a run changes into a work tree of its base. The tests, their data and the configuration stay the
 * base's, and of a manifest what decides how tests run. Returns the changed files that stayed so and contain no tests.
 * Throws if git can't read the base, or a file can't be written.
 */
export async function layCode(
  context: RunContext,
  tree: string,
  changes: readonly ChangedFile[],
): Promise<readonly ChangedFile[]> {
  const judges = await judgesOf(context, tree, changes);
  const isCode = ({ path, oldPath }: ChangedFile): boolean => [path, oldPath].every((each) => !judges(each));
  const call = gitCall(context);
  await writeChanges(
    tree,
    changes.filter((change) => isCode(change)),
    { side: "after", call },
  );
  for (const { path, kind, newId } of changes.filter((change) => MANIFEST.test(change.path))) {
    const manifest = kind === "changed" ? await git(["cat-file", "blob", newId], call) : undefined;
    if (manifest?.ok === true) layManifest(tree, path, manifest.value);
  }
  return changes.filter(
    (change) =>
      (change.kind !== "added" || STARTS.test(change.path)) &&
      !isCode(change) &&
      (!isTestSide(change.oldPath) || FIXTURE.test(change.oldPath)),
  );
}

/** Returns a test for the files of the base that judge the new code. */
async function judgesOf(
  context: RunContext,
  tree: string,
  changes: readonly ChangedFile[],
): Promise<(path: string) => boolean> {
  const folder = projectIn(context, tree);
  const prefix = relative(tree, folder).replaceAll("\\", "/");
  const inTree = (paths: readonly string[]): ReadonlySet<string> =>
    new Set(paths.map((path) => posix.join(prefix, path)));
  const words = [...context.options.checks.flatMap((check) => namedBy(check.run, folder)), ...setUpFiles(tree, folder)];
  const named = inTree(words);
  const used = inTree(usedBy(words, tree, folder));
  const isNamed = (path: string): boolean =>
    isTestSide(path) || isConfiguration(path) || MANIFEST.test(path) || named.has(path) || named.has(stemOf(path));
  const candidates = changes.flatMap(({ oldPath, kind }) =>
    kind !== "added" && !isNamed(oldPath) && (used.has(oldPath) || DATA.test(oldPath)) ? [oldPath] : [],
  );
  const mentions = await mentionsOf(context, candidates);
  const judging = candidates.filter((path) => {
    const paths = mentions(path);
    if (!used.has(path)) return paths.some((each) => isTestSide(each)) && paths.every((each) => !isCodeOfProduct(each));
    // The code under test may be a tool, too.
    return paths.every((each) => used.has(each) || isNamed(each) !== isTestSide(each) || !CODE.test(each));
  });
  // A link in the place of a folder would replace the files in it.
  return (path) => isNamed(path) || judging.some((each) => each === path || each.startsWith(`${path}/`));
}

/**
 * Finds the files of the base that name one of some files. Data that no file names counts as named by the nearest
 * folder above it that a file names. Throws if git can't search the base: without an answer, all data would count as
 * code.
 */
async function mentionsOf(context: RunContext, paths: readonly string[]): Promise<(path: string) => readonly string[]> {
  if (paths.length === 0) return () => [];
  const names = [...new Set(paths.flatMap(namesOf))];
  const listed = await grepTree("-o", names, { ...gitCall(context), tree: context.repository.base });
  const lines = listed.split("\n").filter((line) => line !== "");
  const matches = lines.map((line) => line.slice(line.indexOf(":") + 1).split("\0"));
  const byName = Map.groupBy(matches, ([, name = ""]) => name);
  const codeWith = (name: string): readonly string[] =>
    (byName.get(name) ?? [])
      .map(([path = ""]) => path)
      .filter((path) => [CODE, OTHER_CODE, ...CONFIGURATION].some((kind) => kind.test(path)));
  return (path) =>
    namesOf(path)
      .map(codeWith)
      .find((files) => files.length > 0) ?? [];
}

/**
 * Texts by which other files name a file: code may leave the extension out, and compute the name of data in a folder.
 */
function namesOf(path: string): readonly string[] {
  const name = posix.basename(path);
  if (!DATA.test(path)) return [`/${stemOf(name)}`];
  return [
    name,
    ...posix
      .dirname(path)
      .split("/")
      .toReversed()
      .map((folder) => `${folder}/`),
  ];
}

function stemOf(path: string): string {
  return path.replace(/\.[cm]?[jt]sx?$/, "");
}

/** The files that some files, and the configuration, import or name in turn. */
function usedBy(words: readonly string[], tree: string, folder: string): readonly string[] {
  const configuration = configurationIn(tree, folder);
  const settings = JUDGING.filter((key) => key !== "scripts").map((key) => manifestIn(folder)[key]);
  const names = textsIn(JSON.stringify(settings)).flatMap((name) => modulesOf("", name));
  // A script also names the files that it checks, which are those of the product.
  const naming = new Set([...configuration, ...names].map((word) => posix.normalize(word)));
  const used = new Set([...words.map((word) => posix.normalize(word)), ...naming]);
  for (const path of used) {
    const text = textOf(join(folder, path));
    const imports = importsOf(text).flatMap(({ module }) => (isRelative(module) ? modulesOf(path, module) : []));
    const isScript = /(?:\.(?:sh|bash|mk)|akefile)$/.test(path);
    const isNaming = naming.has(path) || isConfiguration(path);
    const named = isNaming ? textsIn(text).flatMap((each) => [...modulesOf(path, each), ...modulesOf("", each)]) : [];
    for (const each of [...imports, ...named, ...(isScript ? text.split(/[\s"'`;&|()<>=]+/) : [])])
      if (each !== "" && textOf(join(folder, each)) !== "") used.add(posix.normalize(each));
  }
  return [...used];
}

/** The configuration in the project's folder and the top folder, from the project's. */
function configurationIn(tree: string, folder: string): readonly string[] {
  return [...new Set([folder, tree])].flatMap((each) =>
    readdirSync(each, { withFileTypes: true })
      .filter((entry) => entry.isFile() && isConfiguration(entry.name))
      .map(({ name }) => posix.join(relative(folder, each).replaceAll("\\", "/"), name)),
  );
}

/** The texts in configuration that may be names of files; those of the product's files are left out. */
function textsIn(text: string): readonly string[] {
  const script = parseSource(text, "settings.ts");
  const parsedText = script.ok ? script : parseSource(`(${text})`, "settings.ts");
  if (!parsedText.ok) return text.split(/[\s"'`=:,]+/);
  const texts: string[] = [];
  const visit = (node: SyntaxNode): void => {
    if (node.type === "Property" && OF_PRODUCT.has(propertyName(node) ?? "")) return;
    const value = node.type === "TemplateElement" ? cookedOf(node) : node["value"];
    if (typeof value === "string" && value.length < MAX_NAME) texts.push(value.replace(/^<rootDir>\//, ""));
    for (const each of childrenOf(node)) visit(each);
  };
  visit(parsedText.value.program);
  return texts.flatMap((value) => value.split(/[\s=]+/));
}

/** The text of a part of a template. */
function cookedOf({ value }: SyntaxNode): unknown {
  return isPlainObject(value) ? value["cooked"] : undefined;
}

/** Returns the paths that a relative import may name. */
export function modulesOf(from: string, specifier: string): readonly string[] {
  const path = posix.join(posix.dirname(from), specifier);
  return [path, ...EXTENSIONS.flatMap((extension) => [`${stemOf(path)}.${extension}`, `${path}/index.${extension}`])];
}

function isRelative(specifier: string): boolean {
  return /^\.{1,2}(?:\/|$)/.test(specifier);
}

/** Returns the words of a check's command, and of the scripts that it runs. */
export function namedBy(run: readonly string[], folder: string, seen: readonly string[] = []): readonly string[] {
  const name = scriptNamed(run);
  const { scripts } = manifestIn(folder);
  if (name === undefined || seen.includes(name) || !isPlainObject(scripts)) return run;
  return [`pre${name}`, name, `post${name}`].flatMap((each) => {
    const commands = textIn(scripts[each]).split(/&&|\|\||[;|&]/);
    return commands.flatMap((command) => {
      const words = command.trim().split(/\s+/);
      return namedBy(words, folder, [...seen, name]);
    });
  });
}

/** Files that the configuration of a test runner names. */
function setUpFiles(tree: string, folder: string): readonly string[] {
  const texts = [
    ...configurationIn(tree, folder).map((file) => textOf(join(folder, file))),
    JSON.stringify(manifestIn(folder)["jest"] ?? ""),
  ];
  return texts.flatMap((text) =>
    [...text.matchAll(SET_UP)].flatMap(([, value = ""]) =>
      [...value.matchAll(/["'`]([^"'`]+)["'`]/g)].map(([, path = ""]) => path.replace(/^<rootDir>\//, "")),
    ),
  );
}

/** Writes a manifest's new dependencies and entries, with the scripts and settings of tests of the base. */
function layManifest(tree: string, path: string, text: string): void {
  const [now, before] = [parsed(text), parsed(textOf(join(tree, path)))];
  const kept = Object.fromEntries(JUDGING.flatMap((key) => (key in before ? [[key, before[key]]] : [])));
  const rest = Object.entries(now).filter(([key]) => !JUDGING.includes(key));
  const mapped = Object.fromEntries(MAPPING.flatMap((key) => mergedEntry(key, before[key], now[key])));
  const manifest = { ...Object.fromEntries(rest), ...kept, ...mapped };
  writeInto(tree, path, { bytes: `${JSON.stringify(manifest, undefined, 2)}\n` });
}

/** Modules that tests import by a name of the manifest: the base's, and new ones. */
function mergedEntry(key: string, before: unknown, now: unknown): readonly [string, unknown][] {
  if (before === undefined) return [];
  return [[key, isPlainObject(before) && isPlainObject(now) ? { ...now, ...before } : before]];
}

function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function manifestIn(folder: string): Readonly<Record<string, unknown>> {
  return parsed(textOf(join(folder, "package.json")));
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  const value = parsedJson(text);
  return isPlainObject(value) ? value : {};
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // There is no such file.
    return "";
  }
}
