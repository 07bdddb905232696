import { type SyntaxNode, bare, child, isFunction, list, nodesOf, word } from "../../kernel/syntax.ts";
import { builtinName } from "./harmless.ts";
import type { NameResolver } from "./name-resolver.ts";
import type { Binding, NameScope } from "./scopes.ts";

const MAX_DEPTH = 20;
/** Names of tables: `RULES[kind]` is a look-up. */
const TABLE = /^[A-Z][A-Z\d]*(?:_[A-Z\d]+)*$/;
/** Modules without functions. */
const DATA = /\.(?:json|(?:s?c|sa|le)ss)$/;
/** Methods that make a text of their first argument. */
const TEXT_METHODS: ReadonlySet<string> = new Set([
  ..."test exec match matchAll search concat includes indexOf lastIndexOf startsWith endsWith".split(" "),
  ..."split join localeCompare".split(" "),
]);
/** Functions that make a text of their first argument. */
const TEXT_FUNCTIONS: ReadonlySet<string> = new Set([
  ..."String Symbol RegExp Error EvalError RangeError ReferenceError SyntaxError TypeError URIError".split(" "),
  ..."parseInt parseFloat encodeURI encodeURIComponent decodeURI decodeURIComponent".split(" "),
]);
/** Operators that make texts of their operands. */
const TEXT_OPERATORS: ReadonlySet<unknown> = new Set(["+", "==", "!=", "<", ">", "<=", ">=", "in"]);

/** A computed member of a value. */
interface Member {
  readonly value: SyntaxNode | undefined;
  readonly scope: NameScope;
  /** True for the index of a list. */
  readonly isIndex: boolean;
}

/** Name of an ability: an import as a value without a type. */
export const UNTYPED = "an import as any";

/**
 * Finds expressions that reach what their text doesn't name: keys that are computed on functions or from constants, and
 * functions that become texts.
 */
export class Disguises {
  readonly #names: NameResolver;
  readonly #called: ReadonlySet<string>;

  constructor(program: SyntaxNode, names: NameResolver) {
    this.#names = names;
    const calls = [...nodesOf(program)].filter(({ type }) => type === "CallExpression" || type === "NewExpression");
    this.#called = new Set(calls.map((call) => word(bare(child(call, "callee")), "name") ?? ""));
  }

  /** Returns true for a computed key that can lead from a value to its class: `f[key]`. */
  isOpenKey(key: SyntaxNode | undefined, value: SyntaxNode | undefined, scope: NameScope): boolean {
    if (key === undefined || this.#names.text(key, scope) !== undefined) return false;
    return this.isHiddenText(key, scope) || this.#isOpen({ value, scope, isIndex: isNumber(key, scope) });
  }

  /** Returns true for a pattern that takes a computed member of a function or module. */
  isOpenPattern(pattern: SyntaxNode | undefined, value: SyntaxNode | undefined, scope: NameScope): boolean {
    return list(pattern, "properties").some(
      (each) => each["computed"] === true && this.isOpenKey(child(each, "key"), value, scope),
    );
  }

  /** Returns true for a text that code computes although it never changes: `["a", "b"].join("")`. */
  isHiddenText(expression: SyntaxNode | undefined, scope: NameScope, depth = 0): boolean {
    const node = bare(expression);
    if (node === undefined || depth > MAX_DEPTH || this.#names.text(node, scope) !== undefined) return false;
    const init = node.type === "Identifier" ? constant(node, scope) : undefined;
    if (init !== undefined) return this.isHiddenText(init.init, init.scope, depth + 1);
    // The calls of other globals are abilities themselves: Symbol.for("…").
    if (this.#names.path(child(node, "callee"), scope)?.names[0] === "Symbol") return false;
    const isMade =
      (node.type === "CallExpression" && bare(child(node, "callee"))?.type === "MemberExpression") ||
      node.type === "TemplateLiteral" ||
      (node.type === "BinaryExpression" && node["operator"] === "+");
    return isMade && [...nodesOf(node)].some(isText) && this.#isFixed(node, scope, depth);
  }

  /** Returns true for the call of a computed member of a computed member, by which code gets from any value to code. */
  isOpenCall(callee: SyntaxNode | undefined, scope: NameScope): boolean {
    const outer = this.#unknownMember(callee, scope);
    return outer !== undefined && this.#unknownMember(child(outer, "object"), scope) !== undefined;
  }

  /** Returns true for a method or function in a property whose name only a run computes. */
  isOpenMethod(property: SyntaxNode, scope: NameScope): boolean {
    const key = child(property, "key");
    if (property["computed"] !== true || this.#names.text(key, scope) !== undefined) return false;
    const path = this.#names.path(key, scope);
    if (path?.names[0] === "Symbol" || (path?.module !== undefined && path.names.at(-1) === "custom")) return false;
    const init = constant(bare(key), scope)?.init;
    if (word(bare(child(bare(init), "callee")), "name") === "Symbol") return false;
    return this.isHiddenText(key, scope) || isFunction(bare(child(property, "value")));
  }

  /** Returns true for a function as a text, which is its source: test runners transform it. */
  isPrinted(expression: SyntaxNode | undefined, scope: NameScope, depth = 0): boolean {
    const node = bare(expression);
    if (node === undefined || depth > MAX_DEPTH) return false;
    if (node.type === "ArrayExpression")
      return list(node, "elements").some((each) => this.isPrinted(each, scope, depth + 1));
    const choices = choicesOf(node);
    if (choices.length > 0) return choices.some((each) => this.isPrinted(each, scope, depth + 1));
    if (isFunction(node) || node.type === "ClassExpression") return true;
    const name = word(node, "name") ?? "";
    const binding = node.type === "Identifier" ? scope.find(name) : undefined;
    if (binding?.kind === "function" || binding?.kind === "namespace") return true;
    if (binding?.kind === "import") return this.#called.has(name);
    return isAlias(binding) && this.isPrinted(binding.init, binding.scope, depth + 1);
  }

  /** Lists the operands or arguments that an expression makes a text of. */
  textsOf(node: SyntaxNode, scope: NameScope): readonly SyntaxNode[] {
    if (node.type === "TemplateLiteral") return list(node, "expressions");
    if (node.type === "BinaryExpression") {
      if (!TEXT_OPERATORS.has(node["operator"])) return [];
      const operands = [child(node, "left"), child(node, "right")].filter((each) => each !== undefined);
      // The right one of `in` is an object.
      return node["operator"] === "in" ? operands.slice(0, 1) : operands;
    }
    const callee = bare(child(node, "callee"));
    const first = list(node, "arguments").slice(0, 1);
    if (callee?.type === "MemberExpression") {
      const method = this.#names.key(callee, scope) ?? "";
      const object = bare(child(callee, "object"));
      const joined = object?.type === "ArrayExpression" && /^(?:join|toString)$/.test(method) ? [object] : [];
      return [...joined, ...(TEXT_METHODS.has(method) ? first : [])];
    }
    return TEXT_FUNCTIONS.has(word(callee, "name") ?? "") ? first : [];
  }

  /** Returns true for an imported name whose type code hides: `(prices as any).none()` fails with another text. */
  isUntyped(node: SyntaxNode, scope: NameScope): boolean {
    const cast = withoutBrackets(child(node, node.type === "MemberExpression" ? "object" : "callee"));
    const kind = scope.find(word(bare(cast), "name") ?? "")?.kind;
    return child(cast, "typeAnnotation")?.type === "TSAnyKeyword" && (kind === "import" || kind === "namespace");
  }

  /** Returns the module if a name means all of its exports: their object differs from loader to loader. */
  moduleOf(node: SyntaxNode | undefined, scope: NameScope): string | undefined {
    const { kind, module = "" } =
      (node?.type === "Identifier" ? scope.find(word(node, "name") ?? "") : undefined) ?? {};
    return kind === "namespace" && builtinName(module) === undefined ? module : undefined;
  }

  #isOpen(member: Member, depth = 0): boolean {
    const { value, scope, isIndex } = member;
    const node = bare(value);
    if (node === undefined || depth > MAX_DEPTH) return false;
    if (isFunction(node) || node.type === "ClassExpression") return true;
    if (node.type === "NewExpression") return depth === 0;
    const binding = node.type === "Identifier" ? scope.find(word(node, "name") ?? "") : undefined;
    const choices = choicesOf(node);
    if (choices.length > 0) return choices.some((each) => this.#isOpen({ ...member, value: each }, depth + 1));
    if (binding?.kind === "import")
      return !isIndex && !TABLE.test(binding.members.at(-1) ?? "") && !DATA.test(binding.module ?? "");
    if (binding !== undefined && binding.kind !== "local") return true;
    return isAlias(binding) && this.#isOpen({ value: binding.init, scope: binding.scope, isIndex }, depth + 1);
  }

  /** A member whose name isn't known, also behind a constant. */
  #unknownMember(expression: SyntaxNode | undefined, scope: NameScope): SyntaxNode | undefined {
    const node = bare(expression);
    const init = node?.type === "Identifier" ? constant(node, scope) : undefined;
    if (init !== undefined && bare(init.init)?.type === "MemberExpression")
      return this.#unknownMember(init.init, init.scope);
    if (node?.type !== "MemberExpression" || this.#names.key(node, scope) !== undefined) return undefined;
    return isNumber(child(node, "property"), scope) ? undefined : node;
  }

  /** Returns true for an expression of constants, which has one value. */
  #isFixed(expression: SyntaxNode, scope: NameScope, depth: number): boolean {
    return namesIn(expression).every((node) => {
      const binding = scope.find(word(node, "name") ?? "");
      if (binding === undefined) return true;
      if (binding.isConstant !== true || binding.init === undefined || depth > MAX_DEPTH) return false;
      return this.#isFixed(binding.init, binding.scope, depth + 1);
    });
  }
}

/** Identifiers that aren't the names of members. */
function namesIn(expression: SyntaxNode): readonly SyntaxNode[] {
  const nodes = [...nodesOf(expression)];
  const members = new Set(
    nodes.filter((each) => each["computed"] === false).map((each) => child(each, "property") ?? child(each, "key")),
  );
  const rest = nodes.filter((each) => !members.has(each));
  return rest.filter(({ type }) => type === "Identifier" || type === "ThisExpression");
}

function choicesOf(node: SyntaxNode): readonly (SyntaxNode | undefined)[] {
  if (node.type === "ConditionalExpression") return [child(node, "consequent"), child(node, "alternate")];
  if (node.type === "LogicalExpression") return [child(node, "left"), child(node, "right")];
  return node.type === "SequenceExpression" ? list(node, "expressions").slice(-1) : [];
}

function isAlias(binding: Binding | undefined): binding is Binding {
  return binding?.init !== undefined && binding.members.length === 0;
}

function constant(node: SyntaxNode | undefined, scope: NameScope): Binding | undefined {
  const binding = node?.type === "Identifier" ? scope.find(word(node, "name") ?? "") : undefined;
  return isAlias(binding) && binding.isConstant === true ? binding : undefined;
}

/** Returns true for the index of a list. */
function isNumber(key: SyntaxNode | undefined, scope: NameScope): boolean {
  const node = bare(key);
  if (node?.type === "UpdateExpression") return true;
  if (node?.type === "BinaryExpression") return /^(?:[-*/%|&]|\*\*|<<|>>>?)$/.test(word(node, "operator") ?? "");
  const binding = node?.type === "Identifier" ? scope.find(word(node, "name") ?? "") : undefined;
  return typeof (node?.type === "Identifier" ? bare(binding?.init) : node)?.["value"] === "number";
}

function isText(node: SyntaxNode): boolean {
  return node.type === "TemplateElement" || (node.type === "Literal" && typeof node["value"] === "string");
}

function withoutBrackets(node: SyntaxNode | undefined): SyntaxNode | undefined {
  return /^(?:Parenthesized|TSNonNull|Chain)Expression$/.test(node?.type ?? "")
    ? withoutBrackets(child(node, "expression"))
    : node;
}
