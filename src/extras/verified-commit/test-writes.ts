import { editOf } from "../../kernel/diff/edit.ts";
import {
  type SyntaxNode,
  bare,
  child,
  childrenOf,
  isFunction,
  lineFeedsOf,
  list,
  parseSource,
  word,
} from "../../kernel/syntax.ts";
import type { TestFileChange } from "./check-diff.ts";
import { NameScope, declareBlock, declarePattern, declareVars, propertyName } from "./scopes.ts";

/** A new line that writes to something that older tests use. */
export interface TestWrite {
  readonly path: string;
  /** Title of the test; empty outside tests. */
  readonly title: string;
  readonly line: number;
  readonly text: string;
}

/** A test of a file, or a group of them, with its lines. */
interface Part {
  readonly title: string;
  readonly isGroup: boolean;
  readonly start: number;
  readonly end: number;
}

const SCRIPT = /\.[cm]?[jt]sx?$/;
const GROUPS: ReadonlySet<string> = new Set(["describe", "suite"]);
const TESTS: ReadonlySet<string> = new Set(["test", "it"]);
const CHANGES = /^(?:Object\.(?:assign|define\w+|setPrototypeOf)|Reflect\.(?:set|define|delete)\w*)$/;
/** Methods that change their first argument, everything, or the object that they belong to. */
const SPIES = /^(?:spyOn|replaceProperty|method|getter|setter)$/;
const STUBS = /^(?:stub(?:Global|Env)|setSystemTime)$/;
const UPDATES = /^(?:push|pop|shift|unshift|splice|sort|reverse|fill|copyWithin|mock[A-Z]\w*)$/;
/** Limit of pairs of lines to compare. */
const MAX_PAIRS = 16_000_000;

/**
 * New lines in older tests, and outside tests of an older file, that write to what they don't declare: then an older
 * assertion can pass on any code. An older test is one whose title was in a changed file before.
 */
export function newWrites(changes: readonly TestFileChange[]): readonly TestWrite[] {
  const older = Map.groupBy(changes.flatMap(olderTests), ({ title }) => title);
  return changes.flatMap((change) => writesIn(change, older).map((write) => ({ ...write, path: change.path })));
}

function writesIn(
  { path, before, after }: TestFileChange,
  older: ReadonlyMap<string, readonly OlderTest[]>,
): readonly Omit<TestWrite, "path">[] {
  if (after === "" || after === before || !SCRIPT.test(path)) return [];
  const lines = new Lines(after);
  const parsed = parseSource(after, path);
  if (!parsed.ok) {
    const isNew = addedLines(new Lines(before).trimmed, lines.trimmed);
    return lines.trimmed.flatMap((text, index) =>
      before !== "" && isNew[index] === true && text !== "" ? [{ title: "", line: index + 1, text }] : [],
    );
  }
  const versionsOf = ({ title }: Part): readonly OlderTest[] => [title, UNKNOWN].flatMap((key) => older.get(key) ?? []);
  const parts = partsOf(parsed.value.program, lines);
  const tests = parts.filter(({ isGroup }) => !isGroup);
  const olderParts = tests.filter((test) => versionsOf(test).length > 0);
  const added = new Set([
    ...(before === "" ? [] : addedOutside({ path, before }, lines, tests)),
    ...olderParts.flatMap((test) => addedIn(test, lines, versionsOf(test))),
  ]);
  // A new test, and a group of only new ones, may write to everything.
  const free = parts.filter((part) => !olderParts.some((test) => part.start <= test.start && test.end <= part.end));
  const isWithin = (index: number, part: Part): boolean => part.start <= index && index <= part.end;
  const finder = new Finder(lines, added);
  finder.visit(parsed.value.program, new Level(undefined, false));
  return [...finder.found]
    .filter((index) => !free.some((part) => isWithin(index, part)))
    .map((index) => ({
      title: tests.find((part) => isWithin(index, part))?.title ?? "",
      line: index + 1,
      text: lines.trimmed[index] ?? "",
    }));
}

/** Title of a test in a file that can't be parsed. */
const UNKNOWN = "\0";

interface OlderTest {
  readonly title: string;
  readonly lines: readonly string[];
}

/** The tests of a file before the run. */
function olderTests({ path, before }: TestFileChange): readonly OlderTest[] {
  if (before === "" || !SCRIPT.test(path)) return [];
  const lines = new Lines(before);
  const tests = testsOf(path, lines);
  if (tests === undefined) return [{ title: UNKNOWN, lines: lines.trimmed }];
  return tests.map(({ title, start, end }) => ({ title, lines: lines.trimmed.slice(start, end + 1) }));
}

function testsOf(path: string, lines: Lines): readonly Part[] | undefined {
  const parsed = parseSource(lines.text, path);
  return parsed.ok ? partsOf(parsed.value.program, lines).filter(({ isGroup }) => !isGroup) : undefined;
}

function addedOutside(
  { path, before }: Pick<TestFileChange, "path" | "before">,
  lines: Lines,
  tests: readonly Part[],
): readonly number[] {
  const old = new Lines(before);
  const outside = lines.outside(tests);
  const isNew = addedLines(old.pick(old.outside(testsOf(path, old) ?? [])), lines.pick(outside));
  return outside.filter((_, at) => isNew[at] === true);
}

/** Indexes of the lines that a test has and the most similar older test of its title doesn't. */
function addedIn({ start, end }: Part, lines: Lines, versions: readonly OlderTest[]): readonly number[] {
  const now = lines.trimmed.slice(start, end + 1);
  const [fewest = []] = versions
    .map((version) => addedLines(version.lines, now).flatMap((isNew, at) => (isNew ? [at + start] : [])))
    .toSorted((left, right) => left.length - right.length);
  return fewest;
}

function partsOf(node: SyntaxNode, lines: Lines): readonly Part[] {
  const [first, ...rest] = node.type === "CallExpression" ? list(node, "arguments") : [];
  const name = word(rootOf(node), "name") ?? "";
  const isGroup = GROUPS.has(name);
  if (first === undefined || !rest.some(isFunction) || (!isGroup && !TESTS.has(name)))
    return childrenOf(node).flatMap((each) => partsOf(each, lines));
  const title = word(first, "value") ?? lines.text.slice(first.start, first.end);
  const part = { title, isGroup, start: lines.at(node.start), end: lines.at(node.end) };
  return isGroup ? [part, ...childrenOf(node).flatMap((each) => partsOf(each, lines))] : [part];
}

/** The value with which a chain of members and calls begins. */
function rootOf(node: SyntaxNode | undefined): SyntaxNode | undefined {
  const at = bare(node);
  const next = child(at, "object") ?? child(at, "callee") ?? child(at, "tag");
  return next === undefined ? at : rootOf(next);
}

/** The lines of a text. */
class Lines {
  readonly text: string;
  readonly trimmed: readonly string[];
  /** Returns the index of the line of an offset. */
  readonly at: (offset: number) => number;

  constructor(text: string) {
    this.text = text;
    this.trimmed = text.split("\n").map((line) => line.trim());
    this.at = lineFeedsOf(text);
  }

  /** Indexes of the lines that are in none of these tests. Their first and last lines are outside, too. */
  outside(tests: readonly Part[]): readonly number[] {
    return [...this.trimmed.keys()].filter((index) => !tests.some(({ start, end }) => start < index && index < end));
  }

  pick(indexes: readonly number[]): readonly string[] {
    return indexes.map((index) => this.trimmed[index] ?? "");
  }
}

/** Returns true for each line that a shortest edit of the older lines adds; for all if they are very unlike. */
function addedLines(before: readonly string[], after: readonly string[]): readonly boolean[] {
  if (before.length * after.length > MAX_PAIRS) return after.map(() => true);
  return editOf(before, after, { comparisons: MAX_PAIRS }).flatMap(({ kind }) =>
    kind === "removed" ? [] : [kind === "added"],
  );
}

/** The names of a block: those from older lines, and those from new ones. */
class Level {
  readonly old = new NameScope();
  readonly fresh = new NameScope();
  readonly parent: Level | undefined;
  /** True in a class or block that is new itself. */
  readonly isNew: boolean;

  constructor(parent: Level | undefined, isNew: boolean) {
    this.parent = parent;
    this.isNew = isNew;
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

/** Finds new lines that write. */
class Finder {
  readonly found = new Set<number>();
  readonly #lines: Lines;
  readonly #added: ReadonlySet<number>;

  constructor(lines: Lines, added: ReadonlySet<number>) {
    this.#lines = lines;
    this.#added = added;
  }

  visit(node: SyntaxNode, around: Level): void {
    const isBlock = /^(?:Program|.*Block(?:Statement)?|For\w*Statement|SwitchStatement|Class\w+)$/.test(node.type);
    const level = isBlock || isFunction(node) ? this.#level(node, around) : around;
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
        this.#call(node, level);
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
    const level = new Level(around, node.type !== "Program" && this.#isNew(node));
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
    if (callee?.type !== "MemberExpression" || object === undefined) return;
    const method = propertyName(callee) ?? "";
    const isChange = CHANGES.test(`${word(bare(object), "name") ?? ""}.${method}`) || SPIES.test(method);
    const changed = isChange ? first : undefined;
    const isUpdate = UPDATES.test(method) && !(method.startsWith("mock") ? isOwnValue : isOwnList)(object, level);
    if (STUBS.test(method) || isUpdate || (changed !== undefined && !isOwnValue(changed, level)))
      this.#add({ ...node, start: object.start, end: first?.end ?? node.end });
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
