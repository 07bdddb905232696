import { type SyntaxNode, bare, child, list, word } from "../../kernel/syntax.ts";
import { type NameScope, propertyName } from "./scopes.ts";

/** A global or a module, and the members that lead to a value. */
export interface Path {
  readonly module: string | undefined;
  readonly names: readonly string[];
}

/** Name of a member that only a run computes. */
export const COMPUTED = "[…]";
const MAX_DEPTH = 20;

/** Finds what the names of a source mean, through constants, patterns and joined texts. */
export class NameResolver {
  readonly #onImport: (node: SyntaxNode, module: string) => void;

  constructor(onImport: (node: SyntaxNode, module: string) => void) {
    this.#onImport = onImport;
  }

  /** The module of `require("…")`. */
  required(node: SyntaxNode, scope: NameScope): string | undefined {
    const callee = bare(child(node, "callee"));
    if (node.type !== "CallExpression" || callee?.type !== "Identifier" || callee["name"] !== "require")
      return undefined;
    if (scope.find("require") !== undefined) return undefined;
    return this.text(list(node, "arguments")[0], scope);
  }

  /** Returns the global or module, with members, to which an expression leads; undefined for other values. */
  path(expression: SyntaxNode | undefined, scope: NameScope, depth = 0): Path | undefined {
    const node = bare(expression);
    const module = this.moduleOf(node, scope);
    if (node === undefined || depth > MAX_DEPTH) return undefined;
    if (module !== undefined) {
      this.#onImport(node, module);
      return { module, names: [] };
    }
    if (node.type === "MetaProperty")
      return word(child(node, "meta"), "name") === "import" ? { module: undefined, names: ["import.meta"] } : undefined;
    if (node.type === "Identifier" || node.type === "JSXIdentifier") {
      const name = word(node, "name") ?? "";
      const binding = scope.find(name);
      if (binding === undefined) return { module: undefined, names: [name] };
      if (binding.module !== undefined) return { module: binding.module, names: binding.members };
      const path = binding.init === undefined ? undefined : this.path(binding.init, binding.scope, depth + 1);
      return path === undefined ? undefined : { ...path, names: [...path.names, ...binding.members] };
    }
    if (!node.type.endsWith("MemberExpression")) return undefined;
    const path = this.path(child(node, "object"), scope, depth + 1);
    return path === undefined ? undefined : { ...path, names: [...path.names, this.key(node, scope) ?? COMPUTED] };
  }

  /** Returns the module that an expression loads. */
  moduleOf(node: SyntaxNode | undefined, scope: NameScope): string | undefined {
    if (node?.type === "ImportExpression") return this.text(child(node, "source"), scope);
    return node?.type === "CallExpression" ? this.required(node, scope) : undefined;
  }

  /** Returns the name of a member or property; undefined if it is computed. */
  key(node: SyntaxNode, scope: NameScope): string | undefined {
    if (node["computed"] !== true) return propertyName(node);
    return this.text(child(node, "key") ?? child(node, "property"), scope);
  }

  /** The text that an expression always has; undefined if it's computed. */
  text(expression: SyntaxNode | undefined, scope: NameScope, depth = 0): string | undefined {
    const node = bare(expression);
    if (node === undefined || depth > MAX_DEPTH) return undefined;
    const parts =
      node.type === "BinaryExpression" && node["operator"] === "+"
        ? [child(node, "left"), child(node, "right")]
        : undefined;
    if (node.type === "Literal") return node["regex"] === undefined ? String(node["value"]) : undefined;
    if (parts !== undefined) {
      const texts = parts.map((part) => this.text(part, scope, depth + 1));
      return texts.includes(undefined) ? undefined : texts.join("");
    }
    if (node.type === "TemplateLiteral") return this.#template(node, scope, depth);
    if (node.type !== "Identifier") return undefined;
    const binding = scope.find(word(node, "name") ?? "");
    return binding?.init === undefined || binding.isConstant !== true || binding.members.length > 0
      ? undefined
      : this.text(binding.init, binding.scope, depth + 1);
  }

  #template(node: SyntaxNode, scope: NameScope, depth: number): string | undefined {
    const values = list(node, "expressions").map((each) => this.text(each, scope, depth + 1));
    if (values.includes(undefined)) return undefined;
    const quasis = list(node, "quasis").map(({ value }) =>
      typeof value === "object" && value !== null && "cooked" in value ? String(value.cooked) : "",
    );
    return quasis.map((quasi, index) => quasi + (values[index] ?? "")).join("");
  }
}
