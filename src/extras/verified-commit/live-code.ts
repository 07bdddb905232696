import type { RunnerValues } from "./runner-values.ts";
import { type SyntaxNode, bare, child, isFunction, list, nodesOf, word } from "../../cli/init/syntax.ts";

/** Whether a place of a test can run, and whether what it throws comes through. */
export interface Standing {
  readonly isReached: boolean;
  /** False where what is thrown there is caught and dropped, or lost in a promise that nobody waits for. */
  readonly isHeard: boolean;
  /** The conditions it stands under, as they are written; none that are always met. */
  readonly guards: readonly SyntaxNode[];
}

const ALIVE: Standing = { isReached: true, isHeard: true, guards: [] };
const DEAD: Standing = { ...ALIVE, isReached: false };
const LOST: Standing = { ...ALIVE, isHeard: false };
const TIMERS: ReadonlySet<string> = new Set([
  "setTimeout",
  "setInterval",
  "setImmediate",
  "queueMicrotask",
  "nextTick",
]);

/** Follows the code of one test file: what runs, under which conditions, and what of it is heard of when it fails. */
export class LiveCode {
  readonly #values: RunnerValues;
  /** Calls that can fail a test. */
  readonly #assertions: ReadonlySet<SyntaxNode>;
  readonly #open = new Set<SyntaxNode>();

  constructor(values: RunnerValues, assertions: ReadonlySet<SyntaxNode>) {
    this.#values = values;
    this.#assertions = assertions;
  }

  /** How a node stands in a function, or in the whole file where no function is given. */
  standing(node: SyntaxNode, boundary: SyntaxNode | undefined): Standing {
    const parts: Standing[] = [];
    for (let at = node; at !== boundary; ) {
      const parent = this.#parent(at);
      if (parent === undefined) break;
      if (isFunction(at) && this.#isNamed(at, parent)) return merged([...parts, this.#ofNamed(at, boundary)]);
      const part = isFunction(at) ? this.#ofFunction(at, boundary) : this.#below(at, parent);
      parts.push(part);
      if (!part.isReached) break;
      at = parent;
    }
    return merged(parts);
  }

  /** Whether somebody waits for the promise that an expression gives. */
  isAwaited(node: SyntaxNode): boolean {
    const parent = this.#parent(node);
    if (parent === undefined) return true;
    switch (parent.type) {
      case "ExpressionStatement":
      case "UnaryExpression":
        return false;
      case "MemberExpression":
      case "ChainExpression":
      case "TSAsExpression":
      case "TSNonNullExpression":
      case "TSSatisfiesExpression":
      case "ParenthesizedExpression":
      case "LogicalExpression":
      case "ConditionalExpression":
      case "SequenceExpression":
        return this.isAwaited(parent);
      case "CallExpression":
        return child(parent, "callee") === node ? this.isAwaited(parent) : true;
      case "VariableDeclarator": {
        const name = child(parent, "id");
        return name?.type !== "Identifier" || (this.#values.scopes.bindingOf(name)?.uses.length ?? 1) > 0;
      }
      default:
        return true;
    }
  }

  #parent(node: SyntaxNode): SyntaxNode | undefined {
    return this.#values.scopes.parentOf(node);
  }

  #below(at: SyntaxNode, parent: SyntaxNode): Standing {
    switch (parent.type) {
      case "IfStatement":
      case "ConditionalExpression":
        if (at === child(parent, "test")) return ALIVE;
        return this.#under(child(parent, "test"), at === child(parent, "consequent"));
      case "LogicalExpression":
        if (at === child(parent, "left") || word(parent, "operator") === "??") return ALIVE;
        return this.#under(child(parent, "left"), word(parent, "operator") === "&&");
      case "WhileStatement":
      case "ForStatement":
        return at === child(parent, "body") && this.#values.truth(child(parent, "test")) === false ? DEAD : ALIVE;
      case "ForOfStatement":
        return at === child(parent, "body") && this.#isEmptyList(child(parent, "right")) ? DEAD : ALIVE;
      case "SwitchCase":
        return this.#isOtherCase(parent) ? DEAD : this.#after(list(parent, "consequent"), at);
      case "Program":
      case "BlockStatement":
      case "StaticBlock":
        return this.#after(list(parent, "body"), at);
      case "TryStatement":
        return this.#inTry(at, parent);
      case "CallExpression":
        return this.#inCall(at, parent);
      default:
        return ALIVE;
    }
  }

  #under(condition: SyntaxNode | undefined, wanted: boolean): Standing {
    const truth = this.#values.truth(condition);
    if (truth === undefined) return condition === undefined ? ALIVE : { ...ALIVE, guards: [condition] };
    return truth === wanted ? ALIVE : DEAD;
  }

  #isEmptyList(node: SyntaxNode | undefined): boolean {
    const value = this.#values.of(node);
    if (value.kind !== "list" || list(value.node, "elements").length > 0) return false;
    const inner = bare(node);
    const binding = inner?.type === "Identifier" ? this.#values.scopes.bindingOf(inner) : undefined;
    // A list with a name may be filled somewhere.
    return binding === undefined || binding.uses.length === 1;
  }

  #isOtherCase(parent: SyntaxNode): boolean {
    const home = this.#parent(parent);
    const [subject, one] = [this.#values.of(child(home, "discriminant")), this.#values.of(child(parent, "test"))];
    return subject.kind === "constant" && one.kind === "constant" && subject.value !== one.value;
  }

  /** Behind a statement that ends its block nothing runs; behind `if (…) return` it depends. */
  #after(statements: readonly SyntaxNode[], at: SyntaxNode): Standing {
    if (at.type === "FunctionDeclaration") return ALIVE;
    const before = statements.slice(0, Math.max(0, statements.indexOf(at)));
    if (before.some((each) => this.#ends(each))) return DEAD;
    const guards = before.flatMap((each) => (this.#mayReturn(each) ? [child(each, "test")] : []));
    return { ...ALIVE, guards: guards.filter((guard) => guard !== undefined) };
  }

  #ends(statement: SyntaxNode | undefined): boolean {
    switch (statement?.type ?? "") {
      case "ReturnStatement":
      case "ThrowStatement":
      case "BreakStatement":
      case "ContinueStatement":
        return true;
      case "BlockStatement":
        return list(statement, "body").some((each) => this.#ends(each));
      case "IfStatement": {
        const [yes, no] = [this.#ends(child(statement, "consequent")), this.#ends(child(statement, "alternate"))];
        const truth = this.#values.truth(child(statement, "test"));
        if (truth === undefined) return yes && no;
        return truth ? yes : no;
      }
      case "TryStatement":
        if (this.#ends(child(statement, "finalizer"))) return true;
        return this.#ends(child(statement, "block")) && this.#ends(child(child(statement, "handler"), "body"));
      case "ExpressionStatement": {
        const callee = bare(child(bare(child(statement, "expression")), "callee"));
        return callee?.type === "MemberExpression" && this.#text(callee) === "process.exit";
      }
      default:
        return false;
    }
  }

  #mayReturn(statement: SyntaxNode): boolean {
    if (statement.type !== "IfStatement" || child(statement, "alternate") !== undefined) return false;
    if (this.#values.truth(child(statement, "test")) !== undefined) return false;
    const then = child(statement, "consequent");
    const last = then?.type === "BlockStatement" ? list(then, "body").at(-1) : then;
    return last?.type === "ReturnStatement" && !this.#speaksUp(then);
  }

  #inTry(at: SyntaxNode, parent: SyntaxNode): Standing {
    const [block, handler, last] = [child(parent, "block"), child(parent, "handler"), child(parent, "finalizer")];
    if (at === handler) return list(block, "body").length === 0 ? DEAD : ALIVE;
    if (at === last) return ALIVE;
    if (this.#ends(last)) return LOST;
    return handler === undefined || !this.#drops(child(handler, "body"), child(handler, "param")) ? ALIVE : LOST;
  }

  /** Whether a handler does nothing with what it is given: throws nothing, asserts nothing, hands it to nobody. */
  #drops(body: SyntaxNode | undefined, param: SyntaxNode | undefined): boolean {
    if (this.#speaksUp(body)) return false;
    if (param === undefined) return true;
    if (param.type !== "Identifier") return false;
    const uses = this.#values.scopes.bindingOf(param)?.uses ?? [];
    return uses.every((use) => this.#isPrinted(use));
  }

  #speaksUp(body: SyntaxNode | undefined): boolean {
    if (body === undefined) return false;
    return [...nodesOf(body)].some(
      (node) => node.type === "ThrowStatement" || this.#assertions.has(node) || this.#isFailure(node),
    );
  }

  #isFailure(node: SyntaxNode): boolean {
    const callee = node.type === "CallExpression" ? bare(child(node, "callee")) : undefined;
    const name = callee?.type === "MemberExpression" ? this.#values.keyOf(callee) : word(callee, "name");
    return name !== undefined && /^(?:fail|unreachable|reject|done|next)$/.test(name);
  }

  #isPrinted(use: SyntaxNode): boolean {
    for (let at = this.#parent(use); at !== undefined && !at.type.endsWith("Statement"); at = this.#parent(at))
      if (at.type === "CallExpression" && this.#text(child(at, "callee")).startsWith("console.")) return true;
    return false;
  }

  #inCall(at: SyntaxNode, call: SyntaxNode): Standing {
    const callee = bare(child(call, "callee"));
    const key = callee?.type === "MemberExpression" ? this.#values.keyOf(callee) : undefined;
    const isSubject = at === child(call, "callee");
    const handlers = list(call, "arguments");
    const handler = key === "catch" ? handlers[0] : handlers[key === "then" ? 1 : handlers.length];
    if (isSubject && handler !== undefined && this.#isDropping(handler)) return LOST;
    if (!isSubject && key === "allSettled" && this.#isStatement(call)) return LOST;
    return ALIVE;
  }

  #isStatement(node: SyntaxNode): boolean {
    const parent = this.#parent(node);
    return parent?.type === "AwaitExpression" ? this.#isStatement(parent) : parent?.type === "ExpressionStatement";
  }

  #isDropping(handler: SyntaxNode): boolean {
    const value = this.#values.of(handler);
    if (value.kind === "function") return this.#drops(child(value.node, "body"), list(value.node, "params")[0]);
    return /^console\.|^noop$/.test(this.#text(handler));
  }

  #isNamed(at: SyntaxNode, parent: SyntaxNode): boolean {
    return at.type === "FunctionDeclaration" || (parent.type === "VariableDeclarator" && child(parent, "init") === at);
  }

  /** A function with a name runs where the name is used. */
  #ofNamed(node: SyntaxNode, boundary: SyntaxNode | undefined): Standing {
    const parent = this.#parent(node);
    const name = node.type === "FunctionDeclaration" ? child(node, "id") : child(parent, "id");
    const binding = name?.type === "Identifier" ? this.#values.scopes.bindingOf(name) : undefined;
    const isExported = [parent, this.#parent(this.#parent(parent ?? node) ?? node)].some((each) =>
      each?.type.startsWith("Export"),
    );
    if (binding === undefined || isExported) return ALIVE;
    if (this.#open.has(node)) return DEAD;
    this.#open.add(node);
    const uses = binding.uses.map((use) => {
      const standing = this.standing(use, boundary);
      const call = this.#parent(use);
      const isLost = node["async"] === true && call?.type === "CallExpression" && child(call, "callee") === use;
      return isLost && !this.isAwaited(call) ? { ...standing, isHeard: false } : standing;
    });
    this.#open.delete(node);
    return uses.find((use) => use.isReached && use.isHeard) ?? uses.find((use) => use.isReached) ?? DEAD;
  }

  #ofFunction(node: SyntaxNode, boundary: SyntaxNode | undefined): Standing {
    let [at, parent] = [node, this.#parent(node)];
    while (parent !== undefined && bare(parent) === node) [at, parent] = [parent, this.#parent(parent)];
    if (parent === undefined) return ALIVE;
    switch (parent.type) {
      case "CallExpression":
        return child(parent, "callee") === at
          ? this.#ofCalled(node, parent)
          : this.#ofHanded(node, { at, call: parent, boundary });
      case "NewExpression":
        return /^Promise$/.test(this.#text(child(parent, "callee"))) && !this.isAwaited(parent) ? LOST : ALIVE;
      case "ReturnStatement":
        return this.functionAround(parent) === boundary ? DEAD : ALIVE;
      case "ArrowFunctionExpression":
        return parent === boundary ? DEAD : ALIVE;
      case "ExpressionStatement":
      case "UnaryExpression":
      case "LogicalExpression":
      case "SequenceExpression":
        return DEAD;
      default:
        return ALIVE;
    }
  }

  /** The function that a node stands in directly. */
  functionAround(node: SyntaxNode): SyntaxNode | undefined {
    let at = this.#parent(node);
    while (at !== undefined && !isFunction(at)) at = this.#parent(at);
    return at;
  }

  #ofCalled(node: SyntaxNode, call: SyntaxNode): Standing {
    if (node["generator"] === true) return DEAD;
    return node["async"] === true && !this.isAwaited(call) ? LOST : ALIVE;
  }

  #ofHanded(
    node: SyntaxNode,
    {
      at,
      call,
      boundary,
    }: { readonly at: SyntaxNode; readonly call: SyntaxNode; readonly boundary: SyntaxNode | undefined },
  ): Standing {
    const callee = bare(child(call, "callee"));
    const taker = this.#values.of(callee);
    if (taker.kind === "function" && this.#ignores(taker.node, list(call, "arguments").indexOf(at))) return DEAD;
    const key = callee?.type === "MemberExpression" ? this.#values.keyOf(callee) : word(callee, "name");
    if (callee?.type === "MemberExpression" && this.#isEmptyList(child(callee, "object"))) return DEAD;
    if (key === "forEach" && node["async"] === true) return LOST;
    const isLater = (key !== undefined && TIMERS.has(key)) || key === "then" || key === "catch" || key === "finally";
    if (!isLater || this.#hasDone(boundary)) return ALIVE;
    if (key !== undefined && TIMERS.has(key)) return this.#waits(boundary) ? ALIVE : LOST;
    return this.isAwaited(call) ? ALIVE : LOST;
  }

  /** Whether a function of the file does nothing with one of its parameters. */
  #ignores(taker: SyntaxNode, index: number): boolean {
    const params = list(taker, "params");
    const param = params[index];
    if (param === undefined) return params.at(-1)?.type !== "RestElement" && !this.#usesArguments(taker);
    return param.type === "Identifier" && this.#values.scopes.bindingOf(param)?.uses.length === 0;
  }

  #usesArguments(taker: SyntaxNode): boolean {
    return [...nodesOf(taker)].some((node) => node.type === "Identifier" && word(node, "name") === "arguments");
  }

  /** Whether a test says itself when it is done, by calling what it is given. */
  #hasDone(boundary: SyntaxNode | undefined): boolean {
    const [param] = list(boundary, "params");
    const uses = param?.type === "Identifier" ? (this.#values.scopes.bindingOf(param)?.uses ?? []) : [];
    return uses.some((use) => this.#parent(use)?.type === "CallExpression");
  }

  /** Whether a test may still be there when a timer ends: it waits for something, or moves the clock itself. */
  #waits(boundary: SyntaxNode | undefined): boolean {
    if (boundary === undefined) return true;
    return [...nodesOf(boundary)].some(
      (node) =>
        node.type === "AwaitExpression" ||
        (node.type === "MemberExpression" && /Timer|^tick/.test(this.#values.keyOf(node) ?? "")),
    );
  }

  #text(node: SyntaxNode | undefined): string {
    return node === undefined ? "" : this.#values.tree.text.slice(node.start, node.end);
  }
}

function merged(parts: readonly Standing[]): Standing {
  return {
    isReached: parts.every((part) => part.isReached),
    isHeard: parts.every((part) => part.isHeard),
    guards: parts.flatMap((part) => part.guards),
  };
}
