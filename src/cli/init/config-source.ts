import { MagicString } from "magic-string";
import {
  type SyntaxNode,
  type SyntaxTree,
  bare,
  child,
  isFunction,
  list,
  nodesOf,
  parseSource,
  word,
} from "../../kernel/syntax.ts";

/** Edit of a file: already set up, edited, or left to the user with `lines` to add. */
export type ConfigEdit =
  | { readonly kind: "done" }
  | { readonly kind: "edit"; readonly text: string }
  | { readonly kind: "tell"; readonly reason: string; readonly lines: readonly string[] };

/** A configuration file to be edited. */
export interface ConfigSource {
  /** Name of the configuration file. Its extension determines the language. */
  readonly name: string;
  readonly text: string;
  /** True if Node treats a `.js` file here as an ES module. */
  readonly esm: boolean;
}

/** One entry of an object literal. */
export interface ObjectProperty {
  /** Undefined for what is spread into it, and for a computed name. */
  readonly name: string | undefined;
  /** Undefined if it isn't a `name: value`. */
  readonly value: SyntaxNode | undefined;
}

/** Functions that give back what they are given, or add to it. */
const WRAPPERS: ReadonlySet<string> = new Set(["defineConfig", "defineProject"]);

/** Spaces and comments; then the closing parentheses of an element, and its comma. */
const GAP = String.raw`(?:\s|//[^\n]*(?![^\n])|/\*(?:(?!\*/)[^])*\*/)*`;
const CLOSING = new RegExp(`^(?:${GAP}\\))*`, "u");
const COMMA = new RegExp(`^${GAP},`, "u");

/** Returns whether a call has configurations as its arguments. */
function isMerged(call: SyntaxNode): boolean {
  const name = word(child(call, "callee"), "name") ?? "";
  return WRAPPERS.has(name) || name === "mergeConfig";
}

/** JSON is an expression: in brackets it is a program too. */
const [JSON_HEAD, JSON_TAIL] = ["(", "\n)"];

/** Parsed configuration file, and the text to add; the existing text stays byte for byte. */
export class ConfigFile {
  readonly text: string;
  readonly program: SyntaxNode;
  readonly #edits: MagicString;
  readonly #nodes: readonly SyntaxNode[];

  constructor({ text, program }: SyntaxTree) {
    this.text = text;
    this.program = program;
    this.#edits = new MagicString(text);
    this.#nodes = [...nodesOf(program)];
  }

  /** Returns whether a string literal of the file equals this value. */
  includes(value: string): boolean {
    return this.#nodes.some((node) => node.type === "Literal" && node["value"] === value);
  }

  /** Returns whether the file contains an identifier of this name. */
  names(name: string): boolean {
    return this.#nodes.some((node) => node.type === "Identifier" && node["name"] === name);
  }

  /** Returns whether an object of the file has a property of this name, apart from options of calls such as plugins. */
  hasProperty(name: string): boolean {
    const calls = this.#nodes.filter((node) => node.type === "CallExpression" && !isMerged(node));
    const options = new Set(calls.flatMap((call) => list(call, "arguments")));
    const objects = this.#nodes.filter((node) => node.type === "ObjectExpression");
    // Projects are in the configuration itself or in its `test`, not in its other options.
    const otherOptions = new Set(
      objects.flatMap((object) =>
        propertiesOf(object).flatMap(({ name: key, value }) => (key === "test" || value === undefined ? [] : [value])),
      ),
    );
    return objects.some(
      (node) =>
        !options.has(node) && !otherOptions.has(node) && propertiesOf(node).some((property) => property.name === name),
    );
  }

  /** Returns whether most of its strings use single quotes. */
  usesSingleQuotes(): boolean {
    const raws = this.#nodes.map((node) => (node.type === "Literal" ? (word(node, "raw") ?? "") : ""));
    const texts = raws.filter((raw) => /^["']/.test(raw));
    return texts.filter((raw) => raw.startsWith("'")).length * 2 > texts.length;
  }

  /** The line break that it uses. */
  lineBreak(): string {
    return this.text.includes("\r\n") ? "\r\n" : "\n";
  }

  /**
   * Returns the object literal that it exports, or the only one if it is JSON. Follows `defineConfig(…)`, the last
   * argument of `mergeConfig(…)`, the argument of a function that `next/jest` makes, functions that return one, and a
   * constant that is exported by its name. Undefined for every other shape: it doesn't guess.
   */
  exported(): SyntaxNode | undefined {
    if (this.program.type !== "Program") return this.program.type === "ObjectExpression" ? this.program : undefined;
    const exports = this.#nodes.flatMap((node) => {
      if (node.type === "ExportDefaultDeclaration") return [child(node, "declaration")];
      const isExports = node.type === "AssignmentExpression" && this.#textOf(child(node, "left")) === "module.exports";
      return isExports ? [child(node, "right")] : [];
    });
    return exports.length === 1 ? this.#objectAt(exports[0], 0) : undefined;
  }

  /** Puts a text in at an offset. */
  insert(at: number, text: string): void {
    this.#edits.appendLeft(at, text);
  }

  /** Puts entries first into an object literal. */
  intoObject(object: SyntaxNode, entries: readonly string[]): void {
    const [first] = list(object, "properties");
    const brace = object.start + 1;
    if (first === undefined) return this.#intoEmpty(object, entries.join(", "));
    for (const entry of entries) {
      if (this.#sameLine(brace, first.start)) this.insert(first.start, `${entry}, `);
      else this.insert(first.start, `${entry},${this.lineBreak()}${this.#indentAt(first.start)}`);
    }
  }

  /** Puts an element first into a list literal. */
  firstIntoList(array: SyntaxNode, element: string): void {
    const [first] = list(array, "elements");
    if (first === undefined) return this.insert(array.start + 1, element);
    const isOneLine = this.#sameLine(array.start, first.start);
    this.insert(
      first.start,
      isOneLine ? `${element}, ` : `${element},${this.lineBreak()}${this.#indentAt(first.start)}`,
    );
  }

  /** Puts an element last into a list literal. */
  intoList(array: SyntaxNode, element: string): void {
    const last = list(array, "elements").at(-1);
    const bracket = array.end - 1;
    if (last === undefined) return this.insert(array.start + 1, element);
    const lastEnd = last.end + (CLOSING.exec(this.text.slice(last.end, bracket))?.[0].length ?? 0);
    const comma = COMMA.exec(this.text.slice(lastEnd, bracket))?.[0];
    const end = lastEnd + (comma?.length ?? 0);
    if (this.#sameLine(end, bracket)) return this.insert(end, comma === undefined ? `, ${element}` : ` ${element}`);
    if (comma === undefined) this.insert(lastEnd, ",");
    // After a comment that belongs to the element before.
    const lineEnd = this.text.slice(end, bracket).search(/\r?\n/) + end;
    const line = `${this.lineBreak()}${this.#indentAt(last.start)}${element}${comma === undefined ? "" : ","}`;
    this.insert(lineEnd, line);
  }

  /** Returns the text with the additions; undefined if it doesn't parse with them. */
  edited(name: string): string | undefined {
    const whole = this.#edits.toString();
    const text = name.endsWith(".json") ? whole.slice(JSON_HEAD.length, -JSON_TAIL.length) : whole;
    return readConfig(text, name) === undefined ? undefined : text;
  }

  #textOf(node: SyntaxNode | undefined): string {
    return node === undefined ? "" : this.text.slice(node.start, node.end);
  }

  #intoEmpty(object: SyntaxNode, entry: string): void {
    const inside = this.text.slice(object.start + 1, object.end - 1);
    const at = object.start + 1;
    if (!inside.includes("\n")) return this.insert(at, inside === "" ? ` ${entry} ` : ` ${entry}`);
    this.insert(at, `${this.lineBreak()}${this.#indentAt(at)}  ${entry}`);
  }

  #sameLine(from: number, to: number): boolean {
    return !this.text.slice(from, to).includes("\n");
  }

  /** Returns the indentation of the line of an offset. */
  #indentAt(offset: number): string {
    const start = this.text.lastIndexOf("\n", offset - 1) + 1;
    return /^[ \t]*/.exec(this.text.slice(start, offset))?.[0] ?? "";
  }

  #objectAt(node: SyntaxNode | undefined, depth: number): SyntaxNode | undefined {
    const inner = node?.type === "AwaitExpression" ? undefined : bare(node);
    if (inner === undefined || depth > 20) return undefined;
    if (inner.type === "ObjectExpression") return inner;
    if (isFunction(inner)) return this.#objectAt(returned(inner), depth + 1);
    if (inner.type === "Identifier") return this.#constant(word(inner, "name") ?? "", depth);
    if (inner.type !== "CallExpression") return undefined;
    const name = word(child(inner, "callee"), "name") ?? "";
    const args = list(inner, "arguments");
    if (WRAPPERS.has(name) || this.#isNextJest(child(inner, "callee")))
      return args.length === 1 ? this.#objectAt(args[0], depth + 1) : undefined;
    return name === "mergeConfig" ? this.#objectAt(args.at(-1), depth + 1) : undefined;
  }

  /** Returns whether a function is `nextJest(…)`, or a constant with this value. It adds the project's transforms. */
  #isNextJest(callee: SyntaxNode | undefined): boolean {
    const made = callee?.type === "Identifier" ? this.#declaration(word(callee, "name") ?? "") : callee;
    const maker = made?.type === "CallExpression" ? word(child(made, "callee"), "name") : undefined;
    if (maker === undefined) return false;
    const required = this.#declaration(maker);
    const isRequired = required?.type === "CallExpression" && list(required, "arguments").some(isNextJestName);
    return isRequired || this.#nodes.some((node) => isImportOf(node, maker));
  }

  #constant(name: string, depth: number): SyntaxNode | undefined {
    return this.#objectAt(this.#declaration(name), depth + 1);
  }

  /** Returns a constant's initial value; undefined if the name is declared twice or reassigned. */
  #declaration(name: string): SyntaxNode | undefined {
    const isName = (node: SyntaxNode | undefined): boolean => node?.type === "Identifier" && node["name"] === name;
    const declared = this.#nodes.filter((node) => node.type === "VariableDeclarator" && isName(child(node, "id")));
    const isChanged = this.#nodes.some(
      (node) =>
        (node.type === "MemberExpression" && isName(child(node, "object"))) ||
        (node.type === "AssignmentExpression" && isName(child(node, "left"))),
    );
    return declared.length === 1 && !isChanged ? child(declared[0], "init") : undefined;
  }
}

function isNextJestName(node: SyntaxNode | undefined): boolean {
  return node?.type === "Literal" && /^next\/jest(?:\.js)?$/.test(String(node["value"]));
}

/** Returns whether a node imports `next/jest` by this name. */
function isImportOf(node: SyntaxNode, name: string): boolean {
  if (node.type !== "ImportDeclaration" || !isNextJestName(child(node, "source"))) return false;
  return list(node, "specifiers").some((each) => word(child(each, "local"), "name") === name);
}

/** Reads a configuration; undefined for what cannot be parsed. */
export function readConfig(text: string, name: string): ConfigFile | undefined {
  if (name.endsWith(".json")) return readJson(text);
  const tree = parseSource(text, name);
  return tree.ok ? new ConfigFile(tree.value) : undefined;
}

function readJson(text: string): ConfigFile | undefined {
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  const tree = parseSource(`${JSON_HEAD}${text}${JSON_TAIL}`, "a.js");
  const value = tree.ok ? child(list(tree.value.program, "body")[0], "expression") : undefined;
  return tree.ok && value !== undefined ? new ConfigFile({ ...tree.value, program: value }) : undefined;
}

/** The entries of an object literal. */
export function propertiesOf(object: SyntaxNode): readonly ObjectProperty[] {
  return list(object, "properties").map((each) => {
    const key = child(each, "key");
    const isNamed = each.type === "Property" && each["computed"] !== true;
    const isPlain = each["kind"] === "init" && each["shorthand"] !== true && each["method"] !== true;
    const name = isNamed ? (word(key, "name") ?? word(key, "value")) : undefined;
    return { name, value: isPlain && name !== undefined ? child(each, "value") : undefined };
  });
}

/** Returns the result of a function: its expression, or the argument of its only return statement. */
function returned(node: SyntaxNode): SyntaxNode | undefined {
  const body = child(node, "body");
  if (body?.type !== "BlockStatement") return body;
  const returns = [...nodesOf(body)].filter(({ type }) => type === "ReturnStatement");
  return returns.length === 1 ? child(returns[0], "argument") : undefined;
}
