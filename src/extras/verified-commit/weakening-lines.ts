import { posix } from "node:path";
import {
  type SyntaxNode,
  bare,
  child,
  childrenOf,
  isFunction,
  list,
  nodesOf,
  parseSource,
  word,
} from "../../kernel/syntax.ts";
import { isTestSide } from "./base-tests.ts";
import type { TestFileChange } from "./check-diff.ts";
import { Lines, type OlderTest, SCRIPT, addedLines, makesTests, newLinesOf, olderTests } from "./older-tests.ts";
import { NameScope, declareBlock, declarePattern, declareVars, propertyName } from "./scopes.ts";

/** A new line with which an older test may check less. */
export interface WeakeningLine {
  readonly path: string;
  /** Title of the test; empty outside tests. */
  readonly title: string;
  readonly line: number;
  readonly text: string;
}

const CHANGES = /^(?:Object\.(?:assign|define\w+|setPrototypeOf)|Reflect\.(?:set|define|delete)\w*)$/;
/** Methods that change their first argument, everything, or the object that they belong to. */
const SPIES = /^(?:spyOn|replaceProperty|method|getter|setter)$/;
const STUBS = /^(?:stub(?:Global|Env)|setSystemTime)$/;
const UPDATES = /^(?:push|pop|shift|unshift|splice|sort|reverse|fill|copyWithin|mock[A-Z]\w*)$/;
/** Statements and expressions that run a part of their code under a condition, or not at once. */
const BRANCHES =
  /^(?:(?:If|For|ForIn|ForOf|While|DoWhile|With|Try|Labeled|Switch)Statement|(?:Conditional|Logical)Expression)$/;
const LOOPS = /^(?:(?:For|ForIn|ForOf|While|DoWhile|Labeled|Switch)Statement)$/;
/** Statements that a new line can continue: `.not` in a chain, another key of an expected object. */
const CONTINUED = /^(?:ExpressionStatement|VariableDeclaration|ReturnStatement)$/;
/** Lines without code of their own. */
const WITHOUT_CODE = /^(?:[\s(){}[\];,]*|\/?\*.*|\/\/.*)$/;

/**
 * New lines in older tests, and outside tests of an older file, that write to what they don't declare, continue an
 * older statement, end a test or a loop early, or make older lines depend on a condition: then an older assertion can
 * pass on any code. An older test is one whose title was in a changed file before.
 */
export function weakeningLines(changes: readonly TestFileChange[]): readonly WeakeningLine[] {
  const older = Map.groupBy(changes.flatMap(olderTests), ({ title }) => title);
  return changes.flatMap((change) => linesIn(change, older).map((line) => ({ ...line, path: change.path })));
}

function linesIn(
  { path, before, after }: TestFileChange,
  older: ReadonlyMap<string, readonly OlderTest[]>,
): readonly Omit<WeakeningLine, "path">[] {
  if (after === "" || after === before || !SCRIPT.test(path)) return [];
  const lines = new Lines(after);
  const parsed = parseSource(after, path);
  if (!parsed.ok) {
    const isNew = addedLines(new Lines(before).trimmed, lines.trimmed);
    return lines.trimmed.flatMap((text, index) =>
      before !== "" && isNew[index] === true && text !== "" ? [{ title: "", line: index + 1, text }] : [],
    );
  }
  const { program } = parsed.value;
  const { added, isOfNewTest, titleAt } = newLinesOf({ path, before }, { lines, program }, older);
  const finder = new Finder(path, lines, added);
  finder.search(program);
  return [...finder.found]
    .filter((index) => !isOfNewTest(index))
    .map((index) => ({ title: titleAt(index), line: index + 1, text: lines.trimmed[index] ?? "" }));
}

/** The names of a block: those from older lines, and those from new ones. */
class Level {
  readonly old = new NameScope();
  readonly fresh = new NameScope();
  readonly parent: Level | undefined;
  /** True in a class or block that is new itself. */
  readonly isNew: boolean;
  /** True in a new function, which a new line may leave. */
  readonly isInNewFunction: boolean;
  /** True in a new loop, switch or label. */
  readonly isInNewLoop: boolean;

  constructor(parent: Level | undefined, { isNew, node }: { readonly isNew: boolean; readonly node?: SyntaxNode }) {
    this.parent = parent;
    this.isNew = isNew;
    this.isInNewFunction = isFunction(node) ? isNew : parent?.isInNewFunction === true;
    this.isInNewLoop = LOOPS.test(node?.type ?? "") ? isNew : parent?.isInNewLoop === true;
  }

  /** Returns what a new line declares a name as; undefined if an older line does, or none. */
  find(name: string): ReturnType<NameScope["find"]> {
    if (this.old.find(name) !== undefined) return undefined;
    return this.fresh.find(name) ?? this.parent?.find(name);
  }

  /** Returns true if an older line declares a name, here or around. */
  isOld(name: string): boolean {
    return this.old.find(name) !== undefined || this.parent?.isOld(name) === true;
  }
}

/** Finds new lines that write, leave or make older lines conditional. */
class Finder {
  readonly found = new Set<number>();
  readonly #path: string;
  readonly #lines: Lines;
  readonly #added: ReadonlySet<number>;
  /** Functions of tests and groups, which always run. */
  readonly #groups = new Set<SyntaxNode>();
  /** Lists that can get more rows. */
  readonly #tables = new Set<SyntaxNode>();

  constructor(path: string, lines: Lines, added: ReadonlySet<number>) {
    this.#path = path;
    this.#lines = lines;
    this.#added = added;
  }

  search(program: SyntaxNode): void {
    this.#findTables([...nodesOf(program)]);
    this.visit(program, new Level(undefined, { isNew: false }));
  }

  visit(node: SyntaxNode, around: Level): void {
    const isBlock =
      /^(?:Program|.*Block(?:Statement)?|(?:For\w*|While|DoWhile|Labeled|Switch)Statement|Class\w+)$/.test(node.type);
    const level = isBlock || isFunction(node) ? this.#level(node, around) : around;
    if (isFunction(node) ? !this.#groups.has(node) : BRANCHES.test(node.type)) this.#wrap(node);
    if (CONTINUED.test(node.type) && !this.#isNew(node)) this.#continue(node);
    switch (node.type) {
      case "AssignmentExpression":
        this.#write(node, child(node, "left"), level);
        break;
      case "UpdateExpression":
        this.#write(node, child(node, "argument"), level);
        break;
      case "UnaryExpression":
        if (node["operator"] === "delete") this.#write(node, child(node, "argument"), level);
        break;
      case "ForInStatement":
      case "ForOfStatement":
        if (child(node, "left")?.type !== "VariableDeclaration") this.#write(node, child(node, "left"), level);
        break;
      case "CallExpression":
        if (makesTests(node)) for (const each of list(node, "arguments")) this.#groups.add(each);
        this.#call(node, level);
        break;
      case "ReturnStatement":
        if (!level.isInNewFunction) this.#add(node);
        break;
      case "BreakStatement":
      case "ContinueStatement":
        if (!level.isInNewLoop) this.#add(node);
        break;
      case "VariableDeclarator":
      case "FunctionDeclaration":
      case "ClassDeclaration":
        this.#shadow(child(node, "id"), node.type === "VariableDeclarator" ? level : around);
        break;
      default:
    }
    for (const each of childrenOf(node)) this.visit(each, level);
  }

  #level(node: SyntaxNode, around: Level): Level {
    const level = new Level(around, { isNew: node.type !== "Program" && this.#isNew(node), node });
    const heads = [child(node, "init"), child(node, "left")].filter((each) => each !== undefined);
    const cases = list(node, "cases").flatMap((each) => list(each, "consequent"));
    for (const statement of [...list(node, "body"), ...heads, ...cases]) {
      const names = this.#isNew(statement) ? level.fresh : level.old;
      declareBlock(names, [statement]);
      declareVars(names, statement);
    }
    for (const param of list(node, "params")) declarePattern(level.isNew ? level.fresh : level.old, param);
    return level;
  }

  #write(node: SyntaxNode, target: SyntaxNode | undefined, level: Level): void {
    if (target !== undefined && !targetsOf(target).every((each) => isOwn(each, level)))
      this.#add({ ...node, end: child(node, "right")?.start ?? node.end });
  }

  #call(node: SyntaxNode, level: Level): void {
    const callee = bare(child(node, "callee"));
    const [first] = list(node, "arguments");
    const object = child(callee, "object");
    if (callee?.type === "Identifier" && this.#isOfTests(callee, level))
      for (const each of list(node, "arguments"))
        if (level.isOld(word(bare(each), "name") ?? "")) this.#add({ ...node, end: callee.end });
    if (callee?.type !== "MemberExpression" || object === undefined) return;
    const method = propertyName(callee) ?? "";
    const isChange = CHANGES.test(`${word(bare(object), "name") ?? ""}.${method}`) || SPIES.test(method);
    const changed = isChange ? first : undefined;
    const isUpdate = UPDATES.test(method) && !(method.startsWith("mock") ? isOwnValue : isOwnList)(object, level);
    if (STUBS.test(method) || isUpdate || (changed !== undefined && !isOwnValue(changed, level)))
      this.#add({ ...node, start: object.start, end: first?.end ?? node.end });
  }

  /** Returns true for a new function of the tests, which can change its arguments. */
  #isOfTests(callee: SyntaxNode, level: Level): boolean {
    const binding = level.find(word(callee, "name") ?? "");
    const { module } = binding ?? {};
    if (module === undefined) return binding?.kind === "function";
    return module.startsWith(".") && isTestSide(posix.join(posix.dirname(this.#path), module));
  }

  /** New code around older lines. */
  #wrap(node: SyntaxNode): void {
    if (this.#isNew(node) && this.#kindsOf(node, 1).has("old")) this.#add(node);
  }

  /** Returns whether the lines with code of a node, from one of its lines, are old or new. */
  #kindsOf({ start, end }: SyntaxNode, from = 0): ReadonlySet<"old" | "new"> {
    const kinds = new Set<"old" | "new">();
    const last = this.#lines.at(end);
    for (let line = this.#lines.at(start) + from; line <= last; line += 1)
      if (!WITHOUT_CODE.test(this.#lines.trimmed[line] ?? "")) kinds.add(this.#added.has(line) ? "new" : "old");
    return kinds;
  }

  /** New lines of an older statement, except blocks in it, and rows of a table of tests. */
  #continue(node: SyntaxNode): void {
    const parts = childrenOf(node);
    if (parts.length === 0) this.#add(node);
    for (const each of parts) {
      const isRow = this.#tables.has(node) && each.type !== "SpreadElement" && this.#kindsOf(each).size === 1;
      const isTable = each.type === "TaggedTemplateExpression" && makesTests(each);
      if (isRow || isTable || /^(?:BlockStatement|ClassBody)$/.test(each.type)) continue;
      if (this.#isNew(each)) this.#add(each);
      else this.#continue(each);
    }
  }

  /** The lists of rows for which older lines make tests, or loop. */
  #findTables(nodes: readonly SyntaxNode[]): void {
    const rows = nodes.flatMap((node) => (this.#isNew(node) ? [] : rowsOf(node))).map((each) => bare(each) ?? each);
    const names = new Set(rows.map((each) => word(each, "name")));
    for (const each of rows) this.#tables.add(each);
    for (const node of nodes) {
      const init = bare(child(node, "init"));
      const name = word(child(node, "id"), "name");
      if (init !== undefined && name !== undefined && names.has(name)) this.#tables.add(init);
    }
  }

  /** A new name in the place of an older one. */
  #shadow(id: SyntaxNode | undefined, level: Level): void {
    if (id === undefined || level.isNew) return;
    const names = targetsOf(id).map((each) => word(each, "name") ?? "");
    if (names.some((name) => level.isOld(name))) this.#add(id);
  }

  #isNew({ start }: SyntaxNode): boolean {
    return this.#added.has(this.#lines.at(start));
  }

  #add({ start, end }: Pick<SyntaxNode, "start" | "end">): void {
    const last = this.#lines.at(end);
    for (let line = this.#lines.at(start); line <= last; line += 1)
      if (this.#added.has(line)) {
        this.found.add(line);
        return;
      }
  }
}

/** The lists that a loop, or a table of tests, goes through. */
function rowsOf(node: SyntaxNode): readonly SyntaxNode[] {
  if (node.type === "ForOfStatement") return [child(node, "right") ?? node];
  const callee = bare(child(node, "callee"));
  const isTable = /^(?:each|for)$/.test(word(child(callee, "property"), "name") ?? "") && makesTests(node);
  return isTable ? list(node, "arguments") : [];
}

/** The names and members that a pattern writes to. */
function targetsOf(pattern: SyntaxNode): readonly SyntaxNode[] {
  const target = bare(pattern) ?? pattern;
  switch (target.type) {
    case "ArrayPattern":
      return list(target, "elements").flatMap(targetsOf);
    case "ObjectPattern":
      return list(target, "properties").flatMap((each) => targetsOf(child(each, "value") ?? each));
    case "AssignmentPattern":
      return targetsOf(child(target, "left") ?? target);
    case "RestElement":
      return targetsOf(child(target, "argument") ?? target);
    case "VariableDeclaration":
      return [];
    default:
      return [target];
  }
}

/** Returns true for a write to a name that new lines declare, or to a member of a value that they make. */
function isOwn(target: SyntaxNode, level: Level): boolean {
  if (target.type === "Identifier") return level.find(word(target, "name") ?? "") !== undefined;
  const object = bare(child(target, "object"));
  return target.type === "MemberExpression" && object !== undefined && isOwnValue(object, level);
}

/** Returns true for an object, list or spy that a new line makes, and for `this` of a new class. */
function isOwnValue(value: SyntaxNode, level: Level): boolean {
  const node = bare(value) ?? value;
  if (node.type === "ThisExpression") return level.isNew;
  if (node.type === "ObjectExpression" || node.type === "ArrayExpression") return true;
  if (node.type === "CallExpression") return isSpy(node);
  if (node.type === "NewExpression") return word(child(node, "callee"), "name")?.endsWith("Error") === true;
  const binding = node.type === "Identifier" ? level.find(word(node, "name") ?? "") : undefined;
  const init = bare(binding?.init);
  if (binding === undefined || init === undefined || binding.members.length > 0) return false;
  return init.type === "ObjectExpression" || init.type === "ArrayExpression" || isSpy(init);
}

/** Returns true for a list that a new line makes or gets from a call. */
function isOwnList(value: SyntaxNode, level: Level): boolean {
  const node = bare(value) ?? value;
  const init = node.type === "Identifier" ? bare(level.find(word(node, "name") ?? "")?.init) : undefined;
  return [node, init].some((each) => /^(?:Call|New)Expression$/.test(each?.type ?? "")) || isOwnValue(node, level);
}

/** `vi.fn()`, also in a chain. */
function isSpy(node: SyntaxNode | undefined): boolean {
  const at = bare(node);
  const callee = child(at, "callee");
  if (callee?.type === "MemberExpression" && propertyName(callee) === "fn") return true;
  const next = callee ?? child(at, "object");
  return next !== undefined && isSpy(next);
}
