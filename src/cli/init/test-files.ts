import { readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { globPattern, matchesPattern } from "../cases/glob-pattern.ts";
import { type ObjectProperty, propertiesOf, readConfig } from "./config-source.ts";
import type { DetectedProject } from "./detect-project.ts";
import { type SyntaxNode, list } from "../../kernel/syntax.ts";

/** Test files of a project, by its runner's configuration. */
export interface TestFiles {
  /** Returns true if the runner runs a file, by its path from the project's root with forward slashes. */
  readonly includes: (path: string) => boolean;
  /** Directories that the patterns begin with. */
  readonly directories: readonly string[];
}

type RunnerDefaults = Readonly<Record<DetectedProject["runner"], readonly string[]>>;

const DEFAULTS: RunnerDefaults = {
  vitest: ["**/*.{test,spec}.{js,mjs,cjs,ts,mts,cts,jsx,tsx}"],
  jest: [
    "**/__tests__/**/*.{js,mjs,cjs,ts,mts,cts,jsx,tsx}",
    "**/{spec,test,*.spec,*.test}.{js,mjs,cjs,ts,mts,cts,jsx,tsx}",
  ],
};

/**
 * Returns the test files of a project; undefined if its configuration doesn't list them as plain texts, so that they
 * are unknown.
 */
export function testFilesOf({ root, runner, configFile, manifest }: DetectedProject): TestFiles | undefined {
  const inManifest = configFile === undefined && runner === "jest" && manifest["jest"] !== undefined;
  const name = inManifest ? "package.json" : configFile;
  if (name === undefined) return testFiles(DEFAULTS[runner], []);
  const whole = readConfig(readFileSync(join(root, name), "utf8"), name)?.exported();
  const fields = inManifest ? objectIn(fieldsOf(whole), "jest") : fieldsOf(whole);
  const rules = fields && (runner === "vitest" ? vitestRules(fields) : jestRules(fields));
  const parts = rules?.map(({ patterns = DEFAULTS[runner], excluded }) =>
    testFiles(patterns, excluded, pathFrom(root, name)),
  );
  const known = parts?.filter((part) => part !== undefined);
  if (parts === undefined || known === undefined || known.length < parts.length) return undefined;
  return {
    includes: (path) => known.some(({ includes }) => includes(path)),
    directories: known.flatMap(({ directories }) => directories),
  };
}

/** Returns the path of the project from the directory of a configuration that may be above it. */
function pathFrom(root: string, name: string): string {
  const path = relative(join(root, name, ".."), root)
    .split(sep)
    .join("/");
  return path === "" ? "" : `${path}/`;
}

interface Rules {
  /** Patterns of paths, or regular expressions; undefined for the runner's default. */
  readonly patterns: readonly (string | RegExp)[] | undefined;
  readonly excluded: readonly (string | RegExp)[];
}

type Fields = ReadonlyMap<string, ObjectProperty>;

/** Returns the rules of each project; undefined if one is unknown. */
function vitestRules(config: Fields): readonly Rules[] | undefined {
  const test = config.has("test") ? objectIn(config, "test") : new Map<string, ObjectProperty>();
  if (test === undefined || [config.has("root"), test.has("root"), test.has("dir")].includes(true)) return undefined;
  const projects = test.get("projects") ?? test.get("workspace");
  if (projects !== undefined) return projectRules(projects, { defaults: DEFAULTS.vitest, rulesOf: vitestRules });
  const include = textsIn(test, "include");
  const patterns = include === "unknown" ? undefined : include;
  // A spread in `exclude` usually has the runner's own directories.
  return include === "unknown" ? undefined : [{ patterns, excluded: knownTexts(test.get("exclude")?.value) }];
}

function jestRules(config: Fields): readonly Rules[] | undefined {
  const projects = config.get("projects");
  if (config.has("rootDir")) return undefined;
  if (projects !== undefined) return projectRules(projects, { defaults: DEFAULTS.jest, rulesOf: jestRules });
  const [match, regex, roots] = ["testMatch", "testRegex", "roots"].map((name) => textsIn(config, name));
  if (match === "unknown" || regex === "unknown" || roots === "unknown") return undefined;
  const ignored = knownTexts(config.get("testPathIgnorePatterns")?.value).flatMap((text) => regexOf(text) ?? []);
  const inside = (roots ?? []).map(withoutRoot).filter((path) => path !== "");
  const outside = inside.length === 0 ? [] : [new RegExp(`^(?!/(?:${inside.map(escaped).join("|")})/)`, "u")];
  const expressions = regex?.map(regexOf);
  const known = expressions?.filter((expression) => expression !== undefined);
  if (known?.length !== expressions?.length) return undefined;
  const patterns = known ?? match?.map(withoutRoot);
  return [{ patterns, excluded: [...ignored, ...outside] }];
}

/** Returns the rules of projects: directories with the runner's default patterns, or configurations in place. */
function projectRules(
  { value }: ObjectProperty,
  {
    defaults,
    rulesOf,
  }: { readonly defaults: readonly string[]; readonly rulesOf: (fields: Fields) => readonly Rules[] | undefined },
): readonly Rules[] | undefined {
  if (value?.type !== "ArrayExpression") return undefined;
  const rules: Rules[] = [];
  for (const project of list(value, "elements")) {
    const path = textOf(project);
    const fields = fieldsOf(project);
    const own = fields && rulesOf(fields);
    if (path !== undefined) rules.push({ patterns: defaults.map((glob) => below(path, glob)), excluded: [] });
    else if (own === undefined) return undefined;
    else rules.push(...own);
  }
  return rules;
}

/** Returns a pattern below a project's directory, or below that of its configuration. */
function below(project: string, glob: string): string {
  const directory = withoutRoot(project)
    .replace(/(?:^|\/)[^/]*\.[cm]?[jt]s(?:on)?$/, "")
    .replace(/\/$/, "");
  return directory === "" || directory === "." ? glob : `${directory}/${glob}`;
}

function testFiles(
  patterns: Rules["excluded"],
  excluded: Rules["excluded"],
  above: string = "",
): TestFiles | undefined {
  const [negated, plain] = [true, false].map((each) => patterns.filter((pattern) => isNegated(pattern) === each));
  const included = matchersOf(plain ?? []);
  const left = matchersOf([...excluded, ...(negated ?? []).map((pattern) => String(pattern).slice(1))]);
  // A pattern that can't be read may match anything, or exclude it.
  if (included === undefined || left === undefined) return undefined;
  const globs = (plain ?? []).filter((pattern) => typeof pattern === "string");
  return {
    includes: (path) =>
      included.some((matches) => matches(`${above}${path}`)) && !left.some((matches) => matches(`${above}${path}`)),
    directories: above === "" ? globs.map(baseOf) : [],
  };
}

type PathTest = (path: string) => boolean;

function matchersOf(patterns: Rules["excluded"]): readonly PathTest[] | undefined {
  const matchers = patterns.map(matcherOf).filter((matcher) => matcher !== undefined);
  return matchers.length < patterns.length ? undefined : matchers;
}

function isNegated(pattern: string | RegExp): boolean {
  return typeof pattern === "string" && pattern.startsWith("!");
}

/** Returns the test of a path; undefined for a pattern that this can't read. */
function matcherOf(pattern: string | RegExp): PathTest | undefined {
  if (typeof pattern !== "string") return (path) => pattern.test(`/${path}`);
  const plain = plainGlob(pattern);
  const parsed = plain === undefined ? undefined : globPattern(plain);
  if (parsed?.ok !== true) return undefined;
  const { base, alternatives } = parsed.value;
  if (alternatives.length === 0) return (path) => path === base;
  const prefix = base === "" ? "" : `${base}/`;
  return (path) => path.startsWith(prefix) && matchesPattern(parsed.value, path.slice(prefix.length).split("/"));
}

/** Returns a pattern with braces for the groups of picomatch, `?(a|b)`; undefined for one that negates. */
function plainGlob(pattern: string): string | undefined {
  let plain = pattern.replace(/^\.\//, "");
  for (;;) {
    const next = plain.replace(/([?@+*])\(([^()]*)\)/, (_match, kind: string, options: string) => {
      const optional = kind === "?" || kind === "*" ? "," : "";
      return `{${optional}${options.replaceAll("|", ",")}}`;
    });
    if (next === plain) return /!\(/.test(plain) ? undefined : plain;
    plain = next;
  }
}

function baseOf(pattern: string): string {
  const parts = pattern.replace(/^\.\//, "").split("/");
  const magic = parts.findIndex((part) => /[*?[{(]/.test(part));
  return parts.slice(0, magic === -1 ? -1 : magic).join("/");
}

function withoutRoot(path: string): string {
  return path.replace(/^(!?)<rootDir>\/?/, "$1");
}

/** Returns a regular expression as Jest reads it, without the flag `u`; undefined if it's invalid. */
function regexOf(text: string): RegExp | undefined {
  try {
    // With the flag, `\\-` would be an error.
    return new RegExp(text.replace("<rootDir>", "^"));
  } catch {
    return undefined;
  }
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

/** Returns the fields of an object literal by name; undefined if it has a spread or a computed name. */
function fieldsOf(object: SyntaxNode | undefined): Fields | undefined {
  if (object?.type !== "ObjectExpression") return undefined;
  const fields = new Map<string, ObjectProperty>();
  for (const property of propertiesOf(object)) {
    if (property.name === undefined) return undefined;
    fields.set(property.name, property);
  }
  return fields;
}

function objectIn(fields: Fields | undefined, name: string): Fields | undefined {
  return fieldsOf(fields?.get(name)?.value);
}

/** Returns a text or a list of texts of a field; undefined if there is none. */
function textsIn(fields: Fields, name: string): readonly string[] | undefined | "unknown" {
  if (!fields.has(name)) return undefined;
  const value = fields.get(name)?.value;
  const own = value === undefined ? [] : [value];
  const nodes = value?.type === "ArrayExpression" ? list(value, "elements") : own;
  const texts = nodes.flatMap((node) => textOf(node) ?? []);
  return texts.length === nodes.length && nodes.length > 0 ? texts : "unknown";
}

function knownTexts(value: SyntaxNode | undefined): string[] {
  return value?.type === "ArrayExpression" ? list(value, "elements").flatMap((node) => textOf(node) ?? []) : [];
}

function textOf(node: SyntaxNode): string | undefined {
  const value = node.type === "Literal" ? node["value"] : undefined;
  return typeof value === "string" ? value : undefined;
}
