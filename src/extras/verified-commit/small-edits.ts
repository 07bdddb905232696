import { editOf } from "../../kernel/diff/edit.ts";
import {
  type SyntaxNode,
  child,
  isWrapper,
  lineFeedsOf,
  list,
  nodesOf,
  parseSource,
  word,
} from "../../kernel/syntax.ts";
import { isScript } from "./files-with.ts";
import type { ChangedCode, Mutant } from "./mutants.ts";

/** Code that does nothing when it runs: types, imports and re-exports. */
const IDLE = /^(?:TS(?:Interface|TypeAlias|Module|Declare)\w*|Import\w+|Export(?:All|Specifier)\w*|EmptyStatement)$/;
const DECLARES = /^(?:(?:Function|Class|Variable|TSEnum|ExportNamed|ExportDefault)\w*Declaration|\w+Definition)$/;
/** Statements and expressions that decide, stop or act. */
const ACTS = new RegExp(
  "^(?:(?:If|For\\w*|While|DoWhile|Switch|Try|Throw|Return|Break|Continue)Statement|SwitchCase|CatchClause|" +
    "AssignmentPattern|(?:Conditional|Logical|Call|New|Assignment|Update|Await|Yield)Expression)$",
);
/** Expressions that compute a value of others. */
const COMPUTES = /^(?:Binary|Unary|Logical|Conditional|Call|New|TaggedTemplate|Member|Sequence|Update)Expression$/;
const COMPARES = /^(?:[<>]=?|[!=]==?|in)$/;
/** Fields with a value of the program. */
const VALUES: readonly string[] = ["operator", "value", "regex", "bigint", "prefix", "kind", "static", "delegate"];
/** Lists of statements and members, which can be removed and added one by one. */
const STATEMENTS = /^(?:body|consequent)$/;
/** Lists to which code can add an entry without an effect on older entries. */
const OPEN_LISTS = /^(?:properties|elements|members|params|declarations|decorators|children|attributes|specifiers)$/;
/** Lists of names and texts. */
const NAMES = /^(?:params|decorators|children|attributes|specifiers)$/;
const LOGS = /^(?:console|debug|log\w*)$/i;
const MAX_PAIRS = 250_000;

/** Old code to put in the place of a part of the new code. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A part that only one version of a list has. */
interface ListChange {
  readonly old: SyntaxNode;
  readonly now: SyntaxNode;
  readonly field: string;
  readonly node: SyntaxNode;
  /** Parts of the new version, by those of the old one that they belong to. */
  readonly partners: ReadonlyMap<SyntaxNode, SyntaxNode>;
}

type Pair = readonly [old: SyntaxNode, now: SyntaxNode];

/** Parts of two versions of a list, between parts that are the same. */
interface Gap {
  readonly before: readonly SyntaxNode[];
  readonly after: readonly SyntaxNode[];
}

/**
 * Finds small edits of older code: a different number, operator or function, and a part that is removed, added or put
 * around another, in code that stays the same. Returns each as the new file without this edit. Code that is
 * written in a different way, such as a refactoring, has none.
 */
export function smallEdits(files: readonly ChangedCode[]): readonly Mutant[] {
  const parsed = files.flatMap((file) => {
    const now = isScript(file.path) ? parseSource(file.after, file.path) : undefined;
    return now?.ok === true ? [{ ...file, now: now.value.program }] : [];
  });
  // A part that moved isn't removed. A comment isn't a part.
  const parts = new Set(
    parsed.flatMap(({ after, now }) => [...nodesOf(now)].filter(acts).map((node) => textOf(after, node))),
  );
  return parsed.flatMap(({ path, before, after, now }) => {
    const old = before === "" || after === "" ? undefined : parseSource(before, path);
    if (old?.ok !== true) return [];
    const comparison = new Comparison(before, after, parts);
    comparison.visit(old.value.program, now);
    const [lines, lineAt] = [after.split("\n"), lineFeedsOf(after)];
    const edits = comparison.edits.toSorted((first, second) => first.start - second.start);
    return edits.map(({ start, end, text }): Mutant => {
      const index = lineAt(start);
      const source = start === end ? `(removed) ${text.trim()}` : (lines[index] ?? "").trim();
      return { path, line: index + 1, source, text: after.slice(0, start) + text + after.slice(end) };
    });
  });
}

class Comparison {
  readonly edits: Edit[] = [];
  readonly #before: string;
  readonly #after: string;
  readonly #parts: ReadonlySet<string>;
  readonly #names: ReadonlySet<string>;
  readonly #newNames: ReadonlySet<string>;

  constructor(before: string, after: string, parts: ReadonlySet<string>) {
    this.#before = before;
    this.#after = after;
    this.#parts = parts;
    this.#names = new Set(before.match(/[\w$]+/g));
    this.#newNames = new Set(after.match(/[\w$]+/g));
  }

  visit(oldNode: SyntaxNode, newNode: SyntaxNode, parent?: SyntaxNode): void {
    const [old, now] = [unwrapped(oldNode), unwrapped(newNode)];
    const [module, newModule] = [child(old, "source"), child(now, "source")];
    if (module !== undefined && newModule !== undefined && this.#isOtherModule(old, now)) this.#add(module, newModule);
    if (this.#old(old) === this.#new(now) || [old, now].some((node) => IDLE.test(node.type) || isReport(node))) return;
    if (this.#isPutAround(old, now) || this.#isLeftOut(old, now) || this.#hasNewValue([old, now], parent))
      return this.#add(oldNode, newNode);
    if (old.type !== now.type) return;
    if (this.#isOtherMethod(old, now)) return this.#add(old, now);
    for (const field of new Set([...Object.keys(old), ...Object.keys(now)])) {
      const owner = old.type === "TemplateLiteral" ? parent : old;
      const [[first], [second]] = [nodesIn(old, field), nodesIn(now, field)];
      if (Array.isArray(old[field]) && Array.isArray(now[field])) this.#align([old, now], field, owner);
      else if (first !== undefined && second !== undefined) this.visit(first, second, old);
      else if (first !== undefined && hasAction(first)) this.#add(old, now);
    }
  }

  /** Compares two lists: equal parts stay, and those between them are compared in pairs. */
  #align([old, now]: Pair, field: string, owner: SyntaxNode | undefined): void {
    const [before, after] = [nodesIn(old, field), nodesIn(now, field)];
    if (before.length * after.length > MAX_PAIRS) return;
    const equal = pairsOf(
      [before, after],
      before.map((node) => this.#old(node)),
      after.map((node) => this.#new(node)),
    );
    for (const gap of gapsOf(before, after, equal)) {
      const pairs = pairsIn(gap);
      const removed = gap.before.filter((node) => !pairs.some(([each]) => each === node));
      const added = gap.after.filter((node) => !pairs.some(([, each]) => each === node));
      if (this.#isNested(removed, added)) continue;
      const partners = new Map([...equal, ...pairs]);
      for (const [oldPart, newPart] of pairs) this.visit(oldPart, newPart, owner);
      // A loop can become part of the statement after it.
      const isReplaced =
        added.some(hasAction) || pairs.some(([oldPart, newPart]) => actionsIn(newPart) > actionsIn(oldPart));
      if (!isReplaced) for (const node of removed) this.#remove({ old, now, field, node, partners });
      if (removed.length === 0) for (const node of added) this.#insert({ old, now, field, node, partners });
    }
  }

  /** Statements that get a condition or a `try`, or lose it. */
  #isNested(removed: readonly SyntaxNode[], added: readonly SyntaxNode[]): boolean {
    const [first, last] = [added[0], added.at(-1)];
    const [begin, end] = [removed[0], removed.at(-1)];
    if (first === undefined || last === undefined || begin === undefined || end === undefined) return false;
    const [inner, outer] = [removed.map((node) => this.#old(node)), added.map((node) => this.#new(node))];
    const within = (nodes: readonly SyntaxNode[], text: (node: SyntaxNode) => string): ReadonlySet<string> =>
      new Set(nodes.flatMap((node) => [...nodesOf(node)]).map(text));
    const isAround = inner.every((text) => within(added, (node) => this.#new(node)).has(text));
    const isLeft = outer.every((text) => within(removed, (node) => this.#old(node)).has(text));
    if (!isAround && !isLeft) return false;
    this.edits.push({ start: first.start, end: last.end, text: this.#before.slice(begin.start, end.end) });
    return true;
  }

  #remove({ old, now, field, node, partners }: ListChange): void {
    const [before, after] = [nodesIn(old, field), nodesIn(now, field)];
    const text = this.#old(node);
    const isMoved = this.#parts.has(text) || after.some((each) => this.#new(each) === text);
    if (isMoved || NAMES.test(field) || IDLE.test(node.type) || isReport(node)) return;
    if (STATEMENTS.test(field) ? !hasAction(node) || this.#isUnused(node) : node.type.startsWith("JSX")) return;
    const next = before.slice(before.indexOf(node) + 1).flatMap((each) => partners.get(each) ?? [])[0];
    const last = after.at(-1);
    if (!STATEMENTS.test(field) || last === undefined) return this.#add(old, now);
    const source = this.#before.slice(node.start, node.end);
    const at = next?.start ?? last.end;
    this.edits.push({ start: at, end: at, text: next === undefined ? `\n${source}` : `${source}\n` });
  }

  #insert({ old, now, field, node }: ListChange): void {
    if (OPEN_LISTS.test(field) || now.type === "ClassBody" || IDLE.test(node.type) || isReport(node)) return;
    // It moved.
    if (nodesIn(old, field).some((each) => this.#old(each) === this.#new(node))) return;
    if (!STATEMENTS.test(field)) return this.#add(old, now);
    if (hasAction(node) && !DECLARES.test(node.type)) this.edits.push({ start: node.start, end: node.end, text: "" });
  }

  /** Returns true for new code around the old code: `x` becomes `f(x)`. */
  #isPutAround(old: SyntaxNode, now: SyntaxNode): boolean {
    const text = this.#old(old);
    return COMPUTES.test(now.type) && innerOf(now).some((node) => this.#new(node) === text);
  }

  /** Returns true if only a part of the old code remains: `f(x)` becomes `x`. */
  #isLeftOut(old: SyntaxNode, now: SyntaxNode): boolean {
    const text = this.#new(now);
    return old.type.startsWith("Assign") || COMPUTES.test(old.type) || old.type === "AwaitExpression"
      ? innerOf(old).some((node) => this.#old(node) === text)
      : false;
  }

  /** Returns true if the same names come from another module. */
  #isOtherModule(old: SyntaxNode, now: SyntaxNode): boolean {
    const [names, newNames] = [list(old, "specifiers"), list(now, "specifiers")];
    const isSameName = names.some((name) => newNames.some((each) => this.#old(name) === this.#new(each)));
    return isSameName && child(old, "source")?.["value"] !== child(now, "source")?.["value"];
  }

  /** Returns true for the call of another method of the same object: `z.object(…)` becomes `z.any()`. */
  #isOtherMethod(old: SyntaxNode, now: SyntaxNode): boolean {
    const [callee, newCallee] = [child(old, "callee"), child(now, "callee")];
    const [object, newObject] = [child(callee, "object"), child(newCallee, "object")];
    if (callee === undefined || newCallee === undefined || object === undefined || newObject === undefined)
      return false;
    return nameOf(callee) !== nameOf(newCallee) && this.#old(object) === this.#new(newObject);
  }

  #hasNewValue([old, now]: Pair, parent: SyntaxNode | undefined): boolean {
    if (old.type !== now.type || /^JSX(?:Text|\w*Name|Identifier)/.test(old.type)) return false;
    const [name, newName] = [nameOf(old), nameOf(now)];
    if (old.type === "Identifier")
      return name !== newName && this.#names.has(newName ?? "") && this.#newNames.has(name ?? "");
    if (old.type === "MemberExpression" && old["optional"] === true && now["optional"] !== true) return true;
    const [object, newObject] = [child(old, "object"), child(now, "object")];
    if (object !== undefined && newObject !== undefined && this.#old(object) === this.#new(newObject))
      return name !== newName;
    if (old.type === "TemplateElement" || typeof old["value"] === "string") return isDeciding(parent);
    const fields = old.type === "VariableDeclaration" ? [] : VALUES;
    return fields.some((field) => nodesIn(old, field).length === 0 && !isSame(old[field], now[field]));
  }

  /** Returns true for a declaration whose names the new code doesn't contain. */
  #isUnused(node: SyntaxNode): boolean {
    const names = [...nodesOf(node)].flatMap((each) => word(child(each, "id"), "name") ?? []);
    return DECLARES.test(node.type) && [...names, nameOf(node) ?? ""].every((name) => !this.#newNames.has(name));
  }

  #add(old: SyntaxNode, now: SyntaxNode): void {
    this.edits.push({ start: now.start, end: now.end, text: this.#before.slice(old.start, old.end) });
  }

  #old(node: SyntaxNode): string {
    return textOf(this.#before, node);
  }

  #new(node: SyntaxNode): string {
    return textOf(this.#after, node);
  }
}

/** The text of a node, without regard to white space. */
function textOf(source: string, { start, end }: SyntaxNode): string {
  return source.slice(start, end).replaceAll(/\s+/g, " ");
}

function unwrapped(node: SyntaxNode): SyntaxNode {
  const inner = isWrapper(node) ? child(node, "expression") : undefined;
  return inner === undefined ? node : unwrapped(inner);
}

/** The nodes inside an expression. */
function innerOf(node: SyntaxNode): readonly SyntaxNode[] {
  return [...nodesOf(node)].filter(
    (each) => each !== node && each.type !== "Property" && each.type !== "TemplateElement",
  );
}

function nodesIn(node: SyntaxNode, field: string): readonly SyntaxNode[] {
  // The walk leaves types out.
  if (/^type|[tT]ype(?:Annotation|Parameters|Arguments)$|^(?:returnType|implements|loc)$/.test(field)) return [];
  const value = child(node, field);
  return value === undefined ? list(node, field) : [value];
}

function nameOf(node: SyntaxNode): string | undefined {
  const key = child(node, "property") ?? child(node, "key") ?? child(node, "id");
  return word(node["computed"] === true ? undefined : (key ?? node), "name");
}

function acts({ type }: SyntaxNode): boolean {
  return ACTS.test(type);
}

function hasAction(node: SyntaxNode): boolean {
  return actionsIn(node) > 0;
}

function actionsIn(node: SyntaxNode): number {
  return [...nodesOf(node)].filter(acts).length;
}

/** Returns true for a log, and for an error's message and cause. */
function isReport(node: SyntaxNode): boolean {
  const call = node.type === "ExpressionStatement" ? child(node, "expression") : node;
  const callee = child(call, "callee");
  if (call?.type === "NewExpression") return word(callee, "name")?.endsWith("Error") === true;
  return call?.type === "CallExpression" && LOGS.test(word(child(callee, "object") ?? callee, "name") ?? "");
}

/** Returns true if a text in this node decides: compared texts, keys and arguments of methods. */
function isDeciding(parent: SyntaxNode | undefined): boolean {
  const type = parent?.type ?? "";
  if (type === "BinaryExpression") return COMPARES.test(word(parent, "operator") ?? "");
  const isMethod = type === "CallExpression" && child(parent, "callee")?.type === "MemberExpression";
  return isMethod || type === "SwitchCase" || type === "MemberExpression" || type === "TaggedTemplateExpression";
}

function isSame(old: unknown, now: unknown): boolean {
  const isRegex = typeof old === "object" && old !== null && typeof now === "object" && now !== null;
  return isRegex ? JSON.stringify(old) === JSON.stringify(now) : old === now;
}

/** The pairs of parts that belong together: all if there are as many, or else those of the same type. */
function pairsIn({ before, after }: Gap): readonly Pair[] {
  const keyOf = (node: SyntaxNode): string => `${node.type} ${nameOf(node) ?? ""}`;
  if (before.length !== after.length) return pairsOf([before, after], before.map(keyOf), after.map(keyOf));
  return before.flatMap((oldPart, index): readonly Pair[] => {
    const newPart = after[index];
    return newPart === undefined || (oldPart.type !== newPart.type && /Statement$|Declaration$/.test(oldPart.type))
      ? []
      : [[oldPart, newPart]];
  });
}

/** The longest list of pairs with equal keys, in the order of both lists. */
function pairsOf(
  [before, after]: readonly [before: readonly SyntaxNode[], after: readonly SyntaxNode[]],
  oldKeys: readonly string[],
  newKeys: readonly string[],
): readonly Pair[] {
  const [olds, nows] = [before.values(), after.values()];
  return editOf(oldKeys, newKeys).flatMap(({ kind }): readonly Pair[] => {
    const oldPart = kind === "added" ? undefined : olds.next().value;
    const newPart = kind === "removed" ? undefined : nows.next().value;
    return oldPart === undefined || newPart === undefined ? [] : [[oldPart, newPart]];
  });
}

function gapsOf(before: readonly SyntaxNode[], after: readonly SyntaxNode[], pairs: readonly Pair[]): readonly Gap[] {
  const bounds = [[-1, -1], ...pairs.map(([oldPart, newPart]) => [before.indexOf(oldPart), after.indexOf(newPart)])];
  return bounds.map(([row = 0, column = 0], index) => {
    const [nextRow = before.length, nextColumn = after.length] = bounds[index + 1] ?? [];
    return { before: before.slice(row + 1, nextRow), after: after.slice(column + 1, nextColumn) };
  });
}
