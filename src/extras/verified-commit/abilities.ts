import {
  type SyntaxNode,
  bare,
  child,
  childrenOf,
  isFunction,
  isWrapper,
  lineFeedsOf,
  list,
  parseSource,
  word,
} from "../../kernel/syntax.ts";
import { Disguises, UNTYPED } from "./disguises.ts";
import { COMPUTED, NameResolver, type Path } from "./name-resolver.ts";
import { type Usage, builtinName, isHarmlessExport, isHarmlessGlobal, isMeant, isRevealing } from "./harmless.ts";
import { NameScope, declareBlock, declarePattern, declareVars, exportsName, propertyName } from "./scopes.ts";

/** Use of a name or syntax by which code can see or change more than its inputs. */
export interface Ability {
  /** Name that code with the same ability has, too: `process.env.PORT`, `node:fs.readFileSync`. */
  readonly name: string;
  /** From 1. */
  readonly line: number;
  /** True if the name is that of an imported module, relative ones included. */
  readonly isImport: boolean;
}

/**
 * Lists the abilities of a source: uses of globals and modules that aren't known to be harmless, however they are
 * spelled. A text that can't be parsed has an ability that no other text has.
 */
export function abilitiesIn(text: string, fileName: string): readonly Ability[] {
  const parsed = parseSource(text, fileName);
  if (!parsed.ok) return [{ name: `code that veritest can't parse (${parsed.error})`, line: 1, isImport: false }];
  const reader = new Reader(text, parsed.value.program);
  reader.visit(parsed.value.program, new NameScope(), "value");
  return [...reader.abilities, ...pragmas(text)];
}

/** Comments by which compilers and runners take other modules or another environment. */
function pragmas(text: string): readonly Ability[] {
  return text.split("\n").flatMap((line, index) => {
    const [name] = /@(?:jsx\w*\s\S+|(?:vitest|jest)-\S+|ts-nocheck)|# ?source(?:Mapping)?URL/.exec(line) ?? [];
    return name === undefined ? [] : [{ name, line: index + 1, isImport: false }];
  });
}

/** Without strict mode, `this` of a function can be the global object. */
function isSloppy(program: SyntaxNode): boolean {
  return !list(program, "body").some(
    (node) => /^(?:Import|Export)/.test(node.type) || word(node, "directive") === "use strict",
  );
}

const TYPES: ReadonlySet<string> = new Set([
  "TSTypeAliasDeclaration",
  "TSInterfaceDeclaration",
  "TSDeclareFunction",
  "TSIndexSignature",
  "TSNamespaceExportDeclaration",
]);
/** Functions that change their first argument. */
const CHANGES: ReadonlySet<string> = new Set([
  "Object.assign",
  "Object.defineProperty",
  "Object.defineProperties",
  "Object.setPrototypeOf",
  "Reflect.set",
  "Reflect.defineProperty",
]);

class Reader {
  readonly abilities: Ability[] = [];
  readonly #lineFeedsBefore: (offset: number) => number;
  readonly #isSloppy: boolean;
  readonly #names = new NameResolver((node, module) => this.#import(node, module));
  readonly #disguises: Disguises;
  #classes = 0;

  constructor(text: string, program: SyntaxNode) {
    this.#lineFeedsBefore = lineFeedsOf(text);
    this.#isSloppy = isSloppy(program);
    this.#disguises = new Disguises(program, this.#names);
  }

  visit(node: SyntaxNode | undefined, scope: NameScope, usage: Usage): void {
    if (node === undefined || TYPES.has(node.type) || node["declare"] === true) return;
    if (isFunction(node)) return this.#function(node, scope);
    switch (node.type) {
      case "Program":
      case "BlockStatement":
      case "StaticBlock":
      case "SwitchStatement":
      case "TSModuleBlock":
      case "ForStatement":
      case "ForInStatement":
      case "ForOfStatement":
        return this.#block(node, new NameScope(scope));
      case "ClassDeclaration":
      case "ClassExpression":
        return this.#class(node, new NameScope(scope));
      case "CatchClause": {
        const inner = new NameScope(scope);
        declarePattern(inner, child(node, "param"), { kind: "error" });
        return this.#children(node, inner);
      }
      case "ImportDeclaration":
      case "ExportAllDeclaration":
      case "ExportNamedDeclaration":
      case "TSImportEqualsDeclaration":
        return this.#module(node, scope);
      case "Identifier":
      case "JSXIdentifier":
      case "MemberExpression":
      case "JSXMemberExpression":
      case "MetaProperty":
      case "ThisExpression":
      case "ImportExpression":
        return this.#reference(node, scope, usage);
      default:
        return this.#expression(node, scope, usage);
    }
  }

  #expression(node: SyntaxNode, scope: NameScope, usage: Usage): void {
    switch (node.type) {
      case "CallExpression":
      case "NewExpression":
        return this.#call(node, scope);
      case "AssignmentExpression":
        this.#taken(child(node, "left"), child(node, "right"), scope);
        this.visit(child(node, "left"), scope, "write");
        return this.visit(child(node, "right"), scope, "value");
      case "UpdateExpression":
        return this.visit(child(node, "argument"), scope, "write");
      case "UnaryExpression":
        return this.visit(child(node, "argument"), scope, node["operator"] === "delete" ? "write" : "value");
      case "BinaryExpression":
        this.visit(child(node, "left"), scope, "value");
        this.#printed(this.#disguises.textsOf(node, scope), scope);
        return this.visit(child(node, "right"), scope, node["operator"] === "instanceof" ? "test" : "value");
      case "TemplateLiteral":
        this.#printed(this.#disguises.textsOf(node, scope), scope);
        return this.#children(node, scope);
      case "VariableDeclarator":
        return this.#declarator(node, scope);
      case "Property":
      case "MethodDefinition":
      case "PropertyDefinition":
      case "AccessorProperty":
        return this.#property(node, scope, usage);
      case "LabeledStatement":
        return this.visit(child(node, "body"), scope, "value");
      case "BreakStatement":
      case "ContinueStatement":
      case "JSXAttribute":
        return this.visit(child(node, "value"), scope, "value");
      case "TSEnumMember":
        return this.visit(child(node, "initializer"), scope, "value");
      case "TSModuleDeclaration":
        return this.visit(child(node, "body"), scope, "value");
      case "ObjectPattern":
      case "ArrayPattern":
      case "RestElement":
        return this.#children(node, scope, "write");
      case "AssignmentPattern":
        this.#taken(child(node, "left"), child(node, "right"), scope);
        this.visit(child(node, "left"), scope, usage);
        return this.visit(child(node, "right"), scope, "value");
      default:
        return isWrapper(node) ? this.visit(child(node, "expression"), scope, usage) : this.#children(node, scope);
    }
  }

  #children(node: SyntaxNode, scope: NameScope, usage: Usage = "value"): void {
    for (const each of childrenOf(node)) this.visit(each, scope, usage);
  }

  #function(node: SyntaxNode, scope: NameScope): void {
    const outer = new NameScope(scope);
    const name = word(child(node, "id"), "name");
    if (name !== undefined && node.type === "FunctionExpression") outer.declare(name, { kind: "function" });
    if (node.type !== "ArrowFunctionExpression") outer.declare("arguments");
    for (const param of list(node, "params")) declarePattern(outer, param);
    for (const param of list(node, "params")) {
      this.#pattern(param, outer);
      for (const each of list(param, "decorators")) this.visit(each, outer, "value");
    }
    const body = child(node, "body");
    if (body?.type !== "BlockStatement") return this.visit(body, outer, "value");
    // The default of a parameter doesn't see the names of the body.
    const inner = new NameScope(outer);
    declareVars(inner, body);
    declareBlock(inner, list(body, "body"));
    for (const each of list(body, "body")) this.visit(each, inner, "value");
  }

  #block(node: SyntaxNode, scope: NameScope): void {
    if (node.type === "Program" || node.type === "StaticBlock" || node.type === "TSModuleBlock")
      declareVars(scope, node);
    const heads = [child(node, "init"), child(node, "left")].filter((each) => each !== undefined);
    declareBlock(scope, [...list(node, "body"), ...heads]);
    declareBlock(
      scope,
      list(node, "cases").flatMap((each) => list(each, "consequent")),
    );
    const left = child(node, "left");
    for (const each of childrenOf(node))
      this.visit(each, scope, each === left && each.type !== "VariableDeclaration" ? "write" : "value");
  }

  #class(node: SyntaxNode, scope: NameScope): void {
    const name = word(child(node, "id"), "name");
    if (name !== undefined) scope.declare(name, { kind: "function" });
    this.visit(child(node, "superClass"), scope, "test");
    this.#classes += 1;
    for (const each of [...list(node, "decorators"), child(node, "body")]) this.visit(each, scope, "value");
    this.#classes -= 1;
  }

  #module(node: SyntaxNode, scope: NameScope): void {
    if (node["importKind"] === "type" || node["exportKind"] === "type") return;
    const reference = child(node, "moduleReference");
    const source = child(node, "source") ?? child(reference, "expression");
    const module = word(source, "value");
    if (module !== undefined) this.#import(node, module);
    else if (reference !== undefined) this.#add(node, "import =");
    if (node.type === "ExportAllDeclaration") this.#use(node, { module, names: [] }, "value");
    if (node.type === "ExportNamedDeclaration" && exportsName(node, "then")) this.#add(node, "an export named then");
    if (node.type === "ExportNamedDeclaration" && module === undefined) {
      this.visit(child(node, "declaration"), scope, "value");
      for (const each of list(node, "specifiers").filter((specifier) => specifier["exportKind"] !== "type"))
        if (this.#disguises.moduleOf(child(each, "local"), scope) === undefined)
          this.visit(child(each, "local"), scope, "value");
    } else
      for (const each of list(node, "specifiers")) {
        const name = word(child(each, "imported") ?? child(each, "local"), "name") ?? COMPUTED;
        if (node.type === "ExportNamedDeclaration") this.#use(each, { module, names: [name] }, "value");
      }
  }

  #import(node: SyntaxNode, module: string): void {
    const line = this.#line(node);
    const isKnown = this.abilities.some((each) => each.isImport && each.name === module && each.line === line);
    if (builtinName(module) === undefined && !isKnown) this.abilities.push({ name: module, line, isImport: true });
  }

  #call(node: SyntaxNode, scope: NameScope): void {
    const callee = child(node, "callee");
    const args = list(node, "arguments");
    const required = this.#names.required(node, scope);
    if (required !== undefined) {
      this.#import(node, required);
      return this.#use(node, { module: required, names: [] }, "value");
    }
    const path = this.#names.path(callee, scope);
    const name = path?.module === undefined ? path?.names.join(".") : undefined;
    if (name === "Date" && args.length > 0 && args.every(({ type }) => type !== "SpreadElement"))
      return this.#children({ ...node, callee: undefined }, scope);
    this.#printed(this.#disguises.textsOf(node, scope), scope);
    if (this.#disguises.isUntyped(node, scope)) this.#add(node, UNTYPED);
    if (this.#disguises.isOpenCall(callee, scope)) this.#add(node, `.${COMPUTED}`);
    const [first] = args;
    const text =
      path?.module !== undefined && builtinName(path.module) !== undefined ? this.#names.text(first, scope) : undefined;
    if (path !== undefined && text !== undefined) {
      const names = [...path.names.slice(0, -1), `${path.names.at(-1) ?? ""}(${JSON.stringify(text)})`];
      if (isHarmlessExport(path.module ?? "", path.names, "call")) this.visit(callee, scope, "call");
      else this.#use(node, { ...path, names }, "call");
    } else this.visit(callee, scope, node.type === "NewExpression" ? "new" : "call");
    const isChange = name !== undefined && CHANGES.has(name);
    for (const [index, each] of args.entries()) this.visit(each, scope, isChange && index === 0 ? "write" : "value");
  }

  #declarator(node: SyntaxNode, scope: NameScope): void {
    const [id, init] = [child(node, "id"), child(node, "init")];
    this.#pattern(id, scope);
    this.#taken(id, init, scope);
    const path = id?.type === "ObjectPattern" ? this.#names.path(init, scope) : undefined;
    const keys = list(id, "properties").map((property) =>
      property.type === "Property" ? propertyName(property) : undefined,
    );
    if (path === undefined || keys.includes(undefined)) return this.visit(init, scope, "value");
    for (const key of keys) this.#use(node, { ...path, names: [...path.names, key ?? COMPUTED] }, "value");
  }

  /** Visits the defaults and keys of a declaration's pattern. */
  #pattern(pattern: SyntaxNode | undefined, scope: NameScope): void {
    switch (pattern?.type ?? "") {
      case "ObjectPattern":
        for (const property of list(pattern, "properties")) {
          if (property["computed"] === true) this.visit(child(property, "key"), scope, "value");
          this.#named(property, this.#names.key(property, scope));
          this.#pattern(child(property, "value") ?? child(property, "argument"), scope);
        }
        return;
      case "ArrayPattern":
        for (const element of list(pattern, "elements")) this.#pattern(element, scope);
        return;
      case "AssignmentPattern":
        this.#taken(child(pattern, "left"), child(pattern, "right"), scope);
        this.#pattern(child(pattern, "left"), scope);
        return this.visit(child(pattern, "right"), scope, "value");
      case "TSParameterProperty":
        return this.#pattern(child(pattern, "parameter"), scope);
      case "RestElement":
        return this.#pattern(child(pattern, "argument"), scope);
      default:
    }
  }

  #property(node: SyntaxNode, scope: NameScope, usage: Usage): void {
    if (node["computed"] === true) {
      this.visit(child(node, "key"), scope, "value");
      this.#printed([child(node, "key")], scope);
    }
    if (usage !== "write" && this.#disguises.isOpenMethod(node, scope)) this.#add(child(node, "key"), `.${COMPUTED}`);
    const key = this.#names.key(node, scope);
    if (usage === "write" ? isRevealing(key ?? "") : isMeant(key ?? "")) this.#add(node, `.${key ?? ""}`);
    for (const each of list(node, "decorators")) this.visit(each, scope, "value");
    // In a pattern, the value is the target.
    this.visit(child(node, "value"), scope, usage === "write" ? "write" : "value");
  }

  #reference(node: SyntaxNode, scope: NameScope, usage: Usage): void {
    const path = this.#names.path(node, scope);
    if (node.type === "JSXIdentifier" && /^[a-z]/.test(word(node, "name") ?? "")) return;
    if (node.type === "ThisExpression") {
      if (this.#isSloppy && this.#classes === 0) this.#add(node, "this");
      return;
    }
    if (node.type === "ImportExpression") {
      const module = this.#names.moduleOf(node, scope);
      if (module === undefined) this.#add(node, "import(…)");
      else this.#import(node, module);
      this.visit(child(node, "source"), scope, "value");
    }
    this.#computedIn(node, scope);
    const all = usage === "value" ? this.#disguises.moduleOf(node, scope) : undefined;
    if (all !== undefined) this.#add(node, `${all}.*`);
    if (path !== undefined) return this.#use(node, path, usage);
    if (!node.type.endsWith("MemberExpression")) return;
    const object = child(node, "object");
    this.#named(node, this.#names.key(node, scope));
    this.visit(object, scope, "value");
    if (this.#names.key(node, scope) === "toString") this.#printed([object], scope);
  }

  /** Visits the computed members along a chain. */
  #computedIn(node: SyntaxNode, scope: NameScope): void {
    for (let at = bare(node); at?.type === "MemberExpression"; at = bare(child(at, "object"))) {
      const key = at["computed"] === true ? child(at, "property") : undefined;
      this.visit(key, scope, "value");
      this.#printed([key], scope);
      if (this.#disguises.isOpenKey(key, child(at, "object"), scope)) this.#add(at, `.${COMPUTED}`);
      if (this.#disguises.isUntyped(at, scope)) this.#add(at, UNTYPED);
      if (this.#names.path(at, scope) === undefined) return;
    }
  }

  #taken(pattern: SyntaxNode | undefined, value: SyntaxNode | undefined, scope: NameScope): void {
    if (this.#disguises.isOpenPattern(pattern, value, scope)) this.#add(pattern, `.${COMPUTED}`);
  }

  #printed(nodes: readonly (SyntaxNode | undefined)[], scope: NameScope): void {
    for (const node of nodes)
      if (this.#disguises.isPrinted(node, scope)) this.#add(bare(node), ".toString of a function");
  }

  #use(node: SyntaxNode, { module, names }: Path, usage: Usage): void {
    if (module === undefined ? isHarmlessGlobal(names, usage) : isHarmlessExport(module, names, usage)) {
      const isCalled = module === undefined && names[1] === "prototype";
      return isCalled ? undefined : this.#named(node, names.slice(module === undefined ? 1 : 0).find(isRevealing));
    }
    const builtin = builtinName(module ?? "");
    const root = module === undefined ? [] : [builtin ?? module];
    const members = builtin !== undefined && names[0] === "default" ? names.slice(1) : names;
    this.#add(node, `${[...root, ...members].join(".")}${usage === "write" ? " =" : ""}`);
  }

  #named(node: SyntaxNode, key: string | undefined): void {
    if (key !== undefined && isRevealing(key)) this.#add(node, `.${key}`);
  }

  #add(node: SyntaxNode | undefined, name: string): void {
    if (node !== undefined) this.abilities.push({ name, line: this.#line(node), isImport: false });
  }

  #line({ end }: SyntaxNode): number {
    // The end of a chain is the member that it's about.
    return this.#lineFeedsBefore(end) + 1;
  }
}
