import { posix } from "node:path";
import { type Ability, abilitiesIn } from "./abilities.ts";
import { isConfiguration, isProduct, isTestSide } from "./base-tests.ts";
import { type ChangedFile, LINK, isNoContent, blobText } from "./changes.ts";
import type { GateFinding } from "./check-diff.ts";
import { filesWith, isScript } from "./files-with.ts";
import { type GitCall, git } from "./git.ts";
import { isHarmlessGlobal, isRepeatable, isRunner, packageOf } from "./harmless.ts";

/** A changed file of code, before and after a run. */
interface CodeChange {
  readonly path: string;
  readonly before: Source;
  readonly after: Source;
}

interface Source {
  readonly lines: readonly string[];
  readonly abilities: readonly Ability[];
}

/** Files that bundlers import, besides code. */
const ASSET = /\.(?:json|css|scss|sass|less|svg|png|jpe?g|gif|webp|avif|ico|woff2?|mdx?|graphql|gql)$/;

/**
 * Finds abilities that changed code newly uses: names and modules outside of its inputs. With them, code can behave
 * differently if a test runs it, or change how tests run, so a person decides. A file may continue to use those of its
 * old version, and lines may move.
 */
export async function newAbilities(
  changes: readonly ChangedFile[],
  tree: string,
  call: GitCall,
): Promise<readonly GateFinding[]> {
  const files = await filesOf(tree, call);
  const code: CodeChange[] = [];
  const findings: GateFinding[] = [];
  for (const { path, oldPath, oldId, newId, newMode } of changes.filter((each) => isScript(each.path))) {
    // Abilities of tests or configuration aren't those of the product.
    const isOther = isExempt(oldPath) && !isExempt(path);
    const before = sourceOf(oldPath, isOther ? "" : await blobText(oldId, call));
    if (isNoContent(newId)) code.push({ path, before, after: sourceOf(path, "") });
    else if (newMode === LINK)
      findings.push({ rule: "test-aware", path, line: undefined, detail: "it is a link, so its code isn't checked" });
    else if (!isExempt(path) || (!isConfiguration(path) && (await isUsedByProduct(path, tree, call))))
      code.push({ path, before, after: sourceOf(path, await blobText(newId, call)) });
  }
  const known = new Set(code.flatMap(({ before }) => before.abilities.map((each) => lineKey(each, before))));
  const imported = new Set(code.flatMap(({ before }) => importsIn(before).map(packageOf)));
  const changed = new Set(changes.map(({ path }) => path));
  const isUnchangedProduct = (path: string): boolean => isProduct(path) && isScript(path) && !changed.has(path);
  const isImported = async (name: string): Promise<boolean> =>
    imported.has(name) || (await filesWith([`"${name}`, `'${name}`], tree, call)).some(isUnchangedProduct);
  const isUsed = async (path: string): Promise<boolean> =>
    (await filesWith([namedAs(path)], tree, call)).some(isUnchangedProduct);
  for (const change of code) {
    const names = new Set(change.before.abilities.map(({ name }) => name));
    const added = change.after.abilities.filter((ability) => {
      if (known.has(lineKey(ability, change.after))) return false;
      return !names.has(ability.name) || !(ability.isImport || isRepeatable(ability.name));
    });
    for (const ability of unique(added)) {
      const what = ability.isImport
        ? await importProblem(ability.name, change.path, { files, isImported, isUsed })
        : `new code uses ${ability.name}`;
      const text = change.after.lines[ability.line - 1]?.trim() ?? "";
      if (what !== undefined)
        findings.push({ rule: "test-aware", path: change.path, line: ability.line, detail: `${what}: ${text}` });
    }
  }
  return findings;
}

/** Returns true for tests and configuration, of which other rules judge the changes. */
function isExempt(path: string): boolean {
  return isTestSide(path) || isConfiguration(path);
}

/** Keeps the first line of each ability, or all lines if every line with it counts. */
function unique(abilities: readonly Ability[]): readonly Ability[] {
  const seen = new Set<string>();
  return abilities.filter(({ name, line, isImport }) => {
    const key = isImport || isRepeatable(name) ? name : `${name}\n${line}`;
    const isFirst = !seen.has(key);
    seen.add(key);
    return isFirst;
  });
}

function lineKey({ name, line }: Ability, { lines }: Source): string {
  return `${name}\n${lines[line - 1]?.trim() ?? ""}`;
}

function importsIn({ abilities }: Source): readonly string[] {
  return abilities.filter(({ isImport }) => isImport).map(({ name }) => name);
}

/** Describes an import that can lead to code which isn't checked; undefined for another one. */
async function importProblem(
  module: string,
  from: string,
  known: {
    readonly files: ReadonlySet<string>;
    readonly isImported: (name: string) => Promise<boolean>;
    readonly isUsed: (path: string) => Promise<boolean>;
  },
): Promise<string | undefined> {
  if (isRunner(module)) return `it imports ${module}, which belongs to a test runner`;
  if (/[?!%]|.#|^\w+:/.test(module)) return `it imports ${module}, which a bundler computes`;
  if (!/^\.{0,2}\//.test(module) && !/^\.{1,2}$/.test(module))
    return (await known.isImported(packageOf(module)))
      ? undefined
      : `it imports ${packageOf(module)}, which the code didn't import before`;
  const path = posix.join(posix.dirname(from), module);
  const isOther = known.files.has(path) && !isScript(path) && !ASSET.test(path);
  if (isOther) return `it imports ${module}, whose name isn't one of code`;
  // The message of a failed import names the file that imports, and the loader's words differ.
  if (module.startsWith(".") && !isLoaded(path, known.files))
    return `it imports ${module}, which isn't in the repository`;
  const names = [path, `${path}.js`, `${path}/index.js`];
  return names.some(isExempt) && !(await known.isUsed(path))
    ? `it imports ${module}, which belongs to the tests or the configuration`
    : undefined;
}

/** Returns true if a loader or a compiler finds a module by a path. */
function isLoaded(path: string, files: ReadonlySet<string>): boolean {
  const source = path.replace(/\.([cm]?)js(x?)$/, ".$1ts$2");
  if ([path, source, `${source}x`].some((each) => files.has(each))) return true;
  const folder = path === "." ? "" : `${path.replace(/\/$/, "")}/`;
  return [...files].some((each) => each.startsWith(`${path}.`) || each.startsWith(folder));
}

/** Returns true if product code names a file of tests, which then is product code. */
async function isUsedByProduct(path: string, tree: string, call: GitCall): Promise<boolean> {
  const files = await filesWith([namedAs(path)], tree, call);
  return files.some((each) => isProduct(each) && isScript(each));
}

/** Text by which an import names a module. */
function namedAs(path: string): string {
  return `/${posix.basename(path.replace(/(?:\/index)?\.[cm]?[jt]sx?$/, ""))}`;
}

async function filesOf(tree: string, call: GitCall): Promise<ReadonlySet<string>> {
  const listed = await git(["ls-tree", "-r", "-z", "--name-only", "--full-tree", tree], call);
  if (!listed.ok) throw new Error(listed.error.message);
  return new Set(listed.value.split("\0"));
}

function sourceOf(path: string, text: string): Source {
  const lines = text.split("\n");
  if (text === "" || !isScript(path)) return { lines, abilities: [] };
  if (!/\.(?:vue|svelte)$/.test(path)) return { lines, abilities: abilitiesIn(text, path) };
  const parts = text.split(/(<script\b[^>]*>[^]*?<\/script>)/);
  const scripts = parts.map((part, index) =>
    index % 2 === 1 ? part.replace(/^<script[^>]*>/, blank).replace("</script>", "") : blank(part),
  );
  const markup = parts.map((part, index) => (index % 2 === 0 ? part : blank(part))).join("");
  return { lines, abilities: [...abilitiesIn(scripts.join(""), "part.ts"), ...abilitiesOfMarkup(markup)] };
}

function blank(text: string): string {
  return text.replaceAll(/[^\n]+/g, "");
}

/** Names of globals in the expressions of a template, which isn't parsed. */
function abilitiesOfMarkup(markup: string): readonly Ability[] {
  return markup.split("\n").flatMap((text, index) =>
    [...text.matchAll(/\{[^{}]*\}|=\s*"[^"]*"/g)].flatMap(([part]) =>
      [...part.matchAll(/[$\w]+/g)]
        .map(([name]) => name)
        .filter((name) => TEMPLATE.has(name) || (name in globalThis && !isHarmlessGlobal([name], "call")))
        .map((name) => ({ name, line: index + 1, isImport: false })),
    ),
  );
}

const TEMPLATE: ReadonlySet<string> = new Set([
  "window",
  "document",
  "self",
  "require",
  "module",
  "constructor",
  "meta",
]);
