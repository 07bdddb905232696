import { type SyntaxNode, child, childrenOf, isFunction, list, word } from "../../../cli/init/syntax.ts";

/** What a name of a source stands for. */
export interface Binding {
  readonly name: string;
  readonly kind: "import" | "variable" | "parameter" | "function" | "class" | "other";
  /** Of an import: the module, and the name there; `*` for all of it. */
  readonly module: string | undefined;
  readonly imported: string | undefined;
  /** What it is made of: an initial value and plain assignments, each with the members that a pattern takes from it. */
  readonly values: Origin[];
  /** Of a function or class its node; of a parameter the function's, with its place. */
  readonly node: SyntaxNode;
  readonly index: number;
  /** Whether it is written to in another way too: `x += 1`, `for (x of …)`. */
  changes: number;
  /** Where it is used, apart from where it is declared. */
  readonly uses: SyntaxNode[];
}

/** An expression, and the path from it to what a pattern takes: `{ a: [x] } = value` takes `a`, `0`; `*` is any. */
interface Origin {
  readonly value: SyntaxNode | undefined;
  readonly path: readonly string[];
}

/** Whose a tree's names and nodes are. */
export interface Scopes {
  readonly parentOf: (node: SyntaxNode) => SyntaxNode | undefined;
  /** What an identifier refers to; undefined for a global. */
  readonly bindingOf: (identifier: SyntaxNode) => Binding | undefined;
}

interface Scope {
  readonly parent: Scope | undefined;
  readonly isFunction: boolean;
  readonly names: Map<string, Binding>;
}

type Source = Pick<Binding, "kind" | "node"> & Partial<Pick<Binding, "module" | "imported" | "index">> & Origin;

/** Resolves the names of a program: declarations first, then every use, wherever it stands. */
export function readScopes(program: SyntaxNode): Scopes {
  return new Reader().read(program);
}

class Reader {
  readonly #parents = new Map<SyntaxNode, SyntaxNode>();
  readonly #uses: { readonly node: SyntaxNode; readonly scope: Scope }[] = [];
  readonly #writes: { readonly node: SyntaxNode; readonly scope: Scope }[] = [];
  readonly #bindings = new Map<SyntaxNode, Binding>();

  read(program: SyntaxNode): Scopes {
    this.#visit(program, { parent: undefined, isFunction: true, names: new Map() });
    for (const { node, scope } of this.#writes) this.#write(node, scope);
    for (const { node, scope } of this.#uses) {
      // Where it is declared.
      if (this.#bindings.has(node)) continue;
      const binding = lookUp(scope, word(node, "name") ?? "");
      if (binding === undefined) continue;
      this.#bindings.set(node, binding);
      binding.uses.push(node);
    }
    return { parentOf: (node) => this.#parents.get(node), bindingOf: (node) => this.#bindings.get(node) };
  }

  #visit(node: SyntaxNode, scope: Scope): void {
    const inner = opensScope(node) ? { parent: scope, isFunction: isFunction(node), names: new Map() } : scope;
    this.#declare(node, inner, scope);
    for (const each of childrenOf(node)) {
      this.#parents.set(each, node);
      if (each.type === "Identifier" && !isLabelOrKey(each, node)) this.#uses.push({ node: each, scope: inner });
      this.#visit(each, inner);
    }
    if (node.type === "AssignmentExpression" || node.type === "UpdateExpression" || isLoop(node))
      this.#writes.push({ node, scope: inner });
  }

  #declare(node: SyntaxNode, inner: Scope, outer: Scope): void {
    switch (node.type) {
      case "ImportDeclaration":
        return this.#import(node, inner);
      case "TSImportEqualsDeclaration": {
        const module = word(child(child(node, "moduleReference"), "expression"), "value");
        return this.#bind(child(node, "id"), inner, { kind: "import", node, module, imported: "*", ...NOTHING });
      }
      case "VariableDeclaration":
        return this.#variables(node, inner);
      case "FunctionDeclaration":
      case "FunctionExpression":
      case "ArrowFunctionExpression":
        this.#bind(child(node, "id"), node.type === "FunctionDeclaration" ? outer : inner, {
          kind: "function",
          node,
          ...NOTHING,
        });
        for (const [index, parameter] of list(node, "params").entries())
          this.#bind(parameter, inner, { kind: "parameter", node, index, ...NOTHING });
        return;
      case "ClassDeclaration":
        return this.#bind(child(node, "id"), outer, { kind: "class", node, ...NOTHING });
      case "CatchClause":
        return this.#bind(child(node, "param"), inner, { kind: "other", node, ...NOTHING });
      case "TSEnumDeclaration":
      case "TSModuleDeclaration":
        return this.#bind(child(node, "id"), outer, { kind: "other", node, ...NOTHING });
    }
  }

  #import(node: SyntaxNode, scope: Scope): void {
    const module = word(child(node, "source"), "value");
    for (const each of list(node, "specifiers")) {
      const imported = child(each, "imported");
      const names: Readonly<Record<string, string | undefined>> = {
        ImportDefaultSpecifier: "default",
        ImportNamespaceSpecifier: "*",
        ImportSpecifier: word(imported, "name") ?? word(imported, "value"),
      };
      this.#bind(child(each, "local"), scope, {
        kind: "import",
        node: each,
        module,
        imported: names[each.type],
        ...NOTHING,
      });
    }
  }

  #variables(node: SyntaxNode, scope: Scope): void {
    const home = word(node, "kind") === "var" ? functionScope(scope) : scope;
    for (const each of list(node, "declarations"))
      this.#bind(child(each, "id"), home, { kind: "variable", node: each, value: child(each, "init"), path: [] });
  }

  /** Binds every name of a pattern, each with its path into the value. */
  #bind(pattern: SyntaxNode | undefined, scope: Scope, source: Source): void {
    for (const { node, path } of namesIn(pattern, source.path)) {
      const name = word(node, "name") ?? "";
      const known = scope.names.get(name);
      const origin = { value: source.value, path };
      // `var` twice is one name.
      if (known !== undefined && known.kind === "variable" && source.kind === "variable") {
        known.values.push(origin);
        this.#bindings.set(node, known);
        continue;
      }
      const { module, imported, index = 0 } = source;
      const kept = source.kind === "variable" && source.value === undefined ? [] : [origin];
      const binding: Binding = {
        name,
        kind: source.kind,
        module,
        imported,
        values: kept,
        node: source.node,
        index,
        changes: 0,
        uses: [],
      };
      scope.names.set(name, binding);
      this.#bindings.set(node, binding);
    }
  }

  #write(node: SyntaxNode, scope: Scope): void {
    if (isLoop(node)) return this.#loop(node, scope);
    const isPlain = node.type === "AssignmentExpression" && word(node, "operator") === "=";
    const target = child(node, node.type === "UpdateExpression" ? "argument" : "left");
    for (const { node: name, path } of namesIn(target, [])) {
      const binding = lookUp(scope, word(name, "name") ?? "");
      if (binding === undefined) continue;
      binding.changes += 1;
      if (isPlain) binding.values.push({ value: child(node, "right"), path });
    }
  }

  /** `for (const x of list)`: each of the list's elements. */
  #loop(node: SyntaxNode, scope: Scope): void {
    const left = child(node, "left");
    const target = left?.type === "VariableDeclaration" ? child(list(left, "declarations")[0], "id") : left;
    for (const { node: name, path } of namesIn(target, [])) {
      const binding = lookUp(scope, word(name, "name") ?? "");
      if (binding === undefined) continue;
      binding.changes += 1;
      if (node.type === "ForOfStatement") binding.values.push({ value: child(node, "right"), path: ["*", ...path] });
    }
  }
}

const NOTHING: Origin = { value: undefined, path: [] };

function opensScope(node: SyntaxNode): boolean {
  return (
    isFunction(node) ||
    /^(?:BlockStatement|For\w*Statement|CatchClause|SwitchStatement|StaticBlock|TSModuleBlock)$/.test(node.type)
  );
}

function isLoop(node: SyntaxNode): boolean {
  return node.type === "ForOfStatement" || node.type === "ForInStatement";
}

/** Names that are no variables: `.name`, `name:`, labels, names of modules' exports. */
function isLabelOrKey(node: SyntaxNode, parent: SyntaxNode): boolean {
  switch (parent.type) {
    case "MemberExpression":
      return child(parent, "property") === node && parent["computed"] !== true;
    case "Property":
    case "MethodDefinition":
    case "PropertyDefinition":
      return child(parent, "key") === node && child(parent, "value") !== node && parent["computed"] !== true;
    case "LabeledStatement":
    case "BreakStatement":
    case "ContinueStatement":
    case "MetaProperty":
    case "ImportSpecifier":
    case "ImportDefaultSpecifier":
    case "ImportNamespaceSpecifier":
      return true;
    case "ExportSpecifier":
      return child(parent, "exported") === node && child(parent, "local") !== node;
    case "VariableDeclarator":
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "ClassDeclaration":
      return child(parent, "id") === node;
    default:
      return false;
  }
}

function functionScope(scope: Scope): Scope {
  return scope.isFunction || scope.parent === undefined ? scope : functionScope(scope.parent);
}

function lookUp(scope: Scope | undefined, name: string): Binding | undefined {
  return scope === undefined ? undefined : (scope.names.get(name) ?? lookUp(scope.parent, name));
}

interface PatternName {
  readonly node: SyntaxNode;
  readonly path: readonly string[];
}

/** The names that a pattern binds, each with its path into what is taken apart. */
function namesIn(pattern: SyntaxNode | undefined, path: readonly string[]): readonly PatternName[] {
  if (pattern === undefined) return [];
  switch (pattern.type) {
    case "Identifier":
      return [{ node: pattern, path }];
    case "AssignmentPattern":
      return namesIn(child(pattern, "left"), path);
    case "TSParameterProperty":
      return namesIn(child(pattern, "parameter"), path);
    case "RestElement":
      return namesIn(child(pattern, "argument"), [...path, "*"]);
    case "ObjectPattern":
      return list(pattern, "properties").flatMap((each) =>
        each.type === "RestElement"
          ? namesIn(child(each, "argument"), path)
          : namesIn(child(each, "value"), [...path, keyIn(each)]),
      );
    case "ArrayPattern": {
      const elements = pattern["elements"];
      const places: readonly unknown[] = Array.isArray(elements) ? elements : [];
      return list(pattern, "elements").flatMap((each) => namesIn(each, [...path, String(places.indexOf(each))]));
    }
    default:
      return [];
  }
}

function keyIn(property: SyntaxNode): string {
  const key = child(property, "key");
  if (property["computed"] === true && key?.type !== "Literal") return "*";
  return word(key, "name") ?? String(key?.["value"]);
}
