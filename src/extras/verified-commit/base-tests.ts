import { readFileSync } from "node:fs";
import { join, posix, relative } from "node:path";
import { isPlainObject, parsedJson } from "../../kernel/json/plain-data.ts";
import type { ChangedFile } from "./changes.ts";
import { isTestFile } from "./check-diff.ts";
import { git } from "./git.ts";
import { projectIn } from "./run-checks.ts";
import { type RunContext, gitCall } from "./run-options.ts";
import { scriptNamed } from "./runner-results.ts";
import { writeChanges, writeInto } from "./tree-files.ts";

/** Code: everything that a test can notice. */
const CODE = /\.(?:[cm]?[jt]sx?|vue|svelte|json)$/;
/** Files of tests: their expectations, and their input data. */
const TEST_SIDE =
  /\.snap$|(?:^|\/)(?:__(?:tests|baselines|snapshots|fixtures|mocks)__|tests?|fixtures|mocks|testing|e2e)\//;
/** Configuration of tools. The manifest is merged, and lock files belong to its dependencies. */
const CONFIGURATION = /(?:^|\/)(?:tsconfig[^/]*\.json|[^/]*\.config\.[^/]*|\.[^/]*)$/;
const MANIFEST = /(?:^|\/)package\.json$/;
/** Fields of a manifest that decide how tests run. */
const JUDGING = ["scripts", "jest", "vitest", "mocha", "ava", "c8", "nyc", "babel", "browserslist", "config"];
/** Settings of test runners that name files of code, up to the names. */
const SET_UP = new RegExp(
  String.raw`(?:setup\w*|global\w*|environment|testEnvironment|runner|testRunner|sequencer|resolver|transform|preset|` +
    String.raw`reporters|require|import)["']?\s*:\s*(\[[^\]]*\]|\{[^}]*\}|["'\x60][^"'\x60]*["'\x60])`,
  "gi",
);

/** Returns true for a file with tests, their expectations or their input data. */
export function isTestSide(path: string): boolean {
  return isTestFile(path) || TEST_SIDE.test(path);
}

/** Returns true for a file of the product's code. */
export function isProduct(path: string): boolean {
  return CODE.test(path) && !isTestSide(path) && !CONFIGURATION.test(path) && !MANIFEST.test(path);
}

/**
 * Puts the code that a run changes into a work tree of its base. The tests, their data and the configuration stay the
 * base's, and of a manifest what decides how tests run.
 */
export async function layCode(context: RunContext, tree: string, changes: readonly ChangedFile[]): Promise<void> {
  const judges = judgesOf(context, tree);
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
}

/** Returns true for the files of the base that judge the new code. */
function judgesOf(context: RunContext, tree: string): (path: string) => boolean {
  const folder = projectIn(context, tree);
  const prefix = relative(tree, folder).replaceAll("\\", "/");
  const named = new Set(
    [...context.options.checks.flatMap((check) => namedBy(check.run, folder)), ...setUpFiles(folder)].map((word) =>
      posix.join(prefix, word),
    ),
  );
  const withoutExtension = (path: string): string => path.replace(/\.[cm]?[jt]sx?$/, "");
  return (path) =>
    isTestSide(path) ||
    CONFIGURATION.test(path) ||
    MANIFEST.test(path) ||
    named.has(path) ||
    named.has(withoutExtension(path));
}

/** Words of a check's command, and of the scripts that it runs, that may be paths. */
function namedBy(run: readonly string[], folder: string, seen: readonly string[] = []): readonly string[] {
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
function setUpFiles(folder: string): readonly string[] {
  const files = ["vitest", "vite", "jest"].flatMap((name) =>
    ["ts", "mts", "cts", "js", "mjs", "cjs", "json"].map((extension) => `${name}.config.${extension}`),
  );
  const texts = [...files.map((file) => textOf(join(folder, file))), JSON.stringify(manifestIn(folder)["jest"] ?? "")];
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
  writeInto(tree, path, { bytes: `${JSON.stringify({ ...Object.fromEntries(rest), ...kept }, undefined, 2)}\n` });
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
