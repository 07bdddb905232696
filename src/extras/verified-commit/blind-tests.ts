import { posix } from "node:path";
import { child, list, nodesOf, parseSource, word } from "../../kernel/syntax.ts";
import { modulesOf } from "./base-tests.ts";
import { loadedBy } from "./plain-node.ts";

const CALL = String.raw`\s*(?:<.*?>)?\(\s*`;
/** A call that puts a mock in the place of a module: `vi.mock("./price.ts")`, `jest.doMock(name)`. */
const MOCKS = new RegExp(
  String.raw`\b(?:mock\.module|\w*(?:[mM]ock|MockFrom)(?:Module)?)${CALL}(?:import\(\s*)?["'\x60](?<module>[^"'\x60]+)`,
  "g",
);
/** A mock of a module whose name is computed. */
const MOCKS_ANY = new RegExp(
  String.raw`\b(?:vi|vitest|jest)\.\w*[mM]ock(?:Module)?${CALL}(?:(?!import\()[\w$.]+\s*[,)(]|\x60[^\x60]*\$\{)`,
);
const SPIES = /\bspyOn\(\s*(?<object>[\w$]+)\s*,/g;
/** A spy on what each function may use. */
const SPIES_ALL =
  /\bspyOn\(\s*(?:Math(?!\s*,\s*["'`]random)|Number|JSON|String|Array|Object|Map|Set|Promise|Reflect)\b/;
/** A file that a test reads as text. */
const READS = /\b(?:read\w*|cat|grep|open|createReadStream|exec\w*|spawn\w*)\b/;

/**
 * Returns true if a test file doesn't call a module itself: it mocks the module, or reads the text of the module or of
 * its functions. Its results show nothing about the module. Paths are from the folder.
 */
export function isBlindTo(file: string, path: string, folder: string): boolean {
  const loaded = loadedBy(file, folder);
  const text = loaded.get(file) ?? "";
  const isModule = (module: string): boolean =>
    [...modulesOf(file, module), ...modulesOf("", module)].some((each) => posix.normalize(each) === path);
  if ([...text.matchAll(MOCKS)].some(({ groups }) => isModule(groups?.["module"] ?? ""))) return true;
  if (SPIES_ALL.test(text) || (MOCKS_ANY.test(text) && text.includes(stemOf(path)))) return true;
  const names = namesFrom(text, file, isModule);
  const spied = [...text.matchAll(SPIES)].map(({ groups }) => groups?.["object"] ?? "");
  if (spied.some((name) => names.includes(name))) return true;
  const isRead =
    READS.test(text) &&
    text
      .split("\n")
      .some((line) => line.includes(posix.basename(path)) && !/^\s*import\s|\bfrom\s*["'`]|\bimport\(/.test(line));
  const folders = posix.dirname(path).split("/");
  const isListed = /\b(?:readdir|glob)\w*\(/.test(text) && new RegExp(`["'\`/]${folders[0] ?? ""}["'\`/]`).test(text);
  if (isRead || isListed || text.includes(`${posix.basename(path)}?`)) return true;
  const source = loaded.get(path) ?? "";
  const isFunctionIn = (name: string): boolean =>
    new RegExp(
      String.raw`\b(?:function\s*\*?|class)\s*${name}\b|\b${name}\s*=\s*(?:async\b|function\b|\(|\w+\s*=>)`,
    ).test(source);
  const isPrinted = (name: string): boolean =>
    new RegExp(
      String.raw`\b${name}\.to(?:Source)?String\b|\bString\(\s*${name}\s*\)|\$\{\s*${name}\s*\}|` +
        String.raw`\(\s*${name}\s*\)\.toMatch\(|["'\x60]\s*\+\s*${name}\b(?!\s*[(.[])`,
    ).test(text);
  return names.some((name) => isFunctionIn(name) && isPrinted(name));
}

/** Names that a test file imports from a module. */
function namesFrom(text: string, file: string, isModule: (module: string) => boolean): readonly string[] {
  const parsed = parseSource(text, file);
  if (!parsed.ok) return [];
  return [...nodesOf(parsed.value.program)]
    .filter((node) => node.type === "ImportDeclaration" && isModule(word(child(node, "source"), "value") ?? ""))
    .flatMap((node) => list(node, "specifiers").flatMap((each) => word(child(each, "local"), "name") ?? []))
    .filter((name) => /^\w+$/.test(name));
}

function stemOf(path: string): string {
  return posix.basename(path).replace(/\.\w+$/, "");
}
