import { type Binding, type Scopes, readScopes } from "./source/scopes.ts";
import { type SyntaxNode, type SyntaxTree, bare, child, isFunction, list, word } from "../../cli/init/syntax.ts";
import { binary, constantOf, unary } from "./fold-constants.ts";
import {
  CONTEXT,
  CONTEXT_ASSERTS,
  type RunnerValue,
  UNKNOWN,
  type Value,
  contextMember,
  either,
  globalNamed,
  guessed,
  importOf,
  moduleMember,
  moduleNamed,
  runnerMember,
} from "./runner-words.ts";

/** Tells what the expressions of one test file are: names resolved, constants computed, nothing run. */
export class RunnerValues {
  readonly tree: SyntaxTree;
  readonly scopes: Scopes;
  readonly #known = new Map<SyntaxNode, Value>();

  constructor(tree: SyntaxTree) {
    this.tree = tree;
    this.scopes = readScopes(tree.program);
  }

  /** What an expression is. One that leads back to itself is unknown. */
  of(node: SyntaxNode | undefined): Value {
    if (node === undefined) return UNKNOWN;
    const known = this.#known.get(node);
    if (known !== undefined) return known;
    this.#known.set(node, UNKNOWN);
    const value = this.#evaluate(node);
    this.#known.set(node, value);
    return value;
  }

  /** Whether an expression is always true, or always false; undefined where that depends. */
  truth(node: SyntaxNode | undefined): boolean | undefined {
    const inner = bare(node);
    if (inner?.type === "LogicalExpression") {
      const sides = [this.truth(child(inner, "left")), this.truth(child(inner, "right"))];
      const decisive = word(inner, "operator") === "||";
      if (word(inner, "operator") !== "??" && sides.includes(decisive)) return decisive;
    }
    if (inner?.type === "UnaryExpression" && word(inner, "operator") === "!") {
      const truth = this.truth(child(inner, "argument"));
      return truth === undefined ? undefined : !truth;
    }
    const value = this.of(node);
    if (value.kind === "constant") return Boolean(value.value);
    return value.kind === "object" || value.kind === "list" || value.kind === "function" ? true : undefined;
  }

  /** The key that a member expression asks for; undefined where it is computed from what is not known. */
  keyOf(node: SyntaxNode): string | undefined {
    const property = child(node, node.type === "Property" ? "key" : "property");
    if (node["computed"] !== true) return word(property, "name") ?? plainText(property?.["value"]);
    const value = this.of(property);
    return value.kind === "constant" ? String(value.value) : undefined;
  }

  /** The value of a property of an object literal; undefined where it is not there. */
  property(object: SyntaxNode, key: string): SyntaxNode | undefined {
    for (const each of list(object, "properties").toReversed()) {
      if (each.type === "SpreadElement") {
        const spread = this.of(child(each, "argument"));
        const found = spread.kind === "object" ? this.property(spread.node, key) : undefined;
        if (found !== undefined) return found;
      } else if (this.keyOf(each) === key) return child(each, "value");
    }
    return undefined;
  }

  #evaluate(node: SyntaxNode): Value {
    const inner = bare(node);
    if (inner === undefined || inner !== node) return this.of(inner);
    if (isFunction(node)) return { kind: "function", node };
    switch (node.type) {
      case "Identifier":
        return this.#name(node);
      case "Literal":
        return constantOf(node);
      case "ObjectExpression":
        return { kind: "object", node };
      case "ArrayExpression":
        return { kind: "list", node };
      case "MemberExpression":
        return this.#member(this.of(child(node, "object")), this.keyOf(node));
      case "CallExpression":
        return this.#call(node);
      case "TaggedTemplateExpression":
        return this.#called(this.of(child(node, "tag")), node);
      case "ImportExpression":
        return this.#module(child(node, "source"));
      case "ThisExpression":
        return this.#isInTest(node) ? CONTEXT : UNKNOWN;
      case "SequenceExpression":
        return this.of(list(node, "expressions").at(-1));
      case "AssignmentExpression":
        return this.of(child(node, "right"));
      case "ConditionalExpression": {
        const truth = this.truth(child(node, "test"));
        const [yes, no] = [child(node, "consequent"), child(node, "alternate")];
        return truth === undefined ? either([this.of(yes), this.of(no)]) : this.of(truth ? yes : no);
      }
      default:
        return this.#computed(node);
    }
  }

  #computed(node: SyntaxNode): Value {
    switch (node.type) {
      case "TemplateLiteral":
        return this.#template(node);
      case "UnaryExpression":
        return unary(word(node, "operator") ?? "", this.of(child(node, "argument")));
      case "BinaryExpression":
        return binary(word(node, "operator") ?? "", this.of(child(node, "left")), this.of(child(node, "right")));
      case "LogicalExpression":
        return this.#logical(node);
      default:
        return UNKNOWN;
    }
  }

  #logical(node: SyntaxNode): Value {
    const [left, right] = [child(node, "left"), child(node, "right")];
    const operator = word(node, "operator");
    const truth = this.truth(left);
    if (truth === undefined) {
      const values = [this.of(left), this.of(right)];
      return values.some(({ kind }) => kind === "runner") ? either(values) : UNKNOWN;
    }
    const value = this.of(left);
    const takesLeft =
      operator === "??"
        ? !(value.kind === "constant" && (value.value ?? undefined) === undefined)
        : truth === (operator === "||");
    return takesLeft ? value : this.of(right);
  }

  #template(node: SyntaxNode): Value {
    const parts = list(node, "expressions").map((each) => this.of(each));
    let text = "";
    for (const [index, quasi] of list(node, "quasis").entries()) {
      const part = parts[index];
      if (part !== undefined && part.kind !== "constant") return UNKNOWN;
      const cooked = quasi["value"];
      text += typeof cooked === "object" && cooked !== null && "cooked" in cooked ? String(cooked.cooked) : "";
      text += part === undefined ? "" : String(part.value);
    }
    return { kind: "constant", value: text };
  }

  #name(node: SyntaxNode): Value {
    const binding = this.scopes.bindingOf(node);
    return binding === undefined ? globalNamed(word(node, "name") ?? "") : this.#bound(binding);
  }

  #bound(binding: Binding): Value {
    switch (binding.kind) {
      case "import":
        return importOf(binding);
      case "function":
        return { kind: "function", node: binding.node };
      case "parameter":
        return this.#parameter(binding);
      case "variable":
        return this.#variable(binding);
      case "class":
      case "other":
        return UNKNOWN;
    }
  }

  #variable(binding: Binding): Value {
    const values = binding.values.map(({ value, path }) =>
      path.reduce((from, key) => this.#member(from, key), this.of(value)),
    );
    const [only, ...others] = values;
    if (only === undefined) return binding.changes === 0 ? guessed(binding.name) : UNKNOWN;
    const value = others.length === 0 ? only : either(values);
    // What is written to in more ways than are known keeps being a runner, but is no constant.
    if (binding.changes > 0 && (value.kind === "constant" || value.kind === "list" || value.kind === "object"))
      return UNKNOWN;
    return value.kind === "unknown" ? guessed(binding.name) : value;
  }

  #parameter(binding: Binding): Value {
    const [path = []] = binding.values.map((origin) => origin.path);
    const given = this.#argumentOf(binding);
    const value = path.reduce((from, key) => this.#member(from, key), given);
    return value.kind === "unknown" ? guessed(binding.name) : value;
  }

  /** What a parameter is given: by the call around the function, or by the runner that calls it. */
  #argumentOf({ node, index }: Binding): Value {
    const call = this.#callAround(node);
    if (call === undefined) return UNKNOWN;
    if (bare(child(call, "callee")) === node) return this.of(list(call, "arguments")[index]);
    const callee = this.of(child(call, "callee"));
    if (callee.kind !== "runner" || callee.pending !== undefined) return UNKNOWN;
    return index === 0 || this.#isFor(call) ? { kind: "context", asserts: this.#contextAsserts(call) } : UNKNOWN;
  }

  /** `test.for(cases)("title", (one, context) => …)`. */
  #isFor(call: SyntaxNode): boolean {
    const maker = bare(child(call, "callee"));
    const before = maker?.type === "CallExpression" ? this.of(child(maker, "callee")) : UNKNOWN;
    return before.kind === "runner" && before.pending === "for";
  }

  #contextAsserts(call: SyntaxNode): boolean {
    let root = bare(child(call, "callee"));
    while (root?.type === "MemberExpression") root = bare(child(root, "object"));
    const module = root === undefined ? undefined : this.scopes.bindingOf(root)?.module;
    return module !== undefined && CONTEXT_ASSERTS.test(module);
  }

  /** The call that a function is called by, or handed to. */
  #callAround(node: SyntaxNode): SyntaxNode | undefined {
    let [at, parent] = [node, this.scopes.parentOf(node)];
    while (parent !== undefined && parent.type !== "CallExpression" && bare(parent) === node)
      [at, parent] = [parent, this.scopes.parentOf(parent)];
    return parent?.type === "CallExpression" && at !== undefined ? parent : undefined;
  }

  /** Whether `this` is what Mocha gives its tests. */
  #isInTest(node: SyntaxNode): boolean {
    for (let at = this.scopes.parentOf(node); at !== undefined; at = this.scopes.parentOf(at)) {
      if (at.type === "FunctionDeclaration") return false;
      if (at.type !== "FunctionExpression") continue;
      const call = this.#callAround(at);
      return call !== undefined && this.of(child(call, "callee")).kind === "runner";
    }
    return false;
  }

  #call(node: SyntaxNode): Value {
    const callee = bare(child(node, "callee"));
    const args = list(node, "arguments");
    if (
      callee?.type === "Identifier" &&
      word(callee, "name") === "require" &&
      this.scopes.bindingOf(callee) === undefined
    )
      return this.#module(args[0]);
    if (
      callee?.type === "MemberExpression" &&
      this.keyOf(callee) === "get" &&
      isNamed(child(callee, "object"), "Reflect")
    ) {
      const key = this.of(args[1]);
      return key.kind === "constant" ? this.#member(this.of(args[0]), String(key.value)) : UNKNOWN;
    }
    return this.#called(this.of(callee), node);
  }

  #called(callee: Value, node: SyntaxNode): Value {
    switch (callee.kind) {
      case "runner":
        return this.#definedBy(callee, node);
      case "indirect":
        return callee.how === "bind" ? callee.runner : UNKNOWN;
      case "function":
        return this.#returned(callee.node);
      case "expect":
      case "assert":
      case "module":
      case "globals":
      case "context":
      case "mark":
      case "constant":
      case "object":
      case "list":
      case "unknown":
        return UNKNOWN;
    }
  }

  #definedBy(callee: RunnerValue, node: SyntaxNode): Value {
    if (callee.pending === undefined) return UNKNOWN;
    const { pending, ...made } = callee;
    const cases = pending === "one" ? UNKNOWN : this.of(list(node, "arguments")[0]);
    // A table without a row runs nothing.
    const isEmpty = cases.kind === "list" && list(cases.node, "elements").length === 0;
    return isEmpty ? { ...made, marks: [...made.marks, "skipped"] } : made;
  }

  /** What a function of the file gives back, where it does so in one place. */
  #returned(node: SyntaxNode): Value {
    const body = child(node, "body");
    if (body?.type !== "BlockStatement") return this.of(body);
    const returns = list(body, "body").filter(({ type }) => type === "ReturnStatement");
    return returns.length === 1 ? this.of(child(returns[0], "argument")) : UNKNOWN;
  }

  #module(source: SyntaxNode | undefined): Value {
    const name = this.of(source);
    return name.kind === "constant" ? moduleNamed(String(name.value)) : UNKNOWN;
  }

  #member(value: Value, key: string | undefined): Value {
    if (key === undefined) return UNKNOWN;
    switch (value.kind) {
      case "runner":
        return runnerMember(value, key);
      case "module":
        return moduleMember(value.name, key);
      case "globals":
        return globalNamed(key);
      case "context":
        return contextMember(value.asserts, key);
      case "expect":
        return value;
      case "assert":
        return { kind: "assert", member: key };
      case "object": {
        const property = this.property(value.node, key);
        return property === undefined ? UNKNOWN : this.of(property);
      }
      case "list": {
        const elements = list(value.node, "elements").map((each) => this.of(each));
        return key === "*" ? either(elements) : (elements[Number(key)] ?? UNKNOWN);
      }
      case "indirect":
      case "mark":
      case "constant":
      case "function":
      case "unknown":
        return UNKNOWN;
    }
  }
}

function isNamed(node: SyntaxNode | undefined, name: string): boolean {
  return node?.type === "Identifier" && word(node, "name") === name;
}

function plainText(value: unknown): string | undefined {
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}
