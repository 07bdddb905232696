import { type SyntaxNode, child, childrenOf, isFunction, list, word } from "../../kernel/syntax.ts";

/** A name that code declares. */
export interface Binding {
  readonly kind: "local" | "function" | "error" | "import" | "namespace";
  /** Value that it gets; undefined if it's unknown. */
  readonly init?: SyntaxNode | undefined;
  /** Members that lead from that value, or from an imported module, to this name. */
  readonly members: readonly string[];
  /** True if it keeps that value. */
  readonly isConstant?: boolean;
  /** Module that it comes from. */
  readonly module?: string;
  readonly scope: NameScope;
}

/** Names that a part of code declares, within another part. */
export class NameScope {
  readonly #names = new Map<string, Binding>();
  readonly parent: NameScope | undefined;

  constructor(parent?: NameScope) {
    this.parent = parent;
  }

  declare(name: string, binding: Partial<Omit<Binding, "scope">> = {}): void {
    const again = this.#names.has(name);
    const { init, ...rest } = binding;
    // The value of a name with several values isn't known.
    this.#names.set(name, { kind: "local", members: [], ...rest, init: again ? undefined : init, scope: this });
  }

  find(name: string): Binding | undefined {
    return this.#names.get(name) ?? this.parent?.find(name);
  }
}

/** Declares the names that belong to a block: of classes, functions, imports, `let` and `const`. */
export function declareBlock(scope: NameScope, statements: readonly SyntaxNode[]): void {
  for (const statement of statements) {
    const node = isExport(statement) ? (child(statement, "declaration") ?? statement) : statement;
    if (node["declare"] === true) continue;
    const name = word(child(node, "id"), "name") ?? "";
    if (node.type === "ImportDeclaration" && node["importKind"] !== "type") declareImports(scope, node);
    if (node.type === "FunctionDeclaration" || node.type === "ClassDeclaration")
      scope.declare(name, { kind: "function" });
    if (node.type === "TSEnumDeclaration") scope.declare(name);
    if (node.type === "TSImportEqualsDeclaration" && node["importKind"] !== "type") declareEquals(scope, node);
    if (node.type === "VariableDeclaration" && node["kind"] !== "var") declareVariables(scope, node);
  }
}

/** Declares the names of every `var` of a function or module. */
export function declareVars(scope: NameScope, body: SyntaxNode): void {
  for (const node of withoutFunctions(body))
    if (node.type === "VariableDeclaration" && node["kind"] === "var" && node["declare"] !== true)
      declareVariables(scope, node);
}

/** Declares the names of a pattern, such as a parameter. */
export function declarePattern(
  scope: NameScope,
  pattern: SyntaxNode | undefined,
  binding: Partial<Binding> = {},
): void {
  const { init, members = [], ...rest } = binding;
  switch (pattern?.type ?? "") {
    case "Identifier":
      return scope.declare(word(pattern, "name") ?? "", { ...rest, members, init });
    case "TSParameterProperty":
      return declarePattern(scope, child(pattern, "parameter"), rest);
    case "AssignmentPattern":
      return declarePattern(scope, child(pattern, "left"), binding);
    case "RestElement":
      return declarePattern(scope, child(pattern, "argument"), rest);
    case "ArrayPattern":
      for (const element of list(pattern, "elements")) declarePattern(scope, element, rest);
      return;
    case "ObjectPattern":
      for (const property of list(pattern, "properties")) {
        const key = propertyName(property);
        const known = key === undefined || init === undefined ? rest : { ...rest, init, members: [...members, key] };
        declarePattern(scope, child(property, "value") ?? property, known);
      }
      return;
    default:
  }
}

/** Returns true for an export of this name, which a declaration or a list of names makes. */
export function exportsName(node: SyntaxNode, name: string): boolean {
  const declared = new NameScope();
  declareBlock(declared, [node]);
  declareVars(declared, node);
  return (
    declared.find(name) !== undefined ||
    list(node, "specifiers").some((each) => word(child(each, "exported"), "name") === name)
  );
}

/** The name of a property or member that isn't computed, or is a text; undefined otherwise. */
export function propertyName(property: SyntaxNode): string | undefined {
  const key = child(property, "key") ?? child(property, "property");
  if (property["computed"] === true) return word(key, "value");
  return word(key, "name") ?? word(key, "value") ?? word(key, "raw");
}

function declareVariables(scope: NameScope, node: SyntaxNode): void {
  for (const declarator of list(node, "declarations")) {
    const init = child(declarator, "init");
    const kind = isFunction(init) || init?.type === "ClassExpression" ? "function" : kindOf(init);
    declarePattern(scope, child(declarator, "id"), { kind, init, isConstant: node["kind"] === "const" });
  }
}

/** An error has a call stack, which is the same for every way to read it. */
function kindOf(init: SyntaxNode | undefined): Binding["kind"] {
  const made = init?.type === "NewExpression" || init?.type === "CallExpression" ? child(init, "callee") : undefined;
  return word(made, "name")?.endsWith("Error") === true ? "error" : "local";
}

function declareImports(scope: NameScope, node: SyntaxNode): void {
  const module = word(child(node, "source"), "value") ?? "";
  for (const specifier of list(node, "specifiers").filter((each) => each["importKind"] !== "type")) {
    const imported = child(specifier, "imported");
    const name = word(imported, "name") ?? word(imported, "value") ?? "default";
    const isAll = specifier.type === "ImportNamespaceSpecifier";
    scope.declare(word(child(specifier, "local"), "name") ?? "", {
      kind: isAll ? "namespace" : "import",
      module,
      members: isAll ? [] : [name],
    });
  }
}

/** `import fs = require("node:fs")`; the other form names a member, which its visit reports. */
function declareEquals(scope: NameScope, node: SyntaxNode): void {
  const module = word(child(child(node, "moduleReference"), "expression"), "value");
  if (module !== undefined)
    scope.declare(word(child(node, "id"), "name") ?? "", { kind: "import", module, members: [] });
}

function isExport({ type }: SyntaxNode): boolean {
  return type === "ExportNamedDeclaration" || type === "ExportDefaultDeclaration";
}

function* withoutFunctions(node: SyntaxNode): Generator<SyntaxNode> {
  yield node;
  for (const each of childrenOf(node)) if (!isFunction(each)) yield* withoutFunctions(each);
}
